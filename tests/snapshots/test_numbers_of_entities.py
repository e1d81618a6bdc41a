"""Entities know their world, but the engine keeps plain numbers: a world is saved at any moment,
whatever a game has done with its entities.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import esper
import pytest

from ecs_softbody import (
    DistanceLimits,
    MouseJoint,
    Simulation,
    Springs,
    StaticCollider,
    blueprints,
    scenes,
)

LINKED = """
[entities.a]
box = {{ center = [0, 1], size = 0.6 }}
[entities.b]
box = {{ center = [0, 3], size = 0.6 }}
[entities.link]
{link} = {{ pairs = [[0, 0]], {values}, between = ["a", "b"] }}
"""


@pytest.mark.parametrize(
    ("link", "values"), [("Springs", "stiffness = 20"), ("DistanceLimits", "maximum = 3")]
)
def test_a_world_with_a_link_of_a_scene_is_saved_after_a_cut(
    tmp_path: Path, link: str, values: str
) -> None:
    path = tmp_path / "linked.toml"
    path.write_text(LINKED.format(link=link, values=values))
    scene = scenes.open(path)
    sim = scene.sim
    sim.step()
    assert len(sim.cut((-3, 2.9), (3, 3.1), entity=scene["b"])) == 1
    _check_saved(sim)


def _check_saved(sim: Simulation) -> None:
    """Check that another world goes on from a file as this one does."""
    data = sim.snapshot().to_bytes()
    other = Simulation(world="numbers, a copy")
    other.restore(data)
    for each in (sim, other):
        each.step()
    assert sim.state_hash() == other.state_hash()
    for each in (sim, other):
        each.close()


def _add_component(sim: Simulation, a: int, b: int, wall: int) -> None:
    with sim:
        esper.add_component(a, DistanceLimits([[0, 1]]))


def _replace_component(sim: Simulation, a: int, b: int, wall: int) -> None:
    with sim:
        esper.add_component(a, sim.get(a, Springs).copied())


def _write_between(sim: Simulation, a: int, b: int, wall: int) -> None:
    limits = DistanceLimits([[0, 1]])
    limits.between = a, b
    sim.spawn(limits)


def _write_entity(sim: Simulation, a: int, b: int, wall: int) -> None:
    with sim:
        joint = MouseJoint(a, target=(0.0, 1.0))
    joint.entity = b
    sim.spawn(joint)


def _drop_through(sim: Simulation, a: int, b: int, wall: int) -> None:
    sim.pass_through(a, wall)


def _despawn(sim: Simulation, a: int, b: int, wall: int) -> None:
    sim.despawn(a)


@pytest.mark.parametrize(
    "act",
    [_add_component, _replace_component, _write_between, _write_entity, _drop_through, _despawn],
)
def test_a_world_is_saved_after_anything_done_with_entities(
    sim: Simulation, act: Callable[[Simulation, int, int, int], None]
) -> None:
    a, b = (sim.spawn(*blueprints.blob((x, 0.6), 0.5, particles=8)) for x in (-1.0, 1.0))
    wall = sim.spawn(StaticCollider([(-5, 0), (5, 0)], one_way=(0, 1)))
    sim.step()
    act(sim, a, b, wall)
    sim.raycast((0, 5), (0, 4))  # packs what came
    _check_saved(sim)
