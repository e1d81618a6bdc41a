"""What joints lean on, and what damps their bends, against numpy."""

import numpy as np
import pytest

from ecs_softbody.kernels.joint_arrays import Motion
from ecs_softbody.kernels.joint_bends import SHARE, SHARPEST, SHORTEST_WAVE, aim_bends
from ecs_softbody.kernels.joint_contacts import (
    FREE,
    SLIDES,
    STICKS,
    begin_leans,
    change_leans,
    find_leaning,
    moved,
    start_members,
)

ALL = np.arange(4)


def motion(leaning, predicted, leans=FREE):
    count = len(leaning)
    return Motion(
        np.zeros(count, np.uint32), np.zeros((count, 2)), np.full(count, 2.0), np.array(predicted),
        np.zeros((count, 2)), np.zeros((count, 2)), np.array(leaning), np.full(count, leans, np.int8),
    )  # fmt: skip


def row(angle, *, kept=0.0, least=0.0, strength=1.0, friction=0.5, across=0.0, held=0.0):
    return [np.cos(angle), np.sin(angle), kept, least, strength, friction, across, held]


@pytest.mark.parametrize("kept", [0.0, 0.25, 1.0])
@pytest.mark.parametrize("angle", [0.0, 0.7, 2.5])
def test_an_impulse_goes_along_the_contact(angle, kept):
    """W/w = 1 - (1 - φ) n nᵀ while it slides, φ while it sticks."""
    world, impulse = motion([row(angle, kept=kept)], [(0.0, 0.0)]), np.array([0.3, -1.1])
    normal = np.array([np.cos(angle), np.sin(angle)])
    share = np.eye(2) - (1.0 - kept) * np.outer(normal, normal)
    for leans, expected in ((FREE, impulse), (SLIDES, share @ impulse), (STICKS, kept * impulse)):
        world.leans[0] = leans
        assert moved(0, *impulse, world) == pytest.approx(tuple(expected))


def test_what_goes_into_a_contact_is_gone_at_the_start():
    world = motion([row(np.pi / 2, least=-0.5, across=0.25)] * 4, [(1.0, -3.0)] * 4)
    world.leans[:] = [FREE, SLIDES, STICKS, SLIDES]
    world.leaning[3, 2] = 1.0
    world.kick[:] = 7.0
    start_members(ALL, world)
    assert world.velocity == pytest.approx(np.array([(1.0, -3.0), (1.0, -0.5), (-0.25, -0.5), (1.0, -3.0)]))
    assert not world.kick.any()


def test_contacts_that_pushed_are_leant_on():
    world = motion(
        [row(0.0, strength=s, held=h) for s, h in ((0.0, 0.0), (1e-101, 0.0), (1.0, 0.0), (1.0, 1.0))], [(0, 0)] * 4
    )
    begin_leans(ALL, world)
    assert list(world.leans) == [FREE, FREE, SLIDES, STICKS]


def test_leaning_ends_and_begins():
    """Drawn away: free. More across than friction holds: slides. About to pass the contact: leans."""
    up = np.pi / 2
    world = motion([row(up)] * 4, [(0.0, -1.0), (0.0, -1.0), (0.2, -1.0), (0.0, 0.0)], STICKS)
    world.kick[:] = [(0.0, 0.6), (0.3, 0.0), (0.0, 0.0), (0.0, 0.0)]
    world.leans[3] = FREE
    world.velocity[3] = 0.0, -0.1
    assert change_leans(ALL, world, True)
    assert list(world.leans) == [FREE, SLIDES, STICKS, SLIDES]
    world.leans[3] = FREE
    world.leans[:3] = [FREE, SLIDES, STICKS]
    world.velocity[:3] = 0.0
    assert not change_leans(ALL, world, False)


