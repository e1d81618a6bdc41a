"""Odd values: whatever stands for an argument is taken, or refused in a few words that name the
argument.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import ecs_softbody
from ecs_softbody import Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.processors import FORCES
from ecs_softbody.storage import Component

ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)
ODD: dict[str, Any] = {
    "nan": np.nan, "inf": np.inf, "1e308": 1e308, "1e-320": 1e-320, "-1": -1, "2**31": 2**31,
    "2**64": 2**64, "10**400": 10**400, "10**5000": 10**5000, "True": True, "None": None,
    "'1'": "1", "'x'": "x", "1j": 1j, "float32": np.float32(1.5), "uint64": np.uint64(2**63),
    "seconds": np.timedelta64(1, "s"), "no rows": [], "pair": (1.0, 2.0), "texts": ("1", "2"),
    "ragged": [[1, 2], [3]], "in itself": ENDLESS, "0-d": np.array(1.0), "table": np.zeros((3, 2)),
    "cube": np.zeros((2, 2, 2)), "records": np.zeros(2, [("a", "f8")]),
    "pair of huge numbers": [10**400, 1], "dict": {"a": 1}, "object": object(), "function": repr,
    "long text": "x" * 5000, "long list": [0.0] * 5000,
}  # fmt: skip
RING = [(0, 0), (1, 0), (1, 1), (0, 1)]
GIVEN: dict[str, dict[str, Any]] = {
    "Particles": {"position": RING}, "Springs": {"pairs": [(0, 1)], "stiffness": 1.0},
    "AngularSprings": {"triples": [(0, 1, 2)], "stiffness": 1.0}, "AngularMuscles": {"rows": [0]},
    "AreaConstraint": {"outline": [0, 1, 2], "stiffness": 1.0}, "Attachment": {"between": (1, 2)},
    "Collider": {"outline": [0, 1, 2]}, "DistanceLimits": {"pairs": [(0, 1)]},
    "Motor": {"between": (1, 2), "speed": 1.0},
    "MouseJoint": {"entity": 1, "target": (0, 0)}, "Muscles": {"rows": [0]},
    "PressureBody": {"outline": [0, 1, 2], "nRT": 1.0},
    "ShapeMatching": {"stiffness": 1.0}, "StaticCollider": {"vertices": [(0, 0), (1, 0)]},
    "axle": {"chassis": 1, "wheel": 2, "at": (0, 0)},
    "ball": {"center": (0, 0), "radius": 0.5}, "blob": {"center": (0, 0), "radius": 0.5},
    "box": {"center": (0, 0), "size": 1.0}, "cloth": {"center": (0, 0), "size": 1.0},
    "hinge": {"first": 1, "second": 2, "at": (0, 0)}, "polygon": {"vertices": RING},
    "radius_of": {"mass": 1.0}, "rod": {"start": (0, 0), "end": (1, 0)},
    "rope": {"start": (0, 0), "end": (1, 0)}, "wheel": {"center": (0, 0), "radius": 0.5},
}  # fmt: skip
"""What has to be given: any other argument has a default."""


def arguments_of_fields() -> dict[str, dict[str, Any]]:
    """Return arguments for the component of each field, from the example of its force."""
    found: dict[str, dict[str, Any]] = {}

    def spawn(*components: Component) -> int:
        found.update({type(one).__name__: one.arguments() for one in components})
        return 1

    for force in FORCES:
        if force.fields:
            force.example(spawn)
    return {name: given for name, given in found.items() if name not in GIVEN}


GIVEN |= arguments_of_fields()
MAKERS: dict[str, Callable[..., Any]] = {
    name: one
    for name, one in vars(ecs_softbody).items()
    if isinstance(one, type) and issubclass(one, Component)
} | {name: getattr(blueprints, name) for name in blueprints.__all__ if name != "MATERIALS"}
WITHIN = {"ball", "blob", "box", "cloth", "polygon", "rod", "rope", "wheel"}
"""Blueprints of bodies: they hand some of their arguments on to components,
which name their own.
"""


def said(call: Callable[[], object]) -> str:
    """Return what a call says where it refuses."""
    try:
        call()
    except (ValueError, TypeError) as error:
        return str(error)
    return ""


def arguments(make: Callable[..., Any]) -> Iterator[str]:
    for name, parameter in inspect.signature(make).parameters.items():
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            yield name


@pytest.mark.brief(4)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(MAKERS))
def test_odd_values_are_taken_or_refused_by_name(name):
    with Simulation(world="odd values") as sim:
        for place in (0, 2):
            sim.spawn(*blueprints.ball((place, 0), 0.5))
        make = MAKERS[name]
        given = GIVEN.get(name, {})
        for field in arguments(make):
            for odd, value in ODD.items():
                message = said(lambda: make(**{**given, field: value}))  # noqa: B023 - it is called at once
                assert len(message) < 500, (field, odd, message)
                assert not message or re.match(r"[A-Za-z_]+\.[a-z_RTn]+:? ", message), (
                    field,
                    odd,
                    message,
                )
                if message and name not in (*WITHIN, "axle", "hinge"):
                    assert message.startswith(f"{name}."), (field, odd, message)
    sim.close()


ASKED: dict[str, dict[str, Any]] = {
    "advance": {"elapsed": 0.1}, "center": {"entity": 1}, "cut": {"start": (0, 5), "end": (0, 9)},
    "despawn": {"entity": 1}, "exists": {"entity": 1},
    "explode": {"center": (0, 9), "radius": 1.0, "speed": 0.0},
    "interpolated_positions": {"alpha": 0.5}, "is_asleep": {"entity": 1},
    "nearest_particle": {"point": (0, 1)}, "off": {"name": "contact_begin", "handler": repr},
    "on": {"name": "contact_begin", "handler": repr}, "pass_through": {"entity": 1, "platform": 2},
    "pick": {"point": (0, 1)}, "point_query": {"point": (0, 1)},
    "raycast": {"start": (0, 9), "end": (0, 0)}, "raycast_all": {"start": (0, 9), "end": (0, 0)},
    "region_query": {"low": (0, 0), "high": (1, 1)}, "step": {"dt": 0.01}, "wake": {"entity": 1},
}  # fmt: skip
SET = (
    "alpha",
    "frame_dt",
    "gravity",
    "paused",
    "sleeping",
    "solver",
    "speed_limit",
    "substeps",
    "threads",
    "time_scale",
)


@pytest.mark.filterwarnings("ignore")
def test_a_simulation_takes_odd_values_or_refuses_them_by_name_and_goes_on():
    sim = Simulation(world="odd questions")
    sim.spawn(*blueprints.blob((0, 1), 0.5))
    sim.spawn(StaticCollider([(-1, 0), (1, 0)], one_way=(0, 1)))
    beside = sim.spawn(*blueprints.blob((4, 1), 0.5))
    sim.step()
    before = sim.snapshot()
    calls = [
        (getattr(sim, name), name, given, field)
        for name, given in ASKED.items()
        for field in arguments(getattr(sim, name))
    ]
    calls += [(lambda **given: setattr(sim, *given.popitem()), "", {}, field) for field in SET]
    for call, name, given, field in calls:
        for odd, value in ODD.items():
            message = said(lambda: call(**{**given, field: value}))  # noqa: B023 - it is called at once
            assert len(message) < 500, (name, field, odd, message)
            assert not message or message.startswith("Simulation"), (name, field, odd, message)
        sim.restore(before)
    sim.step()
    assert np.abs(sim.get(beside, Particles).position).max() < 6.0
    sim.close()


@pytest.mark.parametrize(
    "asked",
    [
        lambda: blueprints.blob((0, 0), 1.0, particles=300_000),
        lambda: blueprints.box((0, 0), 1.0, rows=500, columns=500),
        lambda: blueprints.rope((0, 0), (1, 0), segments=np.int64(10**12)),
    ],
)
def test_a_body_of_too_many_particles_is_refused_before_it_is_made(asked):
    with pytest.raises(
        ValueError,
        match=(
            r"(particles|rows|columns|segments): .* expected at most 200000 particles in one "
            r"body"
        ),
    ):
        asked()
