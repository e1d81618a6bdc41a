"""Discs on joints bounce at once, as free ones do: what joints hold with them takes its share of
the impulse.
"""

from __future__ import annotations

import math

import esper
import numpy as np
import pytest

from ecs_softbody import Collider, DistanceLimits, Particles, Simulation, StaticCollider, blueprints
from tests.helpers.stepping import run_frames

G = 9.81
RADIUS = 0.1
HELD = ["string", "rod", "one entity"]
SOLVERS = ["saturated", "xpbd"]


def hang(sim, at, hook, how, *, mass=1.0, restitution=1.0):
    """Hang a ball at a point from a hook; return its entity and its row."""
    length = math.hypot(at[0] - hook[0], at[1] - hook[1])
    if how == "one entity":
        body = Particles([hook, at], mass=[1.0, mass], radius=[0.001, RADIUS], pinned=[True, False])
        string = DistanceLimits([(0, 1)], maximum=length)
        return sim.spawn(body, string, Collider(restitution=restitution, friction=0.0)), 1
    parts = blueprints.ball(at, RADIUS, mass=mass, restitution=restitution, friction=0.0)
    ends = sim.spawn(Particles([hook], pinned=True)), sim.spawn(*parts)
    least = length if how == "rod" else 0.0
    sim.spawn(DistanceLimits([(0, 0)], maximum=length, minimum=least, between=ends))
    return ends[1], 0


def cradle(
    how,
    masses=(1.0,) * 5,
    *,
    gap=0.0,
    lifted=1,
    degrees=40.0,
    seconds=1.0,
    restitution=1.0,
    **options,
):
    """Let balls on strings of 1 m swing; return how high each rises after the impact, over the
    height of the first.
    """
    sim = Simulation(world="cradle", **options)
    lean = math.radians(degrees)
    balls = []
    for i, mass in enumerate(masses):
        x = i * (2 * RADIUS + gap)
        angle = lean if i < lifted else 0.0
        at = (x - math.sin(angle), -math.cos(angle))
        balls.append(hang(sim, at, (x, 0.0), how, mass=mass, restitution=restitution))
    top = np.zeros(len(balls))
    has_struck = False
    for _ in range(round(60 * seconds)):
        sim.step()
        motion = [(sim.get(ball, Particles), row) for ball, row in balls]
        has_struck |= motion[-1][0].velocity[motion[-1][1], 0] > 0.1
        if has_struck:
            top = np.maximum(top, [body.position[row, 1] + 1.0 for body, row in motion])
    sim.close()
    return top / (1.0 - math.cos(lean))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("substeps", [2, 4, 8, 16])
@pytest.mark.parametrize("gap", [0.0, 0.0005, 0.002])
@pytest.mark.parametrize("how", HELD)
def test_the_last_ball_of_a_cradle_on_strings_swings_up(how, gap, substeps, solver):
    top = cradle(how, gap=gap, substeps=substeps, solver=solver)
    assert top[-1] == pytest.approx(1.0, abs=0.01)
    assert (top[:-1] < 0.03).all()


@pytest.mark.parametrize("degrees", [5, 20, 80])
@pytest.mark.parametrize("lifted", [1, 2, 3, 4])
def test_as_many_swing_up_as_were_lifted(lifted, degrees):
    top = cradle("string", lifted=lifted, degrees=degrees, seconds=1.1)
    assert top[-lifted:] == pytest.approx(1.0, abs=0.015)
    assert (top[1 : 5 - lifted] < 0.03).all()


@pytest.mark.parametrize("restitution", [0.3, 0.6, 0.9])
def test_restitution_is_that_of_the_law(restitution):
    """Two equal balls: the second one leaves with (1 + e)/2 of the speed."""
    top = cradle("string", (1.0, 1.0), restitution=restitution, seconds=1.1)
    assert top[1] == pytest.approx((0.5 * (1.0 + restitution)) ** 2, rel=0.01)


@pytest.mark.parametrize("ratio", [1e-3, 0.1, 3.0])
def test_masses_share_the_speed_as_newton_says(ratio):
    top = cradle("string", (1.0, ratio), degrees=20, seconds=1.1)
    assert top[1] == pytest.approx((2.0 / (1.0 + ratio)) ** 2, rel=0.01)


