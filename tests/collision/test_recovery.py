"""Bodies that start inside, through or across each other come apart in seconds,
and nothing jumps.
"""

import numpy as np
import pytest

from ecs_softbody import Collider, Simulation, StaticCollider, blueprints
from tests.helpers.outlines import UNTANGLED, crossings_between, points_inside, tangles
from tests.helpers.stepping import run_frames

blob = blueprints.blob
box = blueprints.box
rope = blueprints.rope
ball = blueprints.ball


def outline_of(parts):
    body = parts[0]
    outline = next(part for part in parts if isinstance(part, Collider)).outline
    return body.position[np.asarray(outline, int)]


def run_apart(*bodies, seconds=6.0, gravity=(0, 0), walls=()):
    """Step bodies (tuples of components); return the greatest speed and change of momentum over
    mass.
    """
    sim = Simulation(gravity=gravity)
    for parts in bodies:
        sim.spawn(*parts)
    for wall in walls:
        sim.spawn(wall)
    peak = 0.0
    for _ in range(round(60 * seconds)):
        sim.step()
        peak = max(peak, *(float(np.hypot(*parts[0].velocity.T).max()) for parts in bodies))
    return peak


@pytest.mark.brief(9)
@pytest.mark.parametrize("shift", [0.0, 1e-6, 0.001, 0.1, 0.3, 0.5, 0.8])
def test_blobs_in_the_same_place_come_apart(shift):
    bodies = blob((0, 0), 0.5), blob((shift, 0.03 * shift), 0.5)
    assert run_apart(*bodies) < 3.0
    assert tangles([outline_of(parts) for parts in bodies]) == UNTANGLED


@pytest.mark.brief(9)
@pytest.mark.parametrize(
    "make",
    [
        lambda: (blob((0, 0), 1.0), blob((0.2, 0), 0.3)),
        lambda: (blob((0, 0), 0.5, mass=100.0), blob((0.2, 0.1), 0.5, mass=0.1)),
        lambda: (box((0, 0), 1.0), box((0.3, 0.1), 1.0, angle=0.5)),
        lambda: (box((0, 0), 0.4), box((0, 0), 3.0)),
        lambda: (box((0, 0), (3.0, 0.5)), box((0, 0), (0.5, 3.0))),
        lambda: (
            blueprints.polygon([(-2, -0.1), (2, -0.1), (2, 0.1), (-2, 0.1)]),
            blueprints.polygon([(-0.1, -2), (0.1, -2), (0.1, 2), (-0.1, 2)]),
        ),
        lambda: tuple(blob((0.15 * k, 0.1 * (k % 2)), 0.5) for k in range(5)),
    ],
    ids=[
        "small in large",
        "light in heavy",
        "turned boxes",
        "box in box",
        "bars",
        "coarse bars",
        "five",
    ],
)
def test_bodies_inside_and_through_each_other_come_apart(make):
    bodies = make()
    assert run_apart(*bodies) < 4.0
    assert tangles([outline_of(parts) for parts in bodies]) == UNTANGLED


@pytest.mark.brief(4)
@pytest.mark.parametrize("pinned", [False, True])
@pytest.mark.parametrize("start", [-2.0, -0.9])
def test_a_rope_through_a_blob_gets_out(start, pinned):
    line = rope((start, 0.1), (1.0, 0.1), segments=20, pin_start=pinned, pin_end=pinned)
    body = blob((0, 0), 0.5)
    assert run_apart(body, line) < 4.0
    assert crossings_between(outline_of(line), outline_of(body), (False, True)) == 0
    assert points_inside(line[0].position, outline_of(body)) == 0


def test_the_end_of_a_rope_slips_out_of_a_blob():
    line = rope((-2.0, 0.1), (0.1, 0.1), segments=14)
    body = blob((0, 0), 0.5)
    assert run_apart(body, line) < 4.0
    assert points_inside(line[0].position, outline_of(body)) == 0


@pytest.mark.brief(3)
@pytest.mark.parametrize("shift", [0.0, 0.1, 0.7])
def test_crossed_ropes_slip_off_each_other(shift):
    one = rope((-1, -1), (1, 1), segments=20)
    other = rope((-1 + shift, 1), (1 + shift, -1), segments=20)
    assert run_apart(one, other) < 4.0
    assert crossings_between(one[0].position, other[0].position, (False, False)) == 0


def test_a_ball_in_a_blob_is_put_out():
    inner = ball((0.1, 0.1), 0.1)
    outer = blob((0, 0), 0.5)
    assert run_apart(outer, inner) < 4.0
    assert points_inside(inner[0].position, outline_of(outer)) == 0


@pytest.mark.slow
def test_on_the_ground_they_come_apart_too():
    bodies = blob((0, 0.5), 0.5), blob((0.05, 0.55), 0.5), box((0.1, 0.6), 0.8)
    peak = run_apart(*bodies, gravity=(0, -9.81), walls=[StaticCollider([(-9, 0), (9, 0)])])
    assert peak < 6.0
    assert tangles([outline_of(parts) for parts in bodies]) == UNTANGLED


def test_bodies_that_may_not_touch_are_left_inside_each_other():
    outer = blob((0, 0), 1.0, category=2)
    inner = blob((0.1, 0), 0.3, mask=1)
    run_apart(outer, inner, seconds=2.0)
    assert points_inside(inner[0].position, outline_of(outer)) == 24


