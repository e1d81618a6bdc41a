"""Energy of bodies that lose none: formulas, and that what is given back has neither sum nor
torque.
"""

import numpy as np
import pytest

from ecs_softbody.indices import arange, full
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.kernels.motion.energy import (
    FREELY,
    LARGEST_STEP,
    LOSSY,
    OTHERS,
    SETTLING,
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
from tests.helpers.measures import signed_area

COUNT = 7
DT = 0.01
RING = arange(COUNT)
OUTLINE = RING.astype(np.uint32)
FIRST = np.zeros(1, np.uint32)
LAST = np.array([COUNT], np.uint32)
GRAVITY = np.array([1.0, -9.81])
BODY = np.array([0], np.int64)
ELASTIC = np.array([(2.0, 1.5)])
RIPPLE = 0.2


def shaken(seed=1):
    """A ring whose particles move and are pushed about, by forces without sum and torque, and by
    gravity.
    """
    rng = np.random.default_rng(seed)
    angle = 2 * np.pi * RING / COUNT
    position = (
        np.column_stack([np.cos(angle), np.sin(angle)])
        + rng.normal(size=(COUNT, 2)) / 20
        + (3.0, 5.0)
    )
    mass = rng.uniform(0.5, 2.0, COUNT)
    force = np.zeros((COUNT, 2))
    for a, b in zip(RING, np.roll(RING, -1), strict=True):
        push = rng.normal() * (position[b] - position[a])
        force[a] += push
        force[b] -= push
    force += mass[:, None] * GRAVITY
    return Motion(position, rng.normal(size=(COUNT, 2)), 1.0 / mass, force)


def accounts(kept=0.0, seen=0.0, has=False):
    return Accounts(
        FIRST,
        LAST,
        np.ones(1),
        np.array([kept]),
        np.array([RIPPLE]),
        np.array([seen]),
        np.array([has]),
    )


def moving(motion, velocity, other):
    """Return Σ m v·v'/2 - m g·x."""
    mass = 1.0 / motion.inverse_mass
    return 0.5 * mass @ (velocity * other).sum(axis=1) - mass @ (motion.position @ GRAVITY)


class Energies:
    """What is read at the end of the last substep and in the mean, what substeps conserve, and the
    ripple then.
    """

    def __init__(self, motion):
        before = motion.velocity
        after = motion.velocity + DT * motion.force * motion.inverse_mass[:, None]
        asked, carried = ELASTIC[0]
        self.seen = asked + moving(motion, before, before)
        self.read = 0.5 * (self.seen + asked + moving(motion, after, after))
        self.conserved = carried + moving(motion, before, after)
        self.ripple = RIPPLE + DT / SETTLING * (self.read - self.conserved - RIPPLE)


def test_elastic_energies():
    motion = shaken()
    body = np.zeros(COUNT, np.uint32)
    x = motion.position
    energy = np.zeros((1, 2))
    pairs = np.column_stack([RING, np.roll(RING, -1)]).astype(np.uint32)
    stiffness = np.linspace(1.0, 2.0, COUNT)
    rest = np.linspace(0.5, 1.5, COUNT)
    tension = np.linspace(0.0, 3.0, COUNT)
    add_spring_energy(
        RING, SpringEnergy(pairs, stiffness, rest, 0.3 * stiffness, tension), motion, body, energy
    )
    lengths = np.hypot(*(x[pairs[:, 1]] - x[pairs[:, 0]]).T)
    asked = 0.5 * stiffness @ (lengths - rest) ** 2
    assert energy[0] == pytest.approx((asked, 0.3 * asked + tension @ lengths))

    energy[:] = 0.0
    triples = np.column_stack([np.roll(RING, 1), RING, np.roll(RING, -1)]).astype(np.uint32)
    arms = np.random.default_rng(2).uniform(0.5, 1.0, (COUNT, 2))
    add_angular_energy(
        RING, AngularEnergy(triples, stiffness, 0.5 * stiffness, rest, arms), motion, body, energy
    )
    one = x[triples[:, 0]] - x
    two = x[triples[:, 2]] - x
    angle = np.arctan2(one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0], (one * two).sum(axis=1))
    asked = (stiffness * arms.prod(axis=1) * (1 - np.cos(angle - rest))).sum()
    assert energy[0] == pytest.approx((asked, 0.5 * asked))


