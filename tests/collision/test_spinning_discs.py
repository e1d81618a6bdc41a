"""Discs that turn by themselves: they roll, spin off walls and each other, and keep momentum and
angular momentum.
"""

import math

import numpy as np
import pytest

from ecs_softbody import (
    Collider,
    Drag,
    Motor,
    Particles,
    Pose,
    Simulation,
    Springs,
    StaticCollider,
    blueprints,
)

SOLVERS = "saturated", "xpbd"
GRAVITY = 9.81


def floor_at(angle, friction, length=200.0):
    """Return a straight wall through the origin that falls to the right."""
    c = math.cos(angle)
    s = math.sin(angle)
    return StaticCollider([(-length * c, length * s), (length * c, -length * s)], friction=friction)


def disc(center, radius, *, friction=0.5, restitution=0.0, resistance=0.0, **particles):
    """Return a single disc as components."""
    collider = Collider(friction=friction, restitution=restitution, rolling_resistance=resistance)
    return Particles([center], radius=radius, **particles), collider


def spin_of(body):
    """Return the angular velocity of a single disc."""
    return float(body.angular_velocity[0])


SLOPES = [(5, 0.3), (10, 1.0), (20, 0.3), (45, 0.3), (60, 0.3), (30, 0.0)]


@pytest.mark.slow
@pytest.mark.sample(4)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("substeps", [2, 8, 16])
@pytest.mark.parametrize(("degrees", "friction"), SLOPES)
@pytest.mark.parametrize(
    ("radius", "factor"), [(0.05, 0.5), (0.3, 0.5), (1.0, 1.0), (0.3, 0.4), (0.3, math.inf)]
)
def test_discs_of_all_kinds_roll_or_slide(solver, substeps, degrees, friction, radius, factor):
    check_slope(solver, substeps, degrees, friction, radius, factor)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("degrees", "friction"), SLOPES)
def test_a_disc_rolls_down_a_slope_or_slides_where_friction_is_too_small(solver, degrees, friction):
    check_slope(solver, 8, degrees, friction, 0.3, 0.5)


def check_slope(solver, substeps, degrees, friction, radius, factor):
    """Compare the acceleration of a disc with that of the textbook."""
    angle = math.radians(degrees)
    with Simulation(solver=solver, substeps=substeps) as sim:
        sim.spawn(floor_at(angle, friction))
        center = (radius * math.sin(angle), radius * math.cos(angle))
        body = disc(center, radius, friction=friction, inertia_factor=factor)
        sim.spawn(*body)
        for _ in range(10):
            sim.step(1 / 60)
        before = np.hypot(*body[0].velocity[0])
        for _ in range(30):
            sim.step(1 / 60)
        got = (np.hypot(*body[0].velocity[0]) - before) / 0.5
        sliding = GRAVITY * (math.sin(angle) - friction * math.cos(angle))
        rolling = GRAVITY * math.sin(angle) / (1.0 + factor) if math.isfinite(factor) else 0.0
        assert got == pytest.approx(max(sliding, rolling), rel=0.01, abs=1e-3)
        rolls = rolling >= sliding
        if rolls:
            assert spin_of(body[0]) * radius == pytest.approx(
                -np.hypot(*body[0].velocity[0]), rel=1e-6, abs=1e-6
            )


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("radius", [0.05, 0.3, 2.0])
def test_what_slides_goes_on_at_two_thirds_of_its_speed(solver, radius):
    with Simulation(solver=solver) as sim:
        sim.spawn(floor_at(0.0, 0.5))
        body = blueprints.ball((0, radius), radius, velocity=(3, 0), friction=0.5)
        sim.spawn(*body)
        for _ in range(120):
            sim.step(1 / 60)
        assert body[0].velocity[0] == pytest.approx([2.0, 0.0], abs=0.01)
        assert spin_of(body[0]) * radius == pytest.approx(-2.0, abs=0.01)
        assert body[0].position[0, 1] == pytest.approx(radius, abs=1e-3)
        turned = -float(body[0].angle[0]) * radius
        way = float(body[0].position[0, 0])
        assert 0.9 * way - 0.5 < turned < way