def test_momentum_stays_while_they_come_apart():
    sim = Simulation(gravity=(0, 0))
    bodies = [blob((0.15 * k, 0.1 * (k % 2)), 0.5, mass=1.0 + k)[:] for k in range(4)]
    bodies += [box((0.2, 0.3), 0.8), rope((-1, 0.2), (1, 0.3))[:2] + rope((-1, 0.2), (1, 0.3))[3:]]
    for parts in bodies:
        sim.spawn(*parts)
    run_frames(sim, 180)
    momentum = sum((parts[0].mass[:, None] * parts[0].velocity).sum(axis=0) for parts in bodies)
    turning = sum(
        (
            parts[0].mass
            * (
                parts[0].position[:, 0] * parts[0].velocity[:, 1]
                - parts[0].position[:, 1] * parts[0].velocity[:, 0]
            )
        ).sum()
        for parts in bodies
    )
    assert max(float(np.hypot(*parts[0].velocity.T).max()) for parts in bodies) > 0.5
    assert np.abs(momentum).max() < 1e-11
    assert abs(turning) < 1e-11


WALLS = {
    "line": lambda: StaticCollider([(-9, 0), (9, 0)]),
    "block": lambda: StaticCollider([(-9, -0.6), (9, -0.6), (9, 0), (-9, 0)], closed=True),
    "thick line": lambda: StaticCollider([(-9, -0.3), (9, -0.3)], radius=0.3),
    "moving line": lambda: StaticCollider([(-9, 0), (9, 0)], velocity=(0.0, 0.2)),
}


@pytest.mark.brief(20)
@pytest.mark.parametrize("wall", WALLS)
@pytest.mark.parametrize("depth", [0.02, 0.2, 0.45])
@pytest.mark.parametrize(
    "make", [lambda y: blob((0, y), 0.5), lambda y: box((0, y), 1.0)], ids=["blob", "box"]
)
def test_a_body_made_across_the_ground_gets_onto_it(make, depth, wall):
    """It is lifted to the side where its middle is, without a jump."""
    parts = make(0.5 - depth)
    ground = WALLS[wall]()
    assert run_apart(parts, seconds=3.0, gravity=(0, -9.81), walls=[ground]) < 3.0
    assert parts[0].position[:, 1].min() > ground.vertices[:, 1].max() + ground.radius - 0.01


def test_a_body_too_large_for_a_block_gets_out_of_it():
    parts = blob((0, -0.1), 0.5)
    run_apart(parts, seconds=3.0, gravity=(0, -9.81), walls=[WALLS["block"]()])
    assert parts[0].position[:, 1].min() > -0.01


def test_a_room_takes_back_what_is_made_across_its_wall():
    parts = blob((4.8, 0), 0.5)
    run_apart(
        parts,
        seconds=3.0,
        walls=[StaticCollider([(-5, -5), (5, -5), (5, 5), (-5, 5)], closed=True)],
    )
    assert parts[0].position[:, 0].max() < 5.0


@pytest.mark.slow
def test_a_rope_with_its_end_pinned_in_a_wall_hangs_in_peace():
    parts = rope((0, 0.5), (2, 0.5), pin_start=True)
    run_apart(
        parts,
        seconds=8.0,
        gravity=(0, -9.81),
        walls=[StaticCollider([(-1, 1), (0.2, 1), (0.2, 0), (-1, 0)])],
    )
    assert np.hypot(*parts[0].velocity.T).max() < 0.5


@pytest.mark.slow
@pytest.mark.sample(12)
@pytest.mark.parametrize("depth", [0.0, 0.02, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("friction", [0.0, 0.9])
@pytest.mark.parametrize("substeps", [4, 8, 16, 32])
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_a_bridge_whose_ends_are_pinned_in_the_edges_of_a_gorge_is_not_flung(
    depth, friction, substeps, solver
):
    """A corner presses on a link close to the end that cannot move: 800 m/s where the other end was
    moved by meters.
    """
    sim = Simulation(substeps=substeps, solver=solver)
    sim.spawn(StaticCollider([(-20, 0), (8, 0), (8, -12)], friction=0.5))
    sim.spawn(StaticCollider([(18, -12), (18, 0), (30, 0)], friction=0.5))
    parts = rope(
        (8, -depth),
        (18, -depth),
        segments=30,
        mass=6,
        frequency=80,
        damping_ratio=0.08,
        slack=0.03,
        pin_start=True,
        pin_end=True,
        friction=friction,
        thickness=0.3,
    )
    sim.spawn(*parts)
    for _ in range(150):
        sim.step(1 / 60)
        assert np.hypot(*parts[0].velocity.T).max() < 20.0


@pytest.mark.brief(6)
@pytest.mark.parametrize("speed", [5.0, 20.0, 60.0])
@pytest.mark.parametrize("thickness", [0.05, 0.1])
def test_a_thin_rope_thrown_at_another_does_not_pass(speed, thickness):
    """Their particles are 0.2 m apart and would miss each other: the edges meet."""
    sim = Simulation()
    net = rope((-2, 0), (2, 0), segments=16, thickness=thickness, pin_start=True, pin_end=True)
    thrown = rope((-0.9, 1.5), (1, 1.2), segments=9, thickness=thickness)
    thrown[0].velocity = (0.0, -speed)
    sim.spawn(*net)
    sim.spawn(*thrown)
    for _ in range(240):
        sim.step()
        assert crossings_between(net[0].position, thrown[0].position, (False, False)) == 0
    # the fast ones slide off over an end of the net, and swing there
    if np.abs(thrown[0].position[:, 0]).max() < 2.0:
        above = np.interp(thrown[0].position[:, 0], *net[0].position.T)
        assert (thrown[0].position[:, 1] > above).all()
