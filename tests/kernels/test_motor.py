"""drive_motors: the torque of its formula, as a rigid rotation of both bodies."""

import numpy as np
import pytest

from ecs_softbody.indices import arange
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.kernels.joints.arrays import BodySpans
from ecs_softbody.kernels.joints.motor import (
    FAST,
    KICK,
    PROPORTIONAL,
    SUMMED,
    TURN,
    Discs,
    Motors,
    drive_motors,
)

DT = 0.002


def bodies(seed):
    rng = np.random.default_rng(seed)
    inverse_mass = 1.0 / rng.uniform(0.1, 5.0, 11)
    inverse_mass[3] = 0.0
    return rng.normal(size=(11, 2)), rng.normal(size=(11, 2)), inverse_mass


def turning(position, velocity, inverse_mass, rows):
    """Numpy's moment of inertia and angular velocity of the free particles, and their places about
    the centre.
    """
    rows = rows[inverse_mass[rows] > 0.0]
    mass = 1.0 / inverse_mass[rows]
    arm = position[rows] - np.average(position[rows], axis=0, weights=mass)
    inertia = (mass * (arm**2).sum(axis=1)).sum()
    spin = (mass * (arm[:, 0] * velocity[rows, 1] - arm[:, 1] * velocity[rows, 0])).sum() / inertia
    return inertia, spin, rows, mass, arm


STRONG = 1e9
"""A gravity [m/s²] at which no motor is beyond what carries both bodies."""


def run(
    position, velocity, inverse_mass, pairs, count, speed, most, load=0.0, gravity=STRONG, rest=None
):
    motors = len(pairs)
    force = np.zeros((11, 2))
    loads = np.full(motors, load)
    torque = np.zeros(motors)
    largest = np.full(motors, most)
    drive_motors(
        arange(motors),
        np.array(pairs, np.int64),
        np.array(count, np.int64),
        BodySpans(np.array([0, 5], np.uint32), np.array([5, 11], np.uint32)),
        Motion(position, velocity, inverse_mass, force),
        position if rest is None else rest,
        Discs(*np.zeros((3, 11))),
        np.zeros(11),
        Motors(np.full(motors, speed), largest, loads, torque),
        gravity,
        DT,
    )
    return force, loads, torque


@pytest.mark.parametrize("most", [np.inf, 40.0, 0.0])
@pytest.mark.parametrize("seed", range(4))
def test_torque_and_forces(seed, most):
    world = bodies(seed)
    force, load, torque = run(*world, [(0, 1)], [1, 1], 3.0, most, load=0.5)
    chassis, wheel = (turning(*world, arange(*span)) for span in ((0, 5), (5, 11)))
    wanted = (3.0 - wheel[1] + chassis[1]) / (DT * (1.0 / chassis[0] + 1.0 / wheel[0]))
    lasting = np.clip(0.5 + SUMMED * wanted, -most, most)
    assert load[0] == pytest.approx(lasting)
    assert torque[0] == pytest.approx(np.clip(lasting + PROPORTIONAL * wanted, -most, most))
    expected = np.zeros((11, 2))
    for (inertia, _, rows, mass, arm), sign in ((chassis, -1.0), (wheel, 1.0)):
        expected[rows] = (
            sign * torque[0] / inertia * mass[:, None] * np.column_stack((-arm[:, 1], arm[:, 0]))
        )
    assert force == pytest.approx(expected, abs=1e-9 * (1.0 + abs(torque[0])))


def test_torque_and_reaction_are_zero_together():
    position, velocity, inverse_mass = bodies(1)
    force, _, torque = run(position, velocity, inverse_mass, [(0, 1)], [1, 1], 9.0, np.inf)
    assert np.abs(force.sum(axis=0)).max() < 1e-12 * np.abs(force).sum()
    turn = position[:, 0] * force[:, 1] - position[:, 1] * force[:, 0]
    assert abs(turn.sum()) < 1e-12 * np.abs(turn).sum()
    assert turn[5:].sum() == pytest.approx(torque[0])


