"""Numbers beyond the limits of their columns, written while a world runs: named, and no other body
is taken along.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from ecs_softbody import (
    FrozenBodyWarning,
    Particles,
    Simulation,
    StabilityWarning,
    StaticCollider,
    blueprints,
)
from ecs_softbody.storage import Column, Component, declared_columns, declared_values
from tests.helpers.internals import times_of_mending
from tests.helpers.stepping import run_frames
from tests.snapshots.full_world import spawn_everything

VALUES = [np.nan, np.inf, 1e200, 1e100, 5e-324, -5e-324, -1.0, -1e200]
WRITTEN = [
    (kind, name)
    for kind in Component.types
    for name, entry in {**declared_columns(kind), **declared_values(kind)}.items()
    if entry.dtype.kind == "f"
    and not entry.is_read_only
    and (isinstance(entry, Column) or entry.width > 1)
]


def are_finite(sim: Simulation, but: set[int]) -> bool:
    """Return whether all bodies but some are finite."""
    bodies = sim.buffers.components(Particles).items()
    return all(
        np.isfinite(body.position).all() and np.isfinite(body.velocity).all()
        for entity, body in bodies
        if entity not in but
    )


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize(
    ("kind", "name"), WRITTEN, ids=lambda value: getattr(value, "__name__", value)
)
def test_no_number_breaks_a_step_or_another_body(
    kind: type[Component], name: str, solver: str
) -> None:
    for value in VALUES:
        sim = Simulation(world="odd numbers", solver=solver)
        spawn_everything(sim)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StabilityWarning)
            warnings.simplefilter("ignore", FrozenBodyWarning)
            sim.step()
            owners = sim.entities(kind)
            if owners:
                component: Any = sim.get(owners[0], kind)
                getattr(component, name)[...] = value
                concerned = {owners[0], *component.row_owners(owners[0])}
                for said in filter(None, map(stepped, [sim] * 4)):
                    assert f"{kind.__name__}.{name} of entity {owners[0]}: " in said
                assert are_finite(sim, concerned)
        sim.close()


def stepped(sim: Simulation) -> str:
    """Step, and return what is said where that is refused."""
    try:
        sim.step()
    except ValueError as error:
        return str(error)
    return ""


def blob_on_the_ground(name: str) -> tuple[Simulation, int, int]:
    sim = Simulation(world=name)
    sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    one, other = (sim.spawn(*blueprints.blob((x, 0.5), 0.5)) for x in (0.0, 1.2))
    sim.step()
    return sim, one, other


SAID = {
    (
        "Springs",
        "stiffness",
        -1.0,
    ): r"-1\.0 in row 0 is not allowed; expected finite numbers >= 0 \[N/m\]",
    ("Springs", "rest_length", 1e200): r"1e\+200 in row 0 .* of at most 1e\+30 in size \[m\]",
    (
        "Particles",
        "radius",
        1e200,
    ): r"1e\+200 in row 0 is not allowed; expected finite numbers >= 0 of at most 1e\+30",
    ("Particles", "radius", -1.0): r"-1\.0 in row 0 is not allowed; expected finite numbers >= 0",
    ("Particles", "mass", 0.0): r"0\.0 in row 0 is not allowed; expected numbers >= 1e-50 and",
    (
        "Particles",
        "mass",
        1e-320,
    ): r"1e-320 in row 0 is not allowed; expected .* >= 1e-50 and <= 1e\+50 or inf \[kg\]",
    (
        "Particles",
        "rest_offset",
        -np.inf,
    ): r"-inf in row 0 is not allowed; expected finite numbers \[m\]",
    (
        "Particles",
        "position",
        1e155,
    ): r"1e\+155 in row 0 is not allowed; .* of at most 1e\+30 in size \[m\]",
}


@pytest.mark.parametrize(("kind", "name", "value"), SAID)
def test_a_body_with_a_number_beyond_its_limits_is_frozen_and_goes_on(
    kind: str, name: str, value: float
) -> None:
    sim, one, other = blob_on_the_ground("frozen by a number")
    component: Any = next(part for part in sim.buffers.tables if part.__name__ == kind)
    column = getattr(sim.get(one, component), name)
    before = column.copy()
    column[0] = value
    with pytest.warns(
        FrozenBodyWarning, match=rf"{kind}\.{name} of entity {one}: {SAID[kind, name, value]}"
    ):
        run_frames(sim, 40)  # most columns are looked at by turns
    place = sim.center(one)
    sim.step()
    assert np.array_equal(sim.center(one), place)
    assert np.isfinite(sim.center(other)).all()
    column[...] = before
    sim.get(one, Particles).velocity[:, 1] = 1.0
    run_frames(sim, 5)
    assert not np.array_equal(sim.center(one), place)
    sim.close()


def test_a_wall_with_a_number_beyond_its_limits_is_refused_before_anything_moves() -> None:
    sim, one, _ = blob_on_the_ground("odd wall")
    wall = sim.get(1, StaticCollider)
    wall.velocity[0] = 1e200
    before = sim.get(one, Particles).position.copy()
    for _ in range(2):
        with pytest.raises(
            ValueError,
            match=r"StaticCollider\.velocity of entity 1: 1e\+200 is not allowed; expected",
        ):
            sim.step()
    assert np.array_equal(sim.get(one, Particles).position, before)
    wall.velocity[0] = 0.0
    sim.step()
    assert np.isfinite(sim.center(one)).all()
    sim.close()


@pytest.mark.parametrize("value", [1e31, -1e200, 1e308])
def test_a_constructor_refuses_what_would_take_others_along(value: float) -> None:
    with pytest.raises(
        ValueError, match=r"Particles\.position: .* of at most 1e\+30 in size \[m\]"
    ):
        Particles([(0, value)])
    with pytest.raises(
        ValueError, match=r"StaticCollider\.velocity: .* of at most 1e\+30 in size \[m/s\]"
    ):
        StaticCollider([(0, 0)], velocity=(value, 0))


@pytest.mark.parametrize("value", [-np.inf, np.nan])
def test_a_damaged_body_without_a_size_has_its_times(value: float) -> None:
    sim, one, _ = blob_on_the_ground("wounded")
    sim.get(one, Particles).rest_offset[0] = value
    assert np.isfinite(times_of_mending(one)).all()
    sim.close()


def test_what_was_written_before_it_was_spawned_is_found_as_well() -> None:
    sim, *_ = blob_on_the_ground("late")
    body, *rest = blueprints.ball((0, 5), 0.5)
    body.radius[...] = 1e200
    entity = sim.spawn(body, *rest)
    with pytest.warns(
        FrozenBodyWarning, match=rf"Particles\.radius of entity {entity}: 1e\+200 in row 0"
    ):
        sim.step()
    sim.close()