@pytest.mark.parametrize("how", HELD)
def test_a_cradle_that_slept_passes_a_blow_on(how):
    sim = Simulation(world="cradle that slept")
    balls = [hang(sim, (2 * RADIUS * i, -1.0), (2 * RADIUS * i, 0.0), how) for i in range(5)]
    run_frames(sim, 240)
    assert all(sim.is_asleep(ball) for ball, _ in balls)
    speed = 3.0
    way = 0.7
    rise = 0.5 * G * way / speed  # it arrives level
    start = (-way - 2 * RADIUS, -1.0)
    made_of = {"mass": 1.0, "restitution": 1.0, "friction": 0.0}
    sim.spawn(*blueprints.ball(start, RADIUS, velocity=(speed, rise), **made_of))
    first, last = (sim.get(balls[which][0], Particles) for which in (0, -1))
    top = -1.0
    for _ in range(60):
        sim.step()
        top = max(top, float(last.position[:, 1].min()))
    assert top + 1.0 == pytest.approx(speed**2 / (2 * G), rel=0.03)
    assert np.abs(first.velocity[:, 0]).max() < 0.1
    sim.close()


def strike(how, degrees, *, mass=1.0, speed=4.0, restitution=1.0, substeps=8):
    """Strike a ball that is held from above, without gravity, from a direction; return both
    velocities after it.
    """
    sim = Simulation(world="struck", gravity=(0, 0), substeps=substeps)
    along = np.array((math.cos(math.radians(degrees)), math.sin(math.radians(degrees))))
    body = sim.get(hang(sim, (0.0, 0.0), (0.0, 1.0), how, restitution=restitution)[0], Particles)
    cue = blueprints.ball(
        -0.5 * along,
        RADIUS,
        mass=mass,
        restitution=restitution,
        friction=0.0,
        velocity=speed * along,
    )
    sim.spawn(*cue)
    while np.allclose(cue[0].velocity[0], speed * along, atol=1e-6):
        sim.step(1 / 480)
    sim.close()
    return cue[0].velocity[0] @ along, body.velocity[0]