@pytest.mark.parametrize("masses", [(1.0, 1.0), (1.0, 3.0), (1e-3, 1.0), (1.0, 1e3)])
@pytest.mark.parametrize("offset", [0.0, 0.2, 0.6])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_discs_that_graze_each_other_turn_each_other_and_keep_all_momentum(
    masses, offset, restitution
):
    radii = 0.3, 0.5
    with Simulation(gravity=(0, 0), sleeping=False) as sim:
        pair = [
            disc(
                (0, 0),
                radii[0],
                velocity=[(3, 0)],
                mass=masses[0],
                friction=0.8,
                restitution=restitution,
            ),
            disc((2, offset), radii[1], mass=masses[1], friction=0.8, restitution=restitution),
        ]
        for body in pair:
            sim.spawn(*body)

        def motion():
            momentum = np.zeros(2)
            angular = 0.0
            energy = 0.0
            for (particles, _), radius in zip(pair, radii, strict=True):
                m = particles.mass[0]
                (x, y) = particles.position[0]
                (vx, vy) = particles.velocity[0]
                inertia = 0.5 * m * radius**2
                spin = spin_of(particles)
                momentum += m * particles.velocity[0]
                angular += m * (x * vy - y * vx) + inertia * spin
                energy += 0.5 * m * (vx * vx + vy * vy) + 0.5 * inertia * spin * spin
            return momentum, angular, energy

        before = motion()
        for _ in range(120):
            sim.step(1 / 60)
        after = motion()
        assert after[0] == pytest.approx(before[0], abs=1e-9 * max(masses))
        # Friction acts where the discs are, which is up to a substep's way from where they touch.
        assert after[1] == pytest.approx(before[1], abs=0.01 * min(masses) * 3.0)
        assert after[2] <= before[2] * (1.0 + 1e-9)
        turning = abs(spin_of(pair[0][0]))
        assert turning > 0.5 if offset else turning < 1e-9


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_spinning_ball_that_falls_straight_leaves_sideways(solver):
    with Simulation(solver=solver) as sim:
        sim.spawn(floor_at(0.0, 0.5))
        body = blueprints.ball((0, 1.3), 0.3, friction=0.5, restitution=0.6)
        body[0].angular_velocity = -30.0
        sim.spawn(*body)
        for _ in range(60):
            sim.step(1 / 60)
        assert body[0].velocity[0, 0] > 1.0
        assert -30.0 < spin_of(body[0]) < -9.0


def test_a_conveyor_drives_a_ball():
    with Simulation() as sim:
        sim.spawn(StaticCollider([(-50, 0), (50, 0)], friction=1.0, surface_velocity=2.0))
        body = blueprints.ball((0, 0.3), 0.3, friction=1.0)
        sim.spawn(*body)
        for _ in range(120):
            sim.step(1 / 60)
        vx = float(body[0].velocity[0, 0])
        surface = 0.3 * spin_of(body[0])
        assert abs(vx + surface) == pytest.approx(2.0, abs=0.02)


def test_a_roller_that_a_game_turns_drives_a_ball():
    with Simulation(gravity=(0, 0)) as sim:
        roller = disc((0, 0), 0.5, kinematic=True, angular_velocity=3.0)
        driven = disc((0, 1.0), 0.5)
        driven[0].velocity = [(0, -0.5)]
        for body in (roller, driven):
            sim.spawn(*body)
        for _ in range(30):
            sim.step(1 / 60)
        assert spin_of(roller[0]) == 3.0
        assert spin_of(driven[0]) < 0.0
        assert roller[0].angle[0] == pytest.approx(1.5)


@pytest.mark.parametrize("radius", [0.1, 0.4, 0.8])
@pytest.mark.parametrize("firm", [None, 1e6])
def test_a_ball_rolls_on_a_soft_body_whatever_its_size(radius, firm):
    with Simulation() as sim:
        options = {} if firm is None else {"shape_stiffness": firm}
        base = blueprints.box((0, 0.5), (12, 1), rows=3, columns=40, friction=1.0, **options)
        base[0].pinned = True
        collider = next(part for part in base if isinstance(part, Collider))
        collider.rolling_resistance = 0.0
        sim.spawn(*base)
        top = float(base[0].position[:, 1].max() + base[0].radius[0])
        body = blueprints.ball(
            (-4, top + radius), radius, velocity=(1, 0), friction=1.0, restitution=0.0
        )
        sim.spawn(*body)
        for _ in range(60):
            sim.step(1 / 60)
        assert body[0].velocity[0, 0] == pytest.approx(2 / 3, rel=0.01)
        assert spin_of(body[0]) * radius == pytest.approx(-2 / 3, rel=0.01)


def test_rolling_resistance_brings_a_ball_to_rest_and_it_sleeps():
    with Simulation() as sim:
        sim.spawn(floor_at(0.0, 0.5))
        body = blueprints.ball((0, 0.3), 0.3, velocity=(1, 0), rolling_resistance=0.05)
        entity = sim.spawn(*body)
        for _ in range(600):
            sim.step(1 / 60)
        assert sim.is_asleep(entity)
        assert spin_of(body[0]) == 0.0
        # A torque c N r brakes a rolling disc by 2/3 c g, after what the slide to 2/3 of the speed
        # has taken.
        assert 0.5 < body[0].position[0, 0] < (2 / 3) ** 2 / (2 * 2 / 3 * 0.05 * GRAVITY) + 0.3


@pytest.mark.parametrize("held", ["springs", "outline", "pinned"])
def test_what_is_held_does_not_turn_by_itself(held):
    with Simulation() as sim:
        sim.spawn(floor_at(0.2, 1.0))
        parts = [Particles([(0, 0.5), (0.5, 0.5)], radius=0.2), Collider(friction=1.0)]
        if held == "springs":
            parts.append(Springs([(0, 1)], stiffness=1e4))
        elif held == "outline":
            parts[1] = Collider(outline=[0, 1], closed=False)
        else:
            parts[0].pinned = True
            parts[0].angular_velocity = 5.0
        sim.spawn(*parts)
        for _ in range(30):
            sim.step(1 / 60)
        assert not parts[0].angular_velocity.any()