def test_a_motor_against_the_world_brings_the_speed_in_one_step():
    position, velocity, inverse_mass = bodies(2)
    force, _, _ = run(position, velocity, inverse_mass, [(-1, 1)], [1, 1], 2.0, np.inf)
    after = velocity + DT * inverse_mass[:, None] * force
    assert not force[:5].any()
    assert turning(position, after, inverse_mass, arange(5, 11))[1] == pytest.approx(2.0)


def test_two_motors_of_the_same_bodies_do_together_what_one_does():
    position, velocity, inverse_mass = bodies(3)
    one, _, _ = run(position, velocity, inverse_mass, [(0, 1)], [1, 1], 2.0, np.inf)
    two, _, _ = run(position, velocity, inverse_mass, [(0, 1), (0, 1)], [2, 2], 2.0, np.inf)
    assert two == pytest.approx(one)


def test_pinned_wheels_and_broken_numbers_are_left_alone():
    position, velocity, inverse_mass = bodies(4)
    pinned = inverse_mass.copy()
    pinned[5:] = 0.0
    assert not run(position, velocity, pinned, [(0, 1)], [1, 1], 2.0, np.inf)[0].any()
    velocity[7] = np.nan
    force, load, torque = run(position, velocity, inverse_mass, [(0, 1)], [1, 1], 2.0, np.inf)
    assert not force.any()
    assert load[0] == torque[0] == 0.0


def carrying(position, velocity, inverse_mass, gravity):
    """The torque that carries both bodies at the rim of the wheel, the rim's radius, and the
    mobility of both.
    """
    chassis, wheel = (
        turning(position, velocity, inverse_mass, arange(*span)) for span in ((0, 5), (5, 11))
    )
    radius = np.hypot(*wheel[4].T).max()
    return (
        (chassis[3].sum() + wheel[3].sum()) * gravity * radius,
        radius,
        1.0 / chassis[0] + 1.0 / wheel[0],
    )


@pytest.mark.parametrize("gravity", [0.0, 1.6, 900.0])
def test_no_torque_given_carries_both_bodies_at_the_rim(gravity):
    world = bodies(5)
    most, _, _ = carrying(*world, gravity or 9.81)
    assert run(*world, [(0, 1)], [1, 1], 1e9, np.nan, gravity=gravity)[2][0] == pytest.approx(most)


def test_a_motor_turns_its_bodies_by_no_more_than_a_sixteenth_of_a_turn_in_a_substep():
    world = bodies(6)
    fast = run(*world, [(0, 1)], [1, 1], 1e9, np.inf)[2][0]
    assert fast == pytest.approx(run(*world, [(0, 1)], [1, 1], TURN / DT, np.inf)[2][0])
    assert fast > run(*world, [(0, 1)], [1, 1], 0.5 * TURN / DT, np.inf)[2][0]


def test_a_strong_motor_has_a_bounded_power_and_a_bounded_kick():
    position, velocity, inverse_mass = bodies(7)
    ordinary, radius, mobility = carrying(position, velocity, inverse_mass, 9.81)
    still = run(
        position, 0.0 * velocity, inverse_mass, [(0, 1)], [1, 1], 1e9, np.inf, gravity=9.81
    )[2][0]
    assert still == pytest.approx(KICK / (DT**2 * mobility))
    spinning = 0.0 * velocity
    spinning[5:] = 100.0 * np.column_stack((-position[5:, 1], position[5:, 0]))
    moving = run(position, spinning, inverse_mass, [(0, 1)], [1, 1], 1e9, np.inf, gravity=9.81)[2][
        0
    ]
    assert moving == pytest.approx(ordinary * max(1.0, FAST * np.sqrt(9.81 / radius) / 100.0))


def test_a_strong_motor_lets_go_of_what_has_lost_its_form_but_carries_it():
    position, velocity, inverse_mass = bodies(8)
    ordinary = carrying(position, 0.0 * velocity, inverse_mass, 9.81)[0]
    torques = []
    for stretch in (1.0, 1.12, 1.2, 2.0):
        rest = position / np.array((stretch, stretch))
        torques.append(
            run(
                position,
                0.0 * velocity,
                inverse_mass,
                [(0, 1)],
                [1, 1],
                1e9,
                1e9,
                gravity=9.81,
                rest=rest,
            )[2][0]
        )
    assert torques[0] > torques[1] > torques[2] == torques[3] == pytest.approx(ordinary)
