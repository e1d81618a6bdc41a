"""What joints write_support on, and what damps their bends, against numpy."""

import numpy as np
import pytest

from ecs_softbody.indices import arange
from ecs_softbody.kernels.joints.arrays import PUSHING_CONTACT, SUPPORT, JointMotion, Rows
from ecs_softbody.kernels.joints.bends import SHARE, SHARPEST, SHORTEST_WAVE, prepare_bends
from ecs_softbody.kernels.joints.contacts import (
    CREEP,
    FREE,
    SLIDES,
    STICKS,
    Touching,
    allowed_impulse,
    begin_supports,
    change_supports,
    find_supports,
    start_members,
)
from tests.helpers.groups import filled

ALL = arange(4)


def motion(support, predicted, contact_state=FREE, position=None, inverse_mass=None):
    count = len(support)
    position = np.zeros((count, 2)) if position is None else position
    inverse_mass = np.full(count, 2.0) if inverse_mass is None else inverse_mass
    return JointMotion(
        np.zeros(count, np.uint32),
        position,
        inverse_mass,
        np.array(predicted),
        np.zeros((count, 2)),
        np.zeros((count, 2)),
        np.array(support, SUPPORT),
        np.full(count, contact_state, np.int8),
        np.zeros((count, 2)),
    )


def row(angle, *, kept=0.0, least=0.0, strength=1.0, friction=0.5, across=0.0, rub=0.0, gives=0.0):
    return (
        np.cos(angle),
        np.sin(angle),
        kept,
        least,
        strength,
        friction,
        across,
        rub,
        gives,
        0.0,
        0.0,
        0.0,
    )


@pytest.mark.parametrize("kept", [0.0, 0.25, 1.0])
@pytest.mark.parametrize("angle", [0.0, 0.7, 2.5])
def test_an_impulse_goes_along_the_contact(angle, kept):
    """W/w = 1 - (1 - φ) n nᵀ while it slides, φ while it sticks."""
    world = motion([row(angle, kept=kept)], [(0.0, 0.0)])
    impulse = np.array([0.3, -1.1])
    normal = np.array([np.cos(angle), np.sin(angle)])
    share = np.eye(2) - (1.0 - kept) * np.outer(normal, normal)
    for contact_state, expected in (
        (FREE, impulse),
        (SLIDES, share @ impulse),
        (STICKS, kept * impulse),
    ):
        world.contact_state[0] = contact_state
        assert allowed_impulse(0, *impulse, world) == pytest.approx(tuple(expected))


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.5])
def test_friction_answers_what_goes_into_the_contact(angle):
    """W/w = 1 - (n + f μ t) nᵀ while it slides; while it sticks, a share of what goes along t is
    left.
    """
    normal = np.array([np.cos(angle), np.sin(angle)])
    across = np.array([-np.sin(angle), np.cos(angle)])
    impulse = np.array([0.3, -1.1])
    for sign in (-1.0, 1.0):
        world = motion([row(angle, friction=0.4, rub=sign)], [(0.0, 0.0)], SLIDES)
        share = np.eye(2) - np.outer(normal + sign * 0.4 * across, normal)
        assert allowed_impulse(0, *impulse, world) == pytest.approx(tuple(share @ impulse))
    world = motion([row(angle, gives=0.1)], [(0.0, 0.0)], STICKS)
    assert allowed_impulse(0, *impulse, world) == pytest.approx(
        tuple(0.1 * (impulse @ across) * across)
    )


@pytest.mark.compiles
def test_what_goes_into_a_contact_is_gone_at_the_start():
    world = motion([row(np.pi / 2, least=-0.5, across=0.25)] * 4, [(1.0, -3.0)] * 4)
    world.contact_state[:] = [FREE, SLIDES, STICKS, SLIDES]
    world.support[3]["yielding"] = 1.0
    world.impulse[:] = 7.0
    start_members(ALL, world)
    assert world.velocity == pytest.approx(
        np.array([(1.0, -3.0), (1.0, -0.5), (-0.25, -0.5), (1.0, -3.0)])
    )
    assert not world.impulse.any()


def test_contacts_that_pushed_support():
    world = motion(
        [
            row(0.0, strength=s, rub=r)
            for s, r in ((0.0, 1.0), (1e-101, 1.0), (1.0, -1.0), (1.0, 0.0))
        ],
        [(0, 0)] * 4,
    )
    begin_supports(ALL, world)
    assert list(world.contact_state) == [FREE, FREE, SLIDES, STICKS]


def test_supports_end_and_begin():
    """Drawn away: free.

    More across than friction holds: slides. About to pass the contact: contact_state.
    """
    up = np.pi / 2
    world = motion([row(up)] * 4, [(0.0, -1.0), (0.0, -1.0), (0.2, -1.0), (0.0, 0.0)], STICKS)
    world.impulse[:] = [(0.0, 0.6), (0.3, 0.0), (0.0, 0.0), (0.0, 0.0)]
    world.contact_state[3] = FREE
    world.velocity[3] = 0.0, -0.1
    assert change_supports(ALL, world, True)
    assert list(world.contact_state) == [FREE, SLIDES, STICKS, SLIDES]
    world.contact_state[3] = FREE
    world.contact_state[:3] = [FREE, SLIDES, STICKS]
    world.velocity[:3] = 0.0
    assert not change_supports(ALL, world, False)