@pytest.mark.parametrize("end", [0, 2])
def test_the_strongest_contact_of_each_particle(end):
    """A particle on the edge of a wall: its side, what the other yields, and the speed at which it may close."""
    contacts = np.array([(0, 4, 5), (0, 4, 5), (1, 2, 3)])
    normals = np.array([(0.0, 1.0), (1.0, 0.0), (0.0, 1.0)])
    data = {
        "along": np.array([0.5, 0.5, end / 2.0]), "gaps": np.array([-0.01, 0.02, 0.004]),
        "impulse": np.array([2.0, 3.0, 1.0]), "rubbing": np.array([0.1, 1.5, 0.0]), "friction": np.full(3, 0.5),
        "surface": np.zeros(3), "active": np.array([1.0, 0.0, 1.0]),
    }  # fmt: skip
    pushes = np.column_stack((normals, *data.values()))
    leaning = np.zeros((4, 8))
    weight = np.array([1.0, 2.0, 3.0, 6.0, 0.0, 0.0])
    find_leaning(
        contacts, pushes, 0.01, 4, np.array([0, 1, 2, 2], np.uint32), weight, np.ones((4, 2)),
        np.array([(0.0, 0.5), (0.0, 0.5)]), np.array([0, 1, 2, 3]), np.zeros(4, np.bool_), leaning,
    )  # fmt: skip
    assert leaning[0] == pytest.approx([0.0, 1.0, 0.0, 0.5, 2.0, 0.5, 0.0, 1.0])
    edge, near = (3.0, 2) if end == 0 else (6.0, 3)
    assert leaning[1] == pytest.approx([0.0, 1.0, edge / (2.0 + edge), 1.0 - 0.4, 1.0, 0.5, -1.0, 1.0])
    assert leaning[near][:4] == pytest.approx([0.0, -1.0, 2.0 / (2.0 + weight[near]), -1.0 - 0.4])
    assert leaning[5 - near, 4] == 0.0


class Bend:
    """Two limits at a right angle or less, with a tension T."""

    def __init__(self, angle, *, lengths=(0.1, 0.3), tension=0.0, mass=(0.01, 0.02, 0.05)):
        turn = np.array([np.cos(angle), np.sin(angle)])
        self.position = np.array([(-lengths[0], 0.0), (0.0, 0.0), lengths[1] * turn])
        self.inverse_mass, self.lengths = 1.0 / np.array(mass), lengths
        self.impulse = np.array([-tension, -tension, 0.0])
        self.weight, self.softness, self.direction = np.zeros(7), np.zeros(3), np.zeros((3, 2))
        self.alive = np.array([True, True, False])

    def aim(self, dt, predicted=None):
        aim_bends(
            np.array([2]), np.array([(0, 1)]), np.array([0, 2, 4, 7]), np.array([0, 1, 1, 2, 0, 1, 2]), self.position,
            self.inverse_mass, self.impulse, np.zeros((3, 2)) if predicted is None else predicted, dt, self.weight,
            self.alive, np.ones((3, 2)), self.direction, self.softness,
        )  # fmt: skip
        s = self.weight[4:]
        return s, (s * s * self.inverse_mass).sum()


@pytest.mark.parametrize("angle", [0.0, 0.4, -1.5])
def test_a_tense_bend_is_damped_with_the_square_of_k(angle):
    bend = Bend(angle, tension=1.0)
    s, mobility = bend.aim(0.5)
    k = 0.5 * 0.5 * bend.inverse_mass[1] * (1.0 / 0.1 + 1.0 / 0.3)
    assert s == pytest.approx([10.0, -10.0 - 1.0 / 0.3, 1.0 / 0.3])
    assert bend.alive[2]
    assert bend.softness[2] == pytest.approx(SHORTEST_WAVE * mobility / (SHARE * k * k))
    force = s[:, None] * bend.direction[2]
    assert force.sum(axis=0) == pytest.approx((0.0, 0.0))
    turn = bend.position[:, 0] * force[:, 1] - bend.position[:, 1] * force[:, 0]
    assert turn.sum() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("rate", [0.5, 3.0])
def test_a_sharp_turn_is_braked_to_what_a_substep_can_follow(rate):
    """The relative turn of both pairs in a substep ends at SHARPEST, where nothing else acts on them."""
    dt = 0.01
    bend = Bend(0.0, tension=1e-12)
    predicted = np.zeros((3, 2))
    predicted[2, 1] = rate * SHARPEST / dt * 0.3
    _, mobility = bend.aim(dt, predicted)
    assert bend.alive[2] == (rate > 1.0)
    if rate > 1.0:
        speed = rate * SHARPEST / dt
        after = speed * bend.softness[2] / (bend.softness[2] + mobility)
        assert after * dt == pytest.approx(SHARPEST)


@pytest.mark.parametrize("fault", ["slack", "dead", "folded", "no length", "calm"])
def test_bends_that_need_no_damper(fault):
    bend = Bend(np.pi if fault == "folded" else 0.3, lengths=(0.1, 0.1), tension=1e-9 if fault == "calm" else 1.0)
    if fault == "slack":
        bend.impulse[1] = 0.0
    if fault == "dead":
        bend.alive[0] = False
    if fault == "no length":
        bend.position[0] = 0.0
    bend.aim(0.5)
    assert not bend.alive[2]
