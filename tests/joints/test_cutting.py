"""Bodies with joints that are cut or tear: joints go on at the piece that has their rows, others
end and tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import esper
import numpy as np
import pytest

from ecs_softbody import (
    Attachment,
    Collider,
    DistanceLimits,
    Motor,
    MouseJoint,
    Particles,
    Simulation,
    Tearing,
    blueprints,
)
from tests.helpers.stepping import run_frames

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")
MIDDLE = (0.05, -3), (0.05, 3)
RIGHT = (0.72, -3), (0.78, 3)


class World:
    """A simulation, and what it tells of links and cuts."""

    def __init__(self) -> None:
        self.sim = Simulation(world="cut joints")
        self.removed: list[tuple[int, type]] = []
        self.pieces: dict[int, tuple[int, ...]] = {}
        self.hear: list[Any] = [self.remove, self.cut]
        with self.sim:
            esper.set_handler("link_removed", self.hear[0])
            esper.set_handler("body_cut", self.hear[1])

    def remove(self, entity: int, kind: type, gone: int) -> None:
        self.removed.append((entity, kind))

    def cut(self, entity: int, pieces: tuple[int, ...]) -> None:
        self.pieces[entity] = pieces

    def part(self, entity: int, kind: type) -> Any:
        with self.sim:
            return esper.component_for_entity(entity, kind)

    def step(self, frames: int) -> None:
        run_frames(self.sim, frames)
        assert np.isfinite(self.sim.buffers[Particles].rows["position"]).all()


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.sim.close()


def anchor(world: World, joint: int, kind: type) -> tuple[Any, Any]:
    """Return where both anchors of a joint are; the second is None without a second body."""
    held = world.part(joint, kind)
    owners = held.row_owners(joint)
    places = [
        held.weight[held.side == side]
        @ world.part(owner, Particles).position[held.rows[held.side == side]]
        for side, owner in enumerate(owners)
    ]
    return places[0], places[1] if len(places) > 1 else None


@pytest.mark.parametrize("cut", [MIDDLE, RIGHT])
def test_a_hinge_goes_on_at_the_piece_that_it_is_at(world: World, cut: Any) -> None:
    a = world.sim.spawn(*blueprints.box((0, 0), (2, 1)))
    b = world.sim.spawn(*blueprints.box((2.2, 0), (2, 1)))
    hinge = world.sim.spawn(Attachment((a, b), at=(1.1, 0)))
    nail = world.sim.spawn(Attachment((a, None), at=(-0.9, 0)))
    world.step(2)
    assert world.sim.cut(*cut)
    world.step(60)
    left, right = sorted(
        world.pieces[a], key=lambda piece: world.part(piece, Particles).position[:, 0].mean()
    )
    assert world.part(hinge, Attachment).between == (right, b)
    assert world.part(nail, Attachment).between == (left, None)
    assert world.removed == []
    first, second = anchor(world, hinge, Attachment)
    assert first == pytest.approx(second, abs=1e-4)
    assert anchor(world, nail, Attachment)[0] == pytest.approx((-0.9, 0), abs=1e-4)


@pytest.mark.parametrize("cut", [MIDDLE, RIGHT])
def test_a_cut_car_keeps_its_wheels_and_motors(world: World, cut: Any) -> None:
    world.sim.gravity = (0.0, 0.0)
    car = world.sim.spawn(*blueprints.box((0, 0), (2.4, 0.5)))
    wheels = [world.sim.spawn(*blueprints.wheel((x, -0.8), 0.2)) for x in (-0.6, 1.0)]
    axles = [
        world.sim.spawn(*blueprints.axle(car, wheel, (x, -0.2), speed=3.0))
        for wheel, x in zip(wheels, (-0.6, 1.0), strict=True)
    ]
    world.step(2)
    assert world.sim.cut(*cut)
    world.step(20)
    left, right = sorted(
        world.pieces[car], key=lambda piece: world.part(piece, Particles).position[:, 0].mean()
    )
    for axle, piece in zip(axles, (left, right), strict=True):
        assert world.part(axle, Attachment).between[0] == piece
        assert world.part(axle, Motor).between == world.part(axle, Attachment).between
    assert world.removed == []


@pytest.mark.slow
def test_a_body_that_is_held_by_the_mouse_is_held_by_one_piece(world: World) -> None:
    world.sim.gravity = (0.0, 0.0)
    body = world.sim.spawn(*blueprints.box((0, 0), (2, 1)))
    mouse = world.sim.spawn(MouseJoint(body, target=(0.0, 0.0), damping_ratio=1.0))
    world.step(2)
    world.sim.cut(*RIGHT)
    world.step(1)
    large = max(world.pieces[body], key=lambda piece: world.part(piece, Particles).mass.sum())
    assert world.part(mouse, MouseJoint).entity == large
    assert world.part(mouse, MouseJoint).weight.sum() == pytest.approx(1.0)
    world.part(mouse, MouseJoint).target = (-2.0, 1.0)
    world.step(240)
    assert anchor(world, mouse, MouseJoint)[0] == pytest.approx((-2.0, 1.0), abs=0.01)


def test_limits_between_bodies_go_on_at_both_pieces(world: World) -> None:
    a = world.sim.spawn(*blueprints.box((0, 0), (2, 1)))
    b = world.sim.spawn(*blueprints.box((0, 3), (2, 1)))
    ends = [(k, k) for k in range(0, world_rows(world, a), 3)]
    world.sim.spawn(DistanceLimits(ends, between=(a, b)))
    world.step(2)
    world.sim.cut((0.05, -1), (0.05, 1.5))
    world.step(30)
    with world.sim:
        found = [component for _, component in esper.get_component(DistanceLimits)]
    assert {component.between for component in found} == {(piece, b) for piece in world.pieces[a]}
    assert sum(component.row_count for component in found) == len(ends)


def world_rows(world: World, entity: int) -> int:
    return int(world.part(entity, Particles).row_count)


def test_an_anchor_at_an_edge_that_the_cut_parts_is_removed_and_told(world: World) -> None:
    body = blueprints.box((0, 0), (2, 1))
    place = body[0].position.copy()
    low = np.flatnonzero(place[:, 1] == place[:, 1].min())
    low = low[np.argsort(place[low, 0])]
    edge = tuple(int(row) for row in low[[len(low) // 2 - 1, len(low) // 2]])
    entity = world.sim.spawn(*body)
    nail = world.sim.spawn(Attachment((entity, None), rows=(edge,)))
    world.step(2)
    x = float(place[list(edge), 0].mean()) + 0.01
    assert world.sim.cut((x, -3), (x, 3))
    world.step(10)
    assert world.removed == [(nail, Attachment)]
    with world.sim:
        assert esper.entity_exists(nail)
        assert not esper.has_component(nail, Attachment)


@pytest.mark.brief(5)
@pytest.mark.parametrize("seed", range(5))
def test_random_cuts_of_a_chain_of_bodies_never_raise(world: World, seed: int) -> None:
    rng = np.random.default_rng(seed)
    bodies = [world.sim.spawn(*blueprints.box((1.1 * k, 0), 1.0)) for k in range(3)]
    for a, b in pairwise(bodies):
        world.sim.spawn(
            Attachment((a, b), rows=((1, 2, 3, 4, 5), None)),
            Motor((a, b), speed=1.0, max_torque=0.1),
        )
        world.sim.spawn(DistanceLimits([(0, 0), (7, 7)], between=(a, b)))
    world.sim.spawn(MouseJoint(bodies[1], rows=4, target=(1, 1)), Attachment((bodies[0], None)))
    for _ in range(8):
        world.step(3)
        centre = world.sim.buffers[Particles].rows["position"].mean(axis=0)
        along = rng.normal(size=2)
        world.sim.cut(centre - 5 * along, centre + 5 * along)
    world.step(30)


@pytest.mark.slow
def test_a_body_that_tears_takes_its_joints_along(world: World) -> None:
    a = world.sim.spawn(*blueprints.box((0, 0), (2, 1)), Tearing(strain=0.3))
    load = world.sim.spawn(*blueprints.box((2.2, 0), (2, 1), mass=3000.0))
    nail = world.sim.spawn(Attachment((a, None), at=(-0.8, 0)))
    hinge = world.sim.spawn(Attachment((a, load), at=(1.1, 0)), MouseJoint(a, target=(0, 3)))
    world.step(150)
    with world.sim:
        assert not esper.entity_exists(a)
        for joint in (nail, hinge):
            held = esper.try_component(joint, Attachment)
            assert (held is None) == ((joint, Attachment) in world.removed)


@pytest.mark.parametrize("collider", [False, True])
def test_a_rope_of_limits_is_cut_in_two(world: World, collider: bool) -> None:
    place = np.column_stack((np.linspace(0, 3, 31), np.zeros(31)))
    chain = np.column_stack((np.arange(30), np.arange(1, 31)))
    parts: list[Any] = [
        Particles(place, mass=0.01, pinned=np.arange(31) == 0, radius=0.03),
        DistanceLimits(chain),
    ]
    if collider:
        parts.append(Collider(outline=np.arange(31), closed=False))
    rope = world.sim.spawn(*parts)
    load = world.sim.spawn(*blueprints.ball((3.0, 0.0), 0.1))
    hook = world.sim.spawn(Attachment((rope, load), rows=(30, None)))
    world.step(5)
    assert world.sim.cut((1.55, 2), (1.55, -3))
    world.step(60)
    first, second = world.pieces[rope]
    limits = [world.part(piece, DistanceLimits) for piece in (first, second)]
    assert [part.row_count for part in limits] == [15, 14]
    for piece in (first, second):
        ends = np.diff(world.part(piece, Particles).position, axis=0)
        assert np.hypot(*ends.T).max() < 0.1 * (1.0 + 1e-6)
    assert world.part(hook, Attachment).between == (second, load)
    assert world.part(second, Particles).position[:, 1].max() < -2.0
    assert world.sim.buffers[Particles].rows["mass"].sum() == pytest.approx(
        0.31 + world.part(load, Particles).mass.sum(), rel=1e-12
    )
