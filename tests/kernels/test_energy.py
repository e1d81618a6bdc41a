"""Energy of bodies that lose none: formulas, and that what is given back has neither sum nor torque."""

import numpy as np
import pytest

from ecs_softbody.kernels.groups import Motion
from ecs_softbody.kernels.motion.energy import (
    FREELY,
    LARGEST_STEP,
    LOSSY,
    OTHERS,
    STEP,
    Accounts,
    AngularEnergy,
    AreaEnergy,
    GasEnergy,
    SpringEnergy,
    add_angular_energy,
    add_area_energy,
    add_gas_energy,
    add_spring_energy,
    balance_energy,
    note_energy,
)

COUNT, DT = 7, 0.01
RING = np.arange(COUNT)
OUTLINE, FIRST, LAST = RING.astype(np.uint32), np.zeros(1, np.uint32), np.array([COUNT], np.uint32)
GRAVITY = np.array([1.0, -9.81])
BODY = np.array([0])


def shaken(seed=1):
    """A ring whose particles move and are pushed about, by forces without sum and torque, and by gravity."""
    rng = np.random.default_rng(seed)
    angle = 2 * np.pi * RING / COUNT
    position = np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(size=(COUNT, 2)) / 20 + (3.0, 5.0)
    mass = rng.uniform(0.5, 2.0, COUNT)
    force = np.zeros((COUNT, 2))
    for a, b in zip(RING, np.roll(RING, -1), strict=True):
        push = rng.normal() * (position[b] - position[a])
        force[a] += push
        force[b] -= push
    force += mass[:, None] * GRAVITY
    return Motion(position, rng.normal(size=(COUNT, 2)), 1.0 / mass, force)


def accounts(kept=0.0, seen=0.0, has=False):
    return Accounts(FIRST, LAST, np.ones(1), np.array([kept]), np.zeros(1), np.array([seen]), np.array([has]))


def moving(motion, velocity):
    mass = 1.0 / motion.inverse_mass
    return 0.5 * mass @ (velocity**2).sum(axis=1) - mass @ (motion.position @ GRAVITY)


def energies(motion, elastic):
    """Return the energy at the end of the last substep, and E."""
    after = motion.velocity + DT * motion.force * motion.inverse_mass[:, None]
    return elastic + moving(motion, motion.velocity), elastic + np.mean(
        [moving(motion, motion.velocity), moving(motion, after)]
    )


def test_elastic_energies():
    motion, body = shaken(), np.zeros(COUNT, np.uint32)
    x, energy = motion.position, np.zeros(1)
    pairs = np.column_stack([RING, np.roll(RING, -1)]).astype(np.uint32)
    stiffness, rest = np.linspace(1.0, 2.0, COUNT), np.linspace(0.5, 1.5, COUNT)
    add_spring_energy(RING, SpringEnergy(pairs, stiffness, rest), motion, body, energy)
    lengths = np.hypot(*(x[pairs[:, 1]] - x[pairs[:, 0]]).T)
    assert energy[0] == pytest.approx(0.5 * stiffness @ (lengths - rest) ** 2)

    energy[:] = 0.0
    triples = np.column_stack([np.roll(RING, 1), RING, np.roll(RING, -1)]).astype(np.uint32)
    arms = np.random.default_rng(2).uniform(0.5, 1.0, (COUNT, 2))
    add_angular_energy(RING, AngularEnergy(triples, stiffness, rest, arms), motion, body, energy)
    one, two = x[triples[:, 0]] - x, x[triples[:, 2]] - x
    angle = np.arctan2(one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0], (one * two).sum(axis=1))
    assert energy[0] == pytest.approx((stiffness * arms.prod(axis=1) * (1 - np.cos(angle - rest))).sum())

    energy[:] = 0.0
    after = np.roll(x, -1, axis=0)
    area = 0.5 * (x[:, 0] * after[:, 1] - x[:, 1] * after[:, 0]).sum()
    one = np.ones(1)
    add_gas_energy(BODY, GasEnergy(FIRST, LAST, one, 2 * one, 0.3 * one), OUTLINE, motion, body, energy)
    assert energy[0] == pytest.approx(0.3 * area - 2.0 * np.log(area))
    add_gas_energy(BODY, GasEnergy(FIRST, LAST, -one, 2 * one, 0.3 * one), OUTLINE, motion, body, energy)
    assert np.isnan(energy[0])

    energy[:] = 0.0
    add_area_energy(BODY, AreaEnergy(FIRST, LAST, one, 4 * one, 3 * one), OUTLINE, motion, body, energy)
    assert energy[0] == pytest.approx(4.0 * (3.0 - area) ** 2 / 6.0)


