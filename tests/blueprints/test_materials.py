"""Materials by name: firmer never gives softer, at any size and with both solvers, and nothing
warns.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest

from ecs_softbody import (
    Collider,
    FieldError,
    Particles,
    PressureBody,
    ShapeMatching,
    Simulation,
    StaticCollider,
    blueprints,
)
from ecs_softbody.blueprints import MATERIALS, Material
from materials import blob, box, extent, fall, stands

SOLVERS = ("saturated", "xpbd")
NAMES = ("pudding", "jelly", "rubber", "football", "tyre", "wood")
WORLDS = itertools.count()


def star(size: float) -> list[tuple[float, float]]:
    corners = [(0.5 if corner % 2 else 0.2) * size for corner in range(10)]
    return [
        (r * math.cos(k * math.pi / 5), size + r * math.sin(k * math.pi / 5))
        for k, r in enumerate(corners)
    ]


BODIES: dict[str, Callable[..., tuple[Any, ...]]] = {
    "ball": lambda s, **options: blueprints.ball((0, s), 0.5 * s, **options),
    "blob": lambda s, **options: blueprints.blob((0, s), 0.5 * s, **options),
    "box": lambda s, **options: blueprints.box((0, s), s, **options),
    "polygon": lambda s, **options: blueprints.polygon(star(s), **options),
    "wheel": lambda s, **options: blueprints.wheel((0, s), 0.5 * s, **options),
    "rope": lambda s, **options: blueprints.rope((0, s), (s, s), pin_start=True, **options),
    "rod": lambda s, **options: blueprints.rod((0, s), (s, s), pin_start=True, **options),
    "cloth": lambda s, **options: blueprints.cloth((0, 2 * s), s, **options),
}
SOFT = tuple(BODIES)[1:]
CLOSED = ("blob", "box", "polygon", "wheel")


def test_the_materials_become_firmer_in_their_order() -> None:
    assert tuple(MATERIALS) == NAMES
    firmness = [material.firmness for material in MATERIALS.values()]
    assert firmness == sorted(set(firmness))


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("make", [blob, box], ids=["blob", "box"])
def test_a_firmer_material_is_squashed_and_sags_less(make: Callable[..., Any], solver: str) -> None:
    falls = [fall(make, name, solver=solver) for name in NAMES]
    for of in ("squash", "rest"):
        found = np.array([getattr(one, of) for one in falls])
        assert (np.diff(found) > -0.005).all(), (of, found)
    assert falls[0].squash < 0.55
    assert falls[-1].squash > 0.88
    assert all(
        0.8 < one.rest < 1.01 and 0.0 <= one.rebound < 0.9 and one.seconds < 20 for one in falls
    )
    assert sum(one.warned for one in falls) == 0


@pytest.mark.brief(2)
@pytest.mark.parametrize("solver", SOLVERS)
def test_firmness_only_goes_up_with_what_is_asked(solver: str) -> None:
    made = [
        replace(MATERIALS["jelly"], firmness=firmness) for firmness in (3, 8, 20, 60, 200, 2000)
    ]
    found = np.array([fall(blob, material, solver=solver, seconds=1.2).squash for material in made])
    assert (np.diff(found) > 0.0).all(), found


@pytest.mark.brief(5)
@pytest.mark.parametrize("name", ["pudding", "jelly", "rubber", "football", "tyre"])
def test_a_material_looks_the_same_at_any_size(name: str) -> None:
    found = np.array([fall(blob, name, size, seconds=1.2).squash for size in (0.05, 0.3, 1.0, 4.0)])
    assert np.ptp(found) < 0.07, found


@pytest.mark.brief(28)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("size", [0.05, 1.0, 10.0])
def test_no_material_warns_and_all_stay_whole(kind: str, size: float, solver: str) -> None:
    sim = Simulation(world=f"materials whole {next(WORLDS)}", solver=solver)
    sim.spawn(StaticCollider([(-200 * size, 0), (200 * size, 0)]))
    bodies = []
    for number, name in enumerate(NAMES):
        parts = BODIES[kind](size, material=name)
        parts[0].position[:, 0] += 4 * size * number
        bodies.append(parts[0])
        sim.spawn(*parts)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(60):
            sim.step()
    for body in bodies:
        assert np.isfinite(body.position).all()
        assert extent(body)[0] > -0.1 * size


@pytest.mark.brief(2)
@pytest.mark.parametrize("solver", SOLVERS)
def test_firm_boxes_make_a_tower_and_soft_ones_do_not(solver: str) -> None:
    assert stands("wood", 6, solver)
    assert stands("rubber", 2, solver)
    assert not stands("pudding", 5, solver)


@pytest.mark.parametrize("kind", BODIES)
def test_an_argument_comes_before_the_material(kind: str) -> None:
    parts = BODIES[kind](1.0, material="rubber", mass=3.0, friction=0.25)
    pinned = np.asarray(parts[0].pinned)
    assert parts[0].mass.sum() == pytest.approx(3.0)
    assert not pinned.all()
    assert parts[-1].friction == 0.25


def test_stiffness_damping_and_pressure_come_first_too() -> None:
    parts = blueprints.blob(
        (0, 0), 0.5, material="tyre", stiffness=77.0, damping=0.5, pressure=12.0, restitution=0.2
    )
    springs = parts[1]
    gas = parts[2]
    assert (springs.stiffness[0], springs.damping[0], parts[-1].restitution) == (77.0, 0.5, 0.2)
    plain = blueprints.blob((0, 0), 0.5, pressure=12.0)[2]
    assert gas.nRT == plain.nRT
    assert blueprints.box((0, 0), 1.0, material="jelly", shape_stiffness=0.0)[2].stiffness == 0.0
    assert blueprints.box((0, 0), 1.0, material="jelly", firmness=40.0)[
        2
    ].stiffness == pytest.approx(4.0 * blueprints.box((0, 0), 1.0, material="jelly")[2].stiffness)


def test_firmness_alone_leaves_the_surface_and_the_mass() -> None:
    firm = blueprints.wheel((0, 0), 0.5, firmness=400.0)
    plain = blueprints.wheel((0, 0), 0.5)
    assert firm[-1].friction == plain[-1].friction == 1.0
    assert firm[0].mass.tolist() == plain[0].mass.tolist()
    assert isinstance(firm[2], ShapeMatching)


def test_without_a_material_a_blueprint_returns_what_it_did() -> None:
    kinds = [type(part) for part in blueprints.blob((0, 0), 0.5)]
    assert ShapeMatching not in kinds
    assert [type(part) for part in blueprints.blob((0, 0), 0.5, material="pudding")] == [
        *kinds[:3], ShapeMatching, Collider,
    ]  # fmt: skip
    assert kinds[2] is PressureBody


def test_a_game_has_a_material_of_its_own() -> None:
    slime = Material(firmness=5, damping_ratio=0.6, friction=0.1, density=2.0)
    body, *_, collider = blueprints.blob((0, 0), 0.5, material=slime)
    assert collider.friction == 0.1
    assert body.mass.sum() == pytest.approx(2.0 * math.pi / 4)
    assert replace(MATERIALS["rubber"], friction=0.1).firmness == MATERIALS["rubber"].firmness
    with pytest.raises(FrozenInstanceError):
        slime.firmness = 3  # type: ignore[misc]
    with pytest.raises(TypeError):
        MATERIALS["slime"] = slime  # type: ignore[index]


def test_ropes_and_cloth_are_as_much_heavier_as_a_body() -> None:
    for kind in ("rope", "rod", "cloth"):
        plain = BODIES[kind](1.0)[0].mass.sum()
        football = BODIES[kind](1.0, material="football")[0].mass.sum()
        assert football / plain == pytest.approx(MATERIALS["football"].density / 1.3)


@pytest.mark.brief(2)
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_rope_of_a_firmer_material_hangs_less_low(solver: str) -> None:
    found = []
    for name in ("pudding", "jelly", "rubber", "wood"):
        sim = Simulation(world=f"materials rope {next(WORLDS)}", solver=solver)
        body: Particles = blueprints.rope((0, 0), (0, -2), material=name, pin_start=True)[0]
        entity = sim.spawn(
            body, *blueprints.rope((0, 0), (0, -2), material=name, pin_start=True)[1:]
        )
        for _ in range(240):
            sim.step()
        found.append(float(sim.get(entity, Particles).position[:, 1].min()))
        sim.close()
    assert found == sorted(found)
    assert found[0] < -2.1


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize(
    ("material", "message"),
    [
        (
            "ruber",
            (
                r"material: 'ruber' is not allowed \(did you mean rubber\?\); expected one of "
                r"pudding, jelly, rubber"
            ),
        ),
        (
            "steel",
            (
                r"material: 'steel' is not allowed; expected one of pudding, .* or a Material: "
                r"blueprints.Material\("
            ),
        ),
        (3, r"material: 3 is not allowed; expected one of pudding"),
        (Material, r"material: <class .*> is not allowed"),
    ],
)
def test_a_material_that_there_is_not_names_those_that_there_are(
    kind: str, material: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=rf"^{kind}\.{message}"):
        BODIES[kind](1.0, material=material)


@pytest.mark.parametrize("kind", SOFT)
@pytest.mark.parametrize("value", [0, -1, float("nan"), "firm"])
def test_firmness_is_a_number_above_0(kind: str, value: Any) -> None:
    with pytest.raises(
        ValueError, match=rf"^{kind}.firmness: .* is not allowed; expected a finite number > 0"
    ):
        BODIES[kind](1.0, firmness=value)


def test_a_ball_is_hard_in_any_material() -> None:
    with pytest.raises(TypeError, match=r"ball: there is no argument 'firmness'"):
        blueprints.ball((0, 0), 0.5, firmness=3)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("firmness", 0),
        ("firmness", "x"),
        ("damping_ratio", -1),
        ("restitution", 1.5),
        ("restitution", -0.1),
        ("friction", float("nan")),
        ("density", 0),
    ],
)
def test_the_numbers_of_a_material_are_checked(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"^Material.{field}: .* is not allowed; expected"):
        Material(**{field: value})


@pytest.mark.parametrize("kind", CLOSED)
def test_a_bad_size_is_told_as_ever(kind: str) -> None:
    with pytest.raises(ValueError, match=rf"^{kind}\.(radius|size|vertices): "):
        BODIES[kind](-1.0 if kind != "polygon" else float("nan"), material="jelly")


def test_shape_stiffness_and_shape_frequency_are_one_of_them() -> None:
    with pytest.raises(FieldError, match="not allowed beside shape_stiffness") as caught:
        blueprints.box((0, 0), 1.0, shape_stiffness=5.0, shape_frequency=3.0)
    assert (caught.value.owner, caught.value.field) == ("box", "shape_frequency")
    assert caught.value.value == 3.0
    for make in ("blob", "box", "polygon", "wheel"):
        for name in ("shape_frequency", "shape_damping_ratio"):
            with pytest.raises(ValueError, match=rf"{make}.{name}: -1 is not allowed"):
                BODIES[make](1.0, **{name: -1})


def test_a_warning_names_what_is_cut_and_what_makes_the_body_firmer() -> None:
    sim = Simulation(world=f"materials warn {next(WORLDS)}")
    sim.spawn(*blueprints.blob((0, 0), 0.025, pressure=200.0))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sim.step()
    told = [str(one.message) for one in caught]
    gas = next(text for text in told if "PressureBody" in text)
    assert "(200 Pa)" in gas
    assert "substeps, or fewer and heavier particles" in gas
    assert gas.endswith("add ShapeMatching, or blueprints.blob(..., material='rubber').")
    firm = Simulation(world=f"materials warn {next(WORLDS)}")
    firm.spawn(*blueprints.blob((0, 0), 0.025, material="rubber"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        firm.step()
