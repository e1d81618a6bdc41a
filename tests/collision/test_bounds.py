"""How far bodies may go before contacts are looked for again."""

import math

import numpy as np
import pytest

from ecs_softbody.collision.detect.margins import (
    Bounds,
    LastSearch,
    Particles,
    ParticleSpans,
    exceeds_margin,
    find_limits,
)

BODIES, POINTS, DT = 5, 4, 0.01
START = np.arange(BODIES, dtype=np.uint32) * POINTS
STOP = START + np.uint32(POINTS)


def outrun(position, velocity, place, margin, slide, *, new_frame=False, slots=None, folds=(), own=0.0):
    """Ask the kernel; the rows of a wall lie behind those of the particles."""
    slots = np.arange(BODIES) if slots is None else np.array(slots)
    limits = np.zeros((2, BODIES * POINTS + 3))
    own_margin, folding = np.full(BODIES, own), np.isin(np.arange(BODIES), folds)
    spans = ParticleSpans(START, STOP)
    find_limits(slots, spans, Bounds(np.zeros((BODIES, 4)), margin, margin, own_margin, slide), limits)
    active = np.array([[START[i], STOP[i]] for i in slots], np.int64).reshape(-1, 2)
    place = np.vstack((place, np.zeros((3, 2))))
    last = LastSearch(place, limits, own_margin, folding)
    return exceeds_margin(active, slots, spans, Particles(position, velocity), last, DT, new_frame)


def still(margin=0.1, slide=0.01):
    rng = np.random.default_rng(1)
    place = rng.normal(size=(BODIES * POINTS, 2))
    return place.copy(), np.zeros_like(place), place, np.full(BODIES, margin), np.full(BODIES, slide)


def twin(position, velocity, place, limit):
    now, then = position - place, position - place + DT * velocity
    limit = np.repeat(limit, POINTS)
    return bool((((now**2).sum(axis=1) > limit**2) | ((then**2).sum(axis=1) > limit**2)).any())


@pytest.mark.parametrize("seed", range(30))
def test_it_tells_what_a_plain_comparison_tells(seed):
    rng = np.random.default_rng(seed)
    place = rng.normal(size=(BODIES * POINTS, 2))
    position, velocity = place + 0.04 * rng.normal(size=place.shape), 4.0 * rng.normal(size=place.shape)
    margin, slide = rng.uniform(0.05, 0.2, BODIES), rng.uniform(0.05, 0.3, BODIES)
    assert outrun(position, velocity, place, margin, slide) == twin(position, velocity, place, margin)
    assert outrun(position, velocity, place, margin, slide, new_frame=True) == twin(position, velocity, place, slide)


@pytest.mark.parametrize("row", range(BODIES * POINTS))
def test_one_particle_is_enough_by_place_or_by_speed(row):
    position, velocity, place, margin, slide = still()
    assert not outrun(position, velocity, place, margin, slide)
    position[row, 0] += 0.05
    assert not outrun(position, velocity, place, margin, slide)
    assert outrun(position, velocity, place, margin, slide, new_frame=True)
    velocity[row, 0] = 6.0
    assert outrun(position, velocity, place, margin, slide)


def test_bodies_that_do_not_move_and_those_without_a_place_are_left_out():
    position, velocity, place, margin, slide = still()
    position[START[2]] += 1.0
    assert outrun(position, velocity, place, margin, slide)
    assert not outrun(position, velocity, place, margin, slide, slots=[0, 1, 3, 4])
    position[START[2]] = math.nan
    assert not outrun(position, velocity, place, margin, slide)
    position[START[4]] += 1.0
    assert outrun(position, velocity, place, margin, slide)


def test_a_body_that_touches_itself_may_not_fold_further_than_its_own_margin():
    position, velocity, place, margin, slide = still()
    position[START[3], 1] += 0.04
    assert not outrun(position, velocity, place, margin, slide, folds=[3], own=0.05)
    assert not outrun(position, velocity, place, margin, slide, folds=[2], own=0.01)
    assert outrun(position, velocity, place, margin, slide, folds=[3], own=0.01)