@pytest.mark.parametrize("end", [0, 2])
def test_the_strongest_contact_of_each_particle(end):
    """A particle on the edge of a wall: its side, what the other yields, and the speed at which it
    may close.
    """
    contacts = np.array([(0, 4, 5), (0, 4, 5), (1, 2, 3)], np.uint32)
    pushes = np.zeros(3, PUSHING_CONTACT)
    pushes["normal_x"] = [0.0, 1.0, 0.0]
    pushes["normal_y"] = [1.0, 0.0, 1.0]
    pushes["edge_fraction"] = [0.5, 0.5, end / 2.0]
    pushes["separation"] = [-0.01, 0.02, 0.004]
    pushes["normal_impulse"] = [2.0, 3.0, 1.0]
    pushes["friction_impulse"] = [0.1, 1.5, 0.0]
    pushes["friction"] = 0.5
    pushes["active"] = [True, False, True]
    support = np.zeros(4, SUPPORT)
    weight = np.array([1.0, 2.0, 3.0, 6.0, 0.0, 0.0])
    touching = Touching(
        4,
        np.array([0, 1, 2, 2], np.uint32),
        weight,
        np.ones((4, 2)),
        np.array([(0.0, 0.5), (0.0, 0.5)]),
        np.zeros(0),
        np.zeros(4, np.bool_),
        np.full(4, -1, np.int64),
        np.ones(6),
        np.zeros(6),
        np.zeros(4),
    )
    find_supports(contacts, pushes, touching, np.array([0, 1, 2, 3], np.int64), support, 0.01)
    assert support[0].tolist()[:9] == pytest.approx(
        [0.0, 1.0, 0.0, 0.5, 2.0, 0.5, 0.0, 0.0, CREEP / (CREEP + 1.0)]
    )
    edge, near = (3.0, 2) if end == 0 else (6.0, 3)
    gives = CREEP / (CREEP + 1.0)
    assert support[1].tolist()[:9] == pytest.approx(
        [0.0, 1.0, edge / (2.0 + edge), 1.0 - 0.4, 1.0, 0.5, -1.0, 0.0, gives]
    )
    assert support[near].tolist()[:4] == pytest.approx(
        [0.0, -1.0, 2.0 / (2.0 + weight[near]), -1.0 - 0.4]
    )
    assert support[5 - near]["strength"] == 0.0
    pushes["bounce_speed"][0] = 0.7
    find_supports(contacts, pushes, touching, np.array([0, 1, 2, 3], np.int64), support, 0.01)
    # as fast as the wall, and what it bounces with
    assert support[0]["least"] == 0.5 + 0.7


class Bend:
    """Two limits at a right angle or less, with a tension T."""

    def __init__(self, angle, *, lengths=(0.1, 0.3), tension=0.0, mass=(0.01, 0.02, 0.05)):
        turn = np.array([np.cos(angle), np.sin(angle)])
        self.position = np.array([(-lengths[0], 0.0), (0.0, 0.0), lengths[1] * turn])
        self.inverse_mass = 1.0 / np.array(mass)
        self.lengths = lengths
        self.impulse = np.array([-tension, -tension, 0.0])
        self.coefficient = np.zeros(7)
        self.softness = np.zeros(3)
        self.direction = np.zeros((3, 2))
        self.alive = np.array([True, True, False])

    def aim(self, dt, predicted=None):
        rows = filled(
            Rows,
            term_first=[0, 2, 4, 7],
            particle=[0, 1, 1, 2, 0, 1, 2],
            coefficient=self.coefficient,
            impulse=self.impulse,
            alive=self.alive,
            offset=np.ones((3, 2)),
            direction=self.direction,
            softness=self.softness,
        )
        predicted = np.zeros((3, 2)) if predicted is None else predicted
        world = motion(
            np.zeros(3, SUPPORT), predicted, position=self.position, inverse_mass=self.inverse_mass
        )
        prepare_bends(np.array([2], np.int64), np.array([(0, 1)], np.int64), rows, world, dt)
        s = self.coefficient[4:]
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
    """The relative turn of both pairs in a substep ends at SHARPEST, where nothing else acts on
    them.
    """
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
    bend = Bend(
        np.pi if fault == "folded" else 0.3,
        lengths=(0.1, 0.1),
        tension=1e-9 if fault == "calm" else 1.0,
    )
    if fault == "slack":
        bend.impulse[1] = 0.0
    if fault == "dead":
        bend.alive[0] = False
    if fault == "no length":
        bend.position[0] = 0.0
    bend.aim(0.5)
    assert not bend.alive[2]