def test_discs_begin_and_cease_to_turn_as_springs_go_and_come():
    import esper

    with Simulation() as sim:
        sim.spawn(floor_at(0.3, 1.0))
        body = Particles([(0, 0.6), (0.7, 0.6)], radius=0.2)
        entity = sim.spawn(body, Collider(friction=1.0), Springs([(0, 1)], stiffness=1e4))
        for _ in range(60):
            sim.step(1 / 60)
        assert not body.angular_velocity.any()
        esper.remove_component(entity, Springs)
        for _ in range(60):
            sim.step(1 / 60)
        assert (body.angular_velocity < -0.5).all()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_spring_between_two_bodies_lets_both_turn(order):
    with Simulation() as sim:
        sim.spawn(floor_at(0.3, 1.0))
        pair = [disc((0, 0.3), 0.2, friction=1.0), disc((0.6, 0.1), 0.2, friction=1.0)]
        bodies = [sim.spawn(*body) for body in pair]
        sim.spawn(Springs([(0, 0)], stiffness=40.0, between=(bodies[order[0]], bodies[order[1]])))
        for _ in range(60):
            sim.step(1 / 60)
        assert all(spin_of(body[0]) < -1.0 for body in pair)


def test_the_pose_of_a_disc_has_its_own_angle():
    with Simulation(gravity=(0, 0)) as sim:
        body = disc((1, 2), 0.3, angle=0.5, angular_velocity=2.0)
        sim.spawn(*body)
        for _ in range(60):
            sim.step(1 / 60)
        pose = body[0].pose()
        assert isinstance(pose, Pose)
        assert pose.angle == pytest.approx(2.5)
        assert pose.angular_velocity == 2.0
        for _ in range(60):
            sim.step(1 / 60)
        assert body[0].pose().angle == pytest.approx(4.5 - math.tau)


def test_drag_slows_the_spin_as_it_slows_the_motion():
    with Simulation(gravity=(0, 0)) as sim:
        body = disc((0, 0), 0.3, velocity=[(2.0, 0.0)], angular_velocity=2.0)
        sim.spawn(*body, Drag(linear=0.5))
        for _ in range(60):
            sim.step(1 / 60)
        assert spin_of(body[0]) == pytest.approx(body[0].velocity[0, 0], rel=1e-9)
        assert spin_of(body[0]) < 1.5


@pytest.mark.parametrize("name", ["angle", "angular_velocity", "inertia_factor"])
@pytest.mark.parametrize("bad", [math.nan, -math.inf, "round"])
def test_bad_values_are_refused_at_the_door(name, bad):
    with pytest.raises((ValueError, TypeError), match=name):
        Particles([(0, 0)], radius=0.1, **{name: bad})


def test_a_spin_that_is_not_finite_freezes_the_body_and_no_other():
    with Simulation() as sim:
        sim.spawn(floor_at(0.0, 0.5))
        first = disc((0, 0.3), 0.3)
        second = disc((0.55, 0.3), 0.3)
        for body in (first, second):
            sim.spawn(*body)
        sim.step(1 / 60)
        first[0].angular_velocity[0] = math.nan
        with pytest.warns(UserWarning, match="angular_velocity"):
            sim.step(1 / 60)
        for _ in range(5):
            sim.step(1 / 60)
        assert np.isfinite(second[0].velocity).all()
        assert np.isfinite(second[0].angular_velocity).all()


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("radius", [0.1, 0.4])
def test_a_motor_turns_a_disc_which_drives_a_car(solver, radius):
    with Simulation(solver=solver) as sim:
        sim.spawn(floor_at(0.0, 1.0))
        chassis = blueprints.box((0, 3 * radius), (6 * radius, radius), mass=1.0)
        body = sim.spawn(*chassis)
        for side in (-2.0, 2.0):
            wheel = blueprints.ball(
                (side * radius, radius), radius, friction=1.0, restitution=0.0, mask=1, category=2
            )
            hub = sim.spawn(*wheel)
            sim.spawn(
                *blueprints.axle(body, hub, (side * radius, radius), speed=-4.0, max_torque=50.0)
            )
        next(part for part in chassis if isinstance(part, Collider)).category = 4
        for _ in range(240):
            sim.step(1 / 60)
        assert chassis[0].velocity[:, 0].mean() == pytest.approx(4.0 * radius, rel=0.05)


def test_a_motor_against_the_world_turns_a_disc_with_its_inertia():
    with Simulation(gravity=(0, 0), substeps=8) as sim:
        body = disc((0, 0), 0.5, mass=2.0)
        sim.spawn(Motor((None, sim.spawn(*body)), speed=1e3, max_torque=3.0))
        for _ in range(30):
            sim.step(1 / 60)
        inertia = 0.5 * 2.0 * 0.5**2
        assert spin_of(body[0]) == pytest.approx(3.0 * 0.5 / inertia, rel=0.02)