@pytest.mark.parametrize("mass", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("restitution", [0.5, 1.0])
@pytest.mark.parametrize(
    ("how", "degrees"), [("rod", 0), ("rod", 30), ("rod", -50), ("rod", 90), ("string", -40)]
)
def test_a_ball_on_a_rod_is_as_heavy_as_across_it(how, degrees, restitution, mass):
    """Across the rod it yields cos² of what a free one does: 1/M = 1/m + cos²/M."""
    across = math.cos(math.radians(degrees))
    reduced = 1.0 / (1.0 / mass + across**2)
    left, held = strike(how, degrees, mass=mass, restitution=restitution)
    impulse = (1.0 + restitution) * reduced * 4.0
    assert left == pytest.approx(4.0 - impulse / mass, abs=0.01)
    assert held[0] == pytest.approx(impulse * across, rel=0.01, abs=0.01)


@pytest.mark.parametrize("degrees", [30, 90])
def test_a_ball_on_a_string_that_is_struck_towards_its_hook_flies_free(degrees):
    left, held = strike("string", degrees)
    assert left == pytest.approx(0.0, abs=1e-6)
    along = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    assert held / 4.0 == pytest.approx(along, abs=1e-6)


def body_of_rods(kind, rng):
    """Return (M, 2) points and their rods."""
    size = rng.uniform(0.3, 0.8)
    points, pairs = {
        "dumbbell": ([(0, 0), (size, 0)], [(0, 1)]),
        "triangle": ([(0, 0), (size, 0), (0.5 * size, 0.8 * size)], [(0, 1), (1, 2), (2, 0)]),
        "pendulum": ([(0, 0), (size, 0), (1.5 * size, 0.8 * size)], [(0, 1), (1, 2)]),
    }[kind]
    angle = rng.uniform(0, 2 * math.pi)
    turn = np.array([(math.cos(angle), -math.sin(angle)), (math.sin(angle), math.cos(angle))])
    return np.array(points) @ turn.T, pairs


def energy_ratios(kind, seed, substeps, solver, *, count=1, seconds=10.0, restitution=1.0):
    """Throw bodies of discs and rods into a smooth room; return the energy of each frame over the
    first.
    """
    rng = np.random.default_rng(seed)
    sim = Simulation(world="rods", substeps=substeps, solver=solver)
    bodies = []
    room = [(-3, 0), (3, 0), (3, 4), (-3, 4)]
    sim.spawn(StaticCollider(room, closed=True, friction=0.0, restitution=restitution))
    for i in range(count):
        points, pairs = body_of_rods(kind, rng)
        length = [math.dist(points[a], points[b]) for a, b in pairs]
        place = ((i + 0.5) * 4 / count - 2.0 if count > 1 else 0.0, 2.0)
        speed = rng.uniform(-3, 3, 2)
        mass = np.exp(rng.uniform(-1, 1, len(points)))
        velocity = np.tile(speed, (len(points), 1))
        body = Particles(
            points - points.mean(axis=0) + place, mass=mass, radius=RADIUS, velocity=velocity
        )
        limits = DistanceLimits(pairs, maximum=length, minimum=length)
        sim.spawn(body, limits, Collider(friction=0.0, restitution=restitution))
        bodies.append((body, mass))
    found = []
    for _ in range(round(60 * seconds)):
        sim.step()
        energy = sum(
            float(m @ (0.5 * (b.velocity**2).sum(axis=1) + G * b.position[:, 1])) for b, m in bodies
        )
        found.append(energy)
    sim.close()
    return np.array(found) / found[0]


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("substeps", [4, 8, 16])
@pytest.mark.parametrize("kind", ["dumbbell", "triangle", "pendulum"])
def test_bodies_of_rods_keep_their_energy(kind, substeps, solver):
    """Velocities are half a substep behind positions: that is up to g h v of each, 0.3 % of it at 8
    substeps.

    Two rods that fold together at a joint lose where a substep turns them by much.
    """
    for seed in range(4):
        ratios = energy_ratios(kind, seed, substeps, solver)
        assert ratios.max() < 1.0 + 0.032 / substeps
        assert ratios.min() > (0.98 if kind != "pendulum" else 0.6)


@pytest.mark.slow
@pytest.mark.parametrize("restitution", [0.5, 1.0])
def test_a_gas_of_dumbbells_makes_no_energy(restitution):
    ratios = energy_ratios("dumbbell", 1, 8, "saturated", count=5, restitution=restitution)
    assert ratios.max() < 1.004
    assert ratios[-60:].mean() > 0.98 if restitution == 1.0 else ratios[-60:].mean() < 0.5


@pytest.mark.parametrize("substeps", [2, 8, 32])
@pytest.mark.parametrize("count", [3, 6, 10])
def test_a_slack_rope_of_elastic_discs_makes_no_energy(count, substeps):
    """A limit that pulled while its disc struck the floor was let go, and half of its pull came
    after that: by 6 %.
    """
    sim = Simulation(world="slack", substeps=substeps)
    sim.spawn(StaticCollider([(-6, 6), (-6, 0), (6, 0), (6, 6)], restitution=1.0, friction=0.0))
    places = 0.35 * np.arange(count)[:, None] * [math.cos(0.3), math.sin(0.3)] + (-2.0, 2.0)
    body = Particles(places, mass=0.3, radius=0.15)
    limits = DistanceLimits([(k, k + 1) for k in range(count - 1)], maximum=0.35)
    sim.spawn(body, limits, Collider(restitution=1.0, friction=0.0, self_collision=True))
    start = G * body.mass @ places[:, 1]
    for _ in range(180):
        sim.step()
        assert (
            body.mass @ (0.5 * (body.velocity**2).sum(axis=1) + G * body.position[:, 1])
            < 1.001 * start
        )
    sim.close()


@pytest.mark.parametrize("seed", range(6))
def test_discs_that_joints_hold_in_overlap_are_not_shot_away(seed):
    """Their contacts move next to nothing along their normal: measured there, a small error became
    600 m/s.
    """
    rng = np.random.default_rng(seed)
    sim = Simulation(world="held in overlap", substeps=int(2 ** rng.integers(1, 5)))
    sim.spawn(StaticCollider([(-5, 0), (5, 0)], friction=0.0))
    x = rng.uniform(0.1, 0.4) * RADIUS
    one = blueprints.ball((0, 1), RADIUS, mass=1.0, restitution=1.0, friction=0.0)
    pair = Particles(
        [(2 * RADIUS - x, 1), (4 * RADIUS - x, 1)], mass=rng.uniform(0.1, 5, 2), radius=RADIUS
    )
    rod = DistanceLimits([(0, 1)], minimum=2 * RADIUS, maximum=2 * RADIUS)
    ends = sim.spawn(*one), sim.spawn(pair, rod, Collider(restitution=1.0))
    sim.spawn(DistanceLimits([(0, 1)], maximum=4 * RADIUS - x, between=ends))
    fastest = 0.0
    for _ in range(300):
        sim.step()
        fastest = max(
            fastest, float(np.abs(pair.velocity).max()), float(np.abs(one[0].velocity).max())
        )
    assert fastest < 15.0
    sim.close()


def test_a_cradle_is_restored_to_the_bit_in_the_world_that_went_on():
    sim = Simulation(world="cradle restored")
    hang(sim, (-0.5, -0.866), (0.0, 0.0), "string")
    for i in range(1, 4):
        hang(sim, (2 * RADIUS * i, -1.0), (2 * RADIUS * i, 0.0), "string")
    for frames in (5, 12, 3, 2, 20):
        run_frames(sim, frames)
        before = sim.snapshot()
        run_frames(sim, 15)
        then = sim.state_hash()
        sim.restore(before)
        run_frames(sim, 15)
        assert sim.state_hash() == then
    sim.close()


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("strength", [1.0, math.inf])
def test_a_string_carries_what_its_ball_is_struck_with(strength, restitution):
    """Its forces in the frames of the blow are the momentum that goes to the hook; a weak one
    breaks.
    """
    sim = Simulation(world="carries", gravity=(0, 0))
    heard = []
    speed = 3.0

    def hear(entity, kind, row, force):
        heard.append(force)

    made_of = {"mass": 1.0, "restitution": restitution, "friction": 0.0}
    ends = (
        sim.spawn(Particles([(0, 1)], pinned=True)),
        sim.spawn(*blueprints.ball((0, 0), RADIUS, **made_of)),
    )
    string = DistanceLimits([(0, 0)], maximum=1.0, between=ends, break_force=strength)
    sim.spawn(string)
    cue = blueprints.ball((0, 0.7), RADIUS, velocity=(0.0, -speed), **made_of)
    sim.spawn(*cue)
    with sim:
        esper.set_handler("joint_broken", hear)
    carried = 0.0
    for _ in range(14):
        sim.step()
        if not heard:
            carried += float(string.force[0]) / 60.0
    if strength == 1.0:
        assert heard == [pytest.approx(60.0 * (1.0 + restitution) * speed, rel=0.01)]
    else:
        assert carried == pytest.approx(speed + float(cue[0].velocity[0, 1]), rel=0.01)
        assert cue[0].velocity[0, 1] == pytest.approx(restitution * speed, abs=0.01)
    sim.close()


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("mass", [5.0, 20.0])
def test_heavy_discs_on_strings_to_a_soft_box_make_no_energy(mass, solver):
    """The box meets the disc that pulls at its corner: as a support of it, it got 30,000 times the
    energy, or 4.8.
    """
    for offset in np.arange(0.0, 8.0, 0.5):
        sim = Simulation(world="flail", solver=solver)
        sim.spawn(
            StaticCollider(
                [(-4, 0), (4, 0), (4, 6), (-4, 6)], closed=True, friction=0.0, restitution=1.0
            )
        )
        parts = blueprints.box((0.06 * offset, 2.0), 0.8, velocity=(2, 2))
        box = sim.spawn(*parts)
        bodies = [parts[0]]
        corner = int(np.argmax(parts[0].position[:, 1]))
        for k in range(3):
            disc = blueprints.ball(
                (k - 1.0, 3.2), 0.15, mass=mass, restitution=1.0, friction=0.0, velocity=(-4, 1)
            )
            length = math.dist(parts[0].position[corner], (k - 1.0, 3.2))
            sim.spawn(
                DistanceLimits([(corner, 0)], maximum=length, between=(box, sim.spawn(*disc)))
            )
            bodies.append(disc[0])
        found = []
        for _ in range(180):
            sim.step()
            found.append(
                sum(
                    float(
                        (0.5 * (b.velocity**2).sum(axis=1) + G * b.position[:, 1])
                        @ (1.0 / b.inverse_mass)
                    )
                    for b in bodies
                )
            )
        assert max(found) < 1.02 * found[0]
        sim.close()