def test_energies_of_rings():
    motion = shaken()
    body = np.zeros(COUNT, np.uint32)
    energy = np.zeros((1, 2))
    one = np.ones(1)
    area = signed_area(motion.position)
    add_gas_energy(
        BODY,
        GasEnergy(FIRST, LAST, one, 2 * one, 0.4 * one, 0.3 * one),
        OUTLINE,
        motion,
        body,
        energy,
    )
    asked = 0.3 * area - 2.0 * np.log(area)
    assert energy[0] == pytest.approx((asked, 0.4 * asked))
    add_gas_energy(
        BODY, GasEnergy(FIRST, LAST, -one, 2 * one, one, 0.3 * one), OUTLINE, motion, body, energy
    )
    assert np.isnan(energy).all()

    energy[:] = 0.0
    add_area_energy(
        BODY, AreaEnergy(FIRST, LAST, one, 4 * one, 2 * one, 3 * one), OUTLINE, motion, body, energy
    )
    assert energy[0] == pytest.approx(((3.0 - area) ** 2 / 1.5, (3.0 - area) ** 2 / 3.0))


@pytest.mark.parametrize("missing", [0.3, -0.2, 1e6])
def test_what_is_missing_comes_back_without_sum_and_torque(missing):
    motion = shaken()
    now = Energies(motion)
    before = motion.force.copy()
    account = accounts(now.conserved + now.ripple + missing, now.seen, True)
    balance_energy(BODY, np.array([FREELY], np.int64), account, motion, ELASTIC, GRAVITY, DT)
    added = motion.force - before
    arm = motion.position - motion.position.mean(axis=0)
    assert added.sum(axis=0) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert (arm[:, 0] * added[:, 1] - arm[:, 1] * added[:, 0]).sum() == pytest.approx(0.0, abs=1e-9)
    work = DT * (added * (motion.velocity + 0.5 * DT * before * motion.inverse_mass[:, None])).sum()
    # ε, since Δv = ε u
    share = DT * DT * (added**2 * motion.inverse_mass[:, None]).sum() / work
    assert abs(share) <= LARGEST_STEP * (1 + 1e-9)
    assert share == pytest.approx(LARGEST_STEP) or work == pytest.approx(STEP * missing)
    assert account.energy_kept[0] == pytest.approx(now.conserved + now.ripple + missing)
    assert account.energy_ripple[0] == pytest.approx(now.ripple)


def test_what_a_game_writes_counts():
    motion = shaken()
    account = accounts(50.0, 0.0, True)
    note_energy(BODY, account, motion, ELASTIC, GRAVITY)
    seen = Energies(motion).seen
    assert account.energy_seen[0] == pytest.approx(seen)
    motion.velocity[:] *= 2.0
    balance_energy(BODY, np.array([FREELY], np.int64), account, motion, ELASTIC, GRAVITY, DT)
    assert account.energy_kept[0] == pytest.approx(50.0 + written(seen))


def written(seen):
    """Return what the ring has more when it moves twice as fast."""
    motion = shaken()
    motion.velocity[:] *= 2.0
    return Energies(motion).seen - seen


@pytest.mark.parametrize(
    ("touched", "kept", "sinks"),
    [(FREELY, 5e3, False), (LOSSY, 5e3, True), (LOSSY, -9.0, False), (OTHERS, 5e3, None)],
)
def test_what_touches_it_decides_what_is_kept(touched, kept, sinks):
    motion = shaken()
    now = Energies(motion)
    account = accounts(kept, now.seen, True)
    balance_energy(BODY, full(1, touched), account, motion, ELASTIC, GRAVITY, DT)
    expected = now.read if sinks is None else now.conserved + now.ripple if sinks else kept
    assert account.energy_kept[0] == pytest.approx(expected)


@pytest.mark.parametrize("outside", [(1.0, 0.0), (0.0, -0.1)])
def test_a_force_from_outside_begins_it_anew(outside):
    motion = shaken()
    account = accounts(50.0, 1.0, True)
    motion.force[3] += outside
    before = motion.force.copy()
    now = Energies(motion)
    balance_energy(BODY, np.array([FREELY], np.int64), account, motion, ELASTIC, GRAVITY, DT)
    assert account.energy_kept[0] == pytest.approx(now.read)
    assert motion.force == pytest.approx(before)


def test_energy_that_is_no_number_is_not_kept():
    motion = shaken()
    account = accounts(50.0, 1.0, True)
    balance_energy(
        BODY, np.array([FREELY], np.int64), account, motion, np.full((1, 2), np.nan), GRAVITY, DT
    )
    assert not account.has_energy[0]
