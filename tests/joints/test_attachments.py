"""Attachments, motors and mouse joints: exact momenta, axles that drive and hold, and links that
end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import esper
import numpy as np
import pytest

from ecs_softbody import (
    Attachment,
    Collider,
    DistanceLimits,
    Drag,
    Motor,
    MouseJoint,
    Particles,
    Simulation,
    Springs,
    StaticCollider,
    blueprints,
)
from tests.helpers.measures import part
from tests.helpers.stepping import run_frames


@pytest.fixture
def sim() -> Iterator[Simulation]:
    made = Simulation(world="attachments", gravity=(0, 0))
    yield made
    made.close()


def body(
    count: int, mass: float, at: tuple[float, float], velocity: tuple[float, float]
) -> tuple[Any, ...]:
    if count == 1:
        return (Particles([at], mass=mass, velocity=velocity, radius=0.1),)
    if count == 2:
        ends = [at, (at[0] + 1.0, at[1])]
        return Particles(ends, mass=0.5 * mass, velocity=velocity, radius=0.1), Springs(
            [(0, 1)], stiffness=100.0
        )
    return blueprints.box(at, 1.0, mass=mass, velocity=velocity)[:3]


def momenta(sim: Simulation) -> tuple[Any, float, float, float]:
    rows = sim.buffers[Particles].rows
    mass = rows["mass"]
    place = rows["position"]
    motion = rows["velocity"]
    turning = mass * (place[:, 0] * motion[:, 1] - place[:, 1] * motion[:, 0])
    turning += 0.5 * mass * rows["radius"] ** 2 * rows["angular_velocity"]
    size = mass * np.hypot(*motion.T)
    return (
        (mass[:, None] * motion).sum(axis=0),
        turning.sum(),
        size.sum(),
        (size * (1.0 + np.hypot(*place.T))).sum(),
    )


@pytest.mark.brief(7)
@pytest.mark.parametrize("touching", [False, True])
@pytest.mark.parametrize("ratio", [1.0, 1e3, 1e6])
@pytest.mark.parametrize("second", [1, 2, 36])
@pytest.mark.parametrize("first", [1, 2, 36])
def test_momenta_are_kept_between_unequal_bodies(
    sim: Simulation, first: int, second: int, ratio: float, touching: bool
) -> None:
    a = sim.spawn(*body(first, 1.0, (0, 0), (1, 2)), *([Collider()] if touching else []))
    b = sim.spawn(*body(second, ratio, (0.5, 0.3), (-1, 0.5)), *([Collider()] if touching else []))
    sim.spawn(Attachment((a, b), at=(0.2, 0.2), collide=touching))
    sim.step()
    for _ in range(60):
        linear, turning, _, _ = momenta(sim)
        sim.step()
        linear_after, turning_after, size, scale = momenta(sim)
        assert np.abs(linear_after - linear).max() <= 1e-12 * size
        assert abs(turning_after - turning) <= 1e-12 * scale


def test_an_attachment_keeps_its_bodies_together(sim: Simulation) -> None:
    sim.gravity = (0.0, -9.81)
    a = sim.spawn(*blueprints.box((0, 0), 1.0)[:3])
    b = sim.spawn(*blueprints.box((1.2, 0), 1.0)[:3])
    nail = sim.spawn(Attachment((a, None), at=(0, 0.4)))
    sim.spawn(Attachment((a, b), at=(0.6, 0.0)), DistanceLimits([(0, 1)], between=(a, a)))
    run_frames(sim, 120)
    held = part(sim, nail, Attachment)
    place = held.weight @ part(sim, a, Particles).position
    assert place == pytest.approx((0, 0.4), abs=1e-9)


@pytest.mark.slow
def test_a_motor_reaches_its_speed_and_its_reaction_cancels(sim: Simulation) -> None:
    box = sim.spawn(*blueprints.box((0, 0), (2, 0.6), mass=5.0)[:3])
    wheel = sim.spawn(*blueprints.wheel((0.5, 0.0), 0.4, mass=1.0))
    sim.spawn(*blueprints.axle(box, wheel, (0.5, 0.0), speed=6.0, max_torque=5.0))
    sim.step()
    for _ in range(240):
        before = momenta(sim)
        sim.step()
        after = momenta(sim)
        assert abs(after[1] - before[1]) <= 1e-12 * after[3]
    speeds = [part(sim, entity, Particles).pose().angular_velocity for entity in (box, wheel)]
    assert speeds[1] - speeds[0] == pytest.approx(6.0, rel=0.01)


@pytest.mark.slow
def test_a_car_drives_up_a_slope_and_stops_on_it(sim: Simulation) -> None:
    sim.gravity = (0.0, -9.81)
    slope = np.radians(20.0)
    up = np.array([np.cos(slope), np.sin(slope)])
    normal = np.array([-up[1], up[0]])
    sim.spawn(StaticCollider([-20.0 * up, 40.0 * up], friction=1.0))
    turn = np.array([up, normal])
    chassis, springs, matching = blueprints.box((0, 0), (1.6, 0.4), mass=4.0, shape_frequency=21.0)[
        :3
    ]
    chassis.position = chassis.position @ turn + 0.75 * normal
    car = sim.spawn(chassis, springs, matching)
    wheels = []
    motors = []
    for side in (-0.6, 0.6):
        place = side * up + 0.45 * normal
        wheels.append(sim.spawn(*blueprints.wheel(place, 0.4, mass=1.0)))
        motors.append(
            sim.spawn(*blueprints.axle(car, wheels[-1], place, speed=-6.0, max_torque=40.0))
        )
    run_frames(sim, 180)
    climbed = float(part(sim, car, Particles).position.mean(axis=0) @ up)
    assert climbed > 2.0
    for motor in motors:
        part(sim, motor, Motor).speed = 0.0
    # the soft wheels shake when they are braked at once, and slide meanwhile, for 2 to 6 s
    run_frames(sim, 420)
    stopped = float(part(sim, car, Particles).position.mean(axis=0) @ up)
    run_frames(sim, 120)
    assert float(part(sim, car, Particles).position.mean(axis=0) @ up) == pytest.approx(
        stopped, abs=0.02
    )


@pytest.mark.brief(3)
@pytest.mark.parametrize("frequency", [0.5, 4.0, 1000.0])
def test_a_mouse_joint_brings_a_body_to_its_target(sim: Simulation, frequency: float) -> None:
    box = sim.spawn(*blueprints.box((0, 0), 1.0)[:3])
    mouse = sim.spawn(MouseJoint(box, target=(0, 0), frequency=frequency, damping_ratio=1.0))
    sim.step()
    part(sim, mouse, MouseJoint).target = (2.0, 1.0)
    run_frames(sim, 300)
    assert part(sim, box, Particles).pose().position == pytest.approx((2.0, 1.0), abs=0.01)


def test_a_mouse_joint_pulls_no_harder_than_it_may(sim: Simulation) -> None:
    box = sim.spawn(*blueprints.box((0, 0), 1.0, mass=2.0)[:3])
    mouse = sim.spawn(MouseJoint(box, target=(100.0, 0.0), max_force=3.0))
    run_frames(sim, 60)
    assert part(sim, mouse, MouseJoint).force == pytest.approx((3.0, 0.0), abs=1e-6)
    assert part(sim, box, Particles).pose().velocity[0] == pytest.approx(1.5, rel=0.01)


def test_a_broken_attachment_is_told_once_and_leaves_its_entity(sim: Simulation) -> None:
    sim.gravity = (0.0, -9.81)
    box = sim.spawn(*blueprints.box((0, 0), 1.0, mass=2.0)[:3])
    nail = sim.spawn(Attachment((box, None), at=(0, 0), break_force=15.0))
    told: list[Any] = []

    def hear(entity: int, kind: type, row: int, force: float) -> None:
        told.append((entity, kind, row))
        assert force > 15.0
        sim.spawn(Particles([(5, 5)]))

    with sim:
        esper.set_handler("joint_broken", hear)
    run_frames(sim, 30)
    assert told == [(nail, Attachment, 0)]
    with sim:
        assert esper.entity_exists(nail)
        assert not esper.has_component(nail, Attachment)
    assert part(sim, box, Particles).velocity[:, 1].max() < -3.0


def test_a_joint_of_a_deleted_body_goes_and_tells(sim: Simulation) -> None:
    a, b = (sim.spawn(*blueprints.box((x, 0), 1.0)[:3]) for x in (0, 1))
    joint = sim.spawn(Attachment((a, b), at=(0.5, 0)), Motor((a, b), speed=1.0))
    told: list[Any] = []

    def hear(*event: Any) -> None:
        told.append(event)

    with sim:
        esper.set_handler("link_removed", hear)
    sim.step()
    sim.despawn(b)
    sim.step()
    assert {event[:2] for event in told} == {(joint, Attachment), (joint, Motor)}
    sim.step()


def test_a_hanging_body_sleeps_and_wakes_with_its_mouse(sim: Simulation) -> None:
    sim.gravity = (0.0, -9.81)
    box = sim.spawn(*blueprints.box((0, 0), 1.0)[:3])
    mouse = sim.spawn(MouseJoint(box, target=(0, 0), damping_ratio=1.0))
    for _ in range(600):
        sim.step()
        if sim.is_asleep(box):
            break
    assert sim.is_asleep(box)
    part(sim, mouse, MouseJoint).target = (1.0, 0.0)
    sim.step()
    assert not sim.is_asleep(box)


def bad_joints(a: int) -> dict[str, Any]:
    gone = 999
    return {
        "deleted": lambda: Attachment((a, gone)),
        "negative threshold": lambda: Attachment((a, None), break_force=-1.0),
        "rows outside": lambda: Attachment((a, None), rows=(99,)),
        "same particle": lambda: Attachment((a, a), rows=(0, 0)),
        "not a number": lambda: Attachment((a, None), at=(np.nan, 0)),
        "minimum above maximum": lambda: DistanceLimits([(0, 1)], maximum=1.0, minimum=2.0),
        "twice the same": lambda: DistanceLimits([(1, 1)]),
        "limit of a deleted one": lambda: DistanceLimits([(0, 1)], between=(a, gone)),
        "motor of one body": lambda: Motor((a, a), speed=1.0),
        "negative torque": lambda: Motor((None, a), speed=1.0, max_torque=-1.0),
        "mouse of nobody": lambda: MouseJoint(gone, target=(0, 0)),
        "frequency": lambda: MouseJoint(a, target=(0, 0), frequency=0.0),
    }


@pytest.mark.parametrize("case", list(bad_joints(0)))
def test_bad_input_is_one_clear_error(sim: Simulation, case: str) -> None:
    with sim:
        entity = sim.spawn(*blueprints.box((0, 0), 1.0))
        with pytest.raises(ValueError, match=r"(is|are) not allowed"):
            bad_joints(entity)[case]()
    sim.step()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_joints_stay_finite(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sim = Simulation(world="random joints", substeps=int(rng.integers(1, 9)))
    dt = float(rng.choice([1 / 10, 1 / 60, 1 / 240]))
    count = int(rng.integers(3, 15))
    cloud = Particles(
        rng.normal(size=(count, 2)),
        mass=10.0 ** rng.uniform(-3, 3, count),
        pinned=rng.random(count) < 0.15,
        velocity=10.0 * rng.normal(size=(count, 2)),
        radius=0.05,
    )
    entity = sim.spawn(cloud, Collider())
    pairs = rng.integers(count, size=(3 * count, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    sim.spawn(
        DistanceLimits(
            pairs,
            between=(entity, entity),
            minimum=0.1,
            maximum=rng.choice([0.5, 1, 2], len(pairs)),
        )
    )
    sim.spawn(Attachment((entity, entity), rows=(0, 1)))
    sim.spawn(Attachment((entity, None), rows=(2,), at=(0, 0)))
    for _ in range(100):
        sim.step(dt)
    assert np.isfinite(part(sim, entity, Particles).position).all()
    sim.close()


@pytest.mark.parametrize("ratio", [1.0, 100.0, 1e4])
def test_attached_bodies_do_not_touch_unless_they_are_told_to(
    sim: Simulation, ratio: float
) -> None:
    heavy = sim.spawn(*blueprints.box((0, 0), 1.0, mass=ratio, velocity=(0, 1.0)))
    light = sim.spawn(*blueprints.box((0.8, 0), 1.0, mass=1.0, velocity=(0, 1.0)))
    joint = sim.spawn(Attachment((heavy, light), at=(0.4, 0.0)))
    run_frames(sim, 60)
    assert not len(sim.touching)
    with sim:
        velocity = np.concatenate(
            [esper.component_for_entity(one, Particles).velocity for one in (heavy, light)]
        )
    assert velocity == pytest.approx(np.tile((0.0, 1.0), (len(velocity), 1)), abs=1e-9)
    part(sim, joint, Attachment).collide = True
    sim.step()
    assert sim.touching.tolist() == [[heavy, light]]


def test_a_row_in_both_anchors_is_named():
    sim = Simulation()
    entity = sim.spawn(Particles([(0, 0), (1, 0)]))
    said = "^Attachment.rows: row 0 in both anchors is not allowed; expected different particles$"
    with pytest.raises(ValueError, match=said):
        Attachment((entity, entity), rows=([0], [0, 1]))


@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize("substeps", [2, 4, 8, 16])
@pytest.mark.parametrize("ratio", [1.0, 30.0, 1e3])
def test_a_ball_on_the_end_of_a_rope_keeps_momentum(
    ratio: float, substeps: int, solver: str
) -> None:
    """Both anchors are single particles that coincide but for rounding: the inertia of these two
    alone would make every torque a huge turn.
    """
    with Simulation(world="end", gravity=(0, 0), substeps=substeps, solver=solver) as sim:
        rope, *springs = (
            each for each in blueprints.rope((0.0, 0.0), (1.0, 0.0)) if not isinstance(each, Drag)
        )
        last = rope.row_count - 1
        mass = ratio * float(rope.mass.sum())
        ball = Particles([rope.position[last]], mass=mass, velocity=(1.0, 3.0), radius=0.1)
        sim.spawn(Attachment((sim.spawn(ball), sim.spawn(rope, *springs)), rows=(0, last)))
        before = mass * ball.velocity[0]
        energy = 0.5 * mass * 10.0
        for _ in range(120):
            sim.step()
            assert np.allclose(momenta(sim)[0], before, rtol=0.0, atol=1e-12 * mass)
            assert np.hypot(*(ball.position[0] - rope.position[last])) < 1e-9
            moving = 0.5 * mass * float((ball.velocity[0] ** 2).sum())
            moving += 0.5 * float(rope.mass @ (rope.velocity**2).sum(axis=1))
            assert moving < 1.01 * energy


@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize("substeps", [2, 8, 16])
@pytest.mark.parametrize("speed", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("kind", ["box", "ball"])
def test_what_hangs_follows_a_place_that_a_game_moves(
    kind: str, speed: float, substeps: int, solver: str
) -> None:
    """A place has no velocity, so the joint is behind: by what it corrects in a substep."""
    with Simulation(world="crane", substeps=substeps, solver=solver) as sim:
        parts = (
            blueprints.box((0.0, 0.0), 0.4) if kind == "box" else blueprints.ball((0.0, 0.0), 0.2)
        )
        row = int(np.argmax(parts[0].position[:, 1]))
        x, y = parts[0].position[row]
        crane = Attachment((sim.spawn(*parts), None), rows=(row,), at=(x, y))
        sim.spawn(crane)
        for frame in range(1, 121):
            crane.at[:] = x + speed * frame / 60.0, y
            sim.step()
            behind = 3.0 * speed / (60.0 * substeps)
            assert np.hypot(*(parts[0].position[row] - crane.at)) < behind