@pytest.mark.parametrize("missing", [0.3, -0.2, 1e6])
def test_what_is_missing_comes_back_without_sum_and_torque(missing):
    motion, elastic = shaken(), np.array([2.0])
    seen, energy = energies(motion, 2.0)
    before, account = motion.force.copy(), accounts(energy + missing, seen, True)
    balance_energy(BODY, np.array([FREELY]), account, motion, elastic, GRAVITY, DT)
    added, arm = motion.force - before, motion.position - motion.position.mean(axis=0)
    assert added.sum(axis=0) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert (arm[:, 0] * added[:, 1] - arm[:, 1] * added[:, 0]).sum() == pytest.approx(0.0, abs=1e-9)
    mean = motion.velocity + 0.5 * DT * before * motion.inverse_mass[:, None]
    work = DT * (added * mean).sum()
    mass = 1.0 / motion.inverse_mass
    swinging = DT * (added**2 * motion.inverse_mass[:, None]).sum() * DT  # (ε m u)²/m
    share = swinging / work  # ε
    assert share == pytest.approx(LARGEST_STEP) or work == pytest.approx(STEP * missing)
    assert abs(share) <= LARGEST_STEP * (1 + 1e-9)
    assert account.energy_kept[0] == pytest.approx(energy + missing)
    assert mass.min() > 0.0


def test_what_a_game_writes_counts():
    motion, elastic = shaken(), np.array([2.0])
    account = accounts(has=True)
    note_energy(BODY, account, motion, elastic, GRAVITY)
    seen, energy = energies(motion, 2.0)
    assert account.energy_seen[0] == pytest.approx(seen)
    account.energy_kept[0] = energy
    motion.velocity[:] *= 2.0
    more = energies(motion, 2.0)[0] - seen
    balance_energy(BODY, np.array([FREELY]), account, motion, elastic, GRAVITY, DT)
    assert account.energy_kept[0] == pytest.approx(energy + more)


@pytest.mark.parametrize(
    ("touched", "kept", "expected"), [(FREELY, 5.0, 5.0), (LOSSY, 1e9, None), (LOSSY, -9.0, -9.0), (OTHERS, 5.0, None)]
)
def test_what_touches_it_decides_what_is_kept(touched, kept, expected):
    motion, elastic = shaken(), np.array([2.0])
    seen, energy = energies(motion, 2.0)
    account = accounts(kept, seen, True)
    balance_energy(BODY, np.array([touched]), account, motion, elastic, GRAVITY, DT)
    assert account.energy_kept[0] == pytest.approx(energy if expected is None else expected)


@pytest.mark.parametrize("outside", [(1.0, 0.0), (0.0, -0.1)])
def test_a_force_from_outside_begins_it_anew(outside):
    motion, elastic = shaken(), np.array([2.0])
    motion.force[3] += outside
    before, account = motion.force.copy(), accounts(50.0, 1.0, True)
    balance_energy(BODY, np.array([FREELY]), account, motion, elastic, GRAVITY, DT)
    assert account.energy_kept[0] == pytest.approx(energies(motion, 2.0)[1])
    assert motion.force == pytest.approx(before)


def test_energy_that_is_no_number_is_not_kept():
    motion, account = shaken(), accounts(50.0, 1.0, True)
    balance_energy(BODY, np.array([FREELY]), account, motion, np.array([np.nan]), GRAVITY, DT)
    assert not account.has_energy[0]
