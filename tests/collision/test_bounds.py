"""How far bodies may go before contacts are looked for again."""

import math

import numpy as np
import pytest

from ecs_softbody.collision.detect.margin_check import (
    LastSearch,
    Particles,
    exceeds_margin,
    find_limits,
)
from ecs_softbody.collision.detect.margins import (
    Bounding,
    Bounds,
    ParticleSpans,
    find_bounds,
    set_margins,
)
from ecs_softbody.geometry.outlines import DISCS, LOOP, Outlines, Shapes
from ecs_softbody.indices import arange, full, repeat
from ecs_softbody.parallel.workers import Workers

BODIES = 5
POINTS = 4
DT = 0.01
START = np.arange(BODIES, dtype=np.uint32) * POINTS
STOP = START + np.uint32(POINTS)


def outrun(position, velocity, place, margin, *, slots=None, folds=(), own=0.0):
    """Ask the kernel; the rows of a wall lie behind those of the particles."""
    slots = arange(BODIES) if slots is None else np.array(slots, np.int64)
    limits = np.zeros(BODIES * POINTS + 3)
    own_margin = np.full(BODIES, own)
    folding = np.isin(arange(BODIES), folds)
    spans = ParticleSpans(START, STOP)
    find_limits(
        slots,
        spans,
        Bounds(np.zeros((BODIES, 4)), margin, margin, own_margin, margin, folding),
        limits,
    )
    active = np.array([[START[i], STOP[i]] for i in slots], np.int64).reshape(-1, 2)
    place = np.vstack((place, np.zeros((3, 2))))
    last = LastSearch(place, limits, own_margin, folding)
    return exceeds_margin(active, slots, spans, Particles(position, velocity), last, DT)


def still(margin=0.1):
    rng = np.random.default_rng(1)
    place = rng.normal(size=(BODIES * POINTS, 2))
    return place.copy(), np.zeros_like(place), place, np.full(BODIES, margin)


def twin(position, velocity, place, limit):
    now = position - place
    then = position - place + DT * velocity
    limit = repeat(limit, POINTS)
    return bool((((now**2).sum(axis=1) > limit**2) | ((then**2).sum(axis=1) > limit**2)).any())


@pytest.mark.parametrize("seed", range(30))
def test_it_tells_what_a_plain_comparison_tells(seed):
    rng = np.random.default_rng(seed)
    place = rng.normal(size=(BODIES * POINTS, 2))
    position = place + 0.04 * rng.normal(size=place.shape)
    velocity = 4.0 * rng.normal(size=place.shape)
    margin = rng.uniform(0.05, 0.2, BODIES)
    assert outrun(position, velocity, place, margin) == twin(position, velocity, place, margin)


@pytest.mark.parametrize("row", range(BODIES * POINTS))
def test_one_particle_is_enough_by_place_or_by_speed(row):
    position, velocity, place, margin = still()
    assert not outrun(position, velocity, place, margin)
    position[row, 0] += 0.05
    assert not outrun(position, velocity, place, margin)
    velocity[row, 0] = 6.0
    assert outrun(position, velocity, place, margin)


def test_bodies_that_do_not_move_and_those_without_a_place_are_left_out():
    position, velocity, place, margin = still()
    position[START[2]] += 1.0
    assert outrun(position, velocity, place, margin)
    assert not outrun(position, velocity, place, margin, slots=[0, 1, 3, 4])
    position[START[2]] = math.nan
    assert not outrun(position, velocity, place, margin)
    position[START[4]] += 1.0
    assert outrun(position, velocity, place, margin)


def test_a_body_that_touches_itself_may_not_fold_further_than_its_own_margin():
    position, velocity, place, margin = still()
    position[START[3], 1] += 0.04
    assert not outrun(position, velocity, place, margin, folds=[3], own=0.05)
    assert not outrun(position, velocity, place, margin, folds=[2], own=0.01)
    assert outrun(position, velocity, place, margin, folds=[3], own=0.01)


def bounds_of_crowd(seed):
    """Return a crowd of rings and discs at random places and speeds, its boxes as they were grown
    first, and pairs.
    """
    rng = np.random.default_rng(seed)
    bodies = 24
    points = 6
    rows = arange(bodies * points).reshape(bodies, points)
    angle = 2.0 * np.pi * arange(points) / points
    middle = rng.uniform(0.0, 6.0, (bodies, 1, 2))
    position = (middle + 0.3 * np.column_stack([np.cos(angle), np.sin(angle)])).reshape(-1, 2)
    velocity = repeat(
        rng.normal(size=(bodies, 2)) * 10.0 ** rng.uniform(-2, 1, (bodies, 1)), points, axis=0
    )
    kind = rng.choice(np.array([DISCS, LOOP], np.int64), bodies)
    outlines = Outlines(rows.ravel().astype(np.uint32), rows[:, 0].copy(), rows[:, -1] + 1, kind)
    shapes = Shapes(position, np.full(len(position), 0.04), outlines)
    spans = ParticleSpans(rows[:, 0].astype(np.uint32), (rows[:, -1] + 1).astype(np.uint32))
    bounds = Bounds(
        np.zeros((bodies, 4)), np.zeros(bodies), *np.zeros((3, bodies)), np.zeros(bodies, np.bool_)
    )
    task = Bounding(shapes, velocity, spans, 2.5 / 60, 1.25 / 480, bounds)
    Workers().run_alone(lambda *team: find_bounds(task, *team))
    pairs = np.array(
        [(i, j) for i in range(bodies) for j in range(i + 1, bodies) if overlap(bounds.box, i, j)],
        np.int64,
    )
    return task, pairs.reshape(-1, 2).astype(np.int64)


def overlap(box, i, j):
    return bool((box[i, :2] <= box[j, 2:]).all() and (box[j, :2] <= box[i, 2:]).all())


@pytest.mark.parametrize("seed", range(30))
def test_pairs_that_are_left_out_are_further_apart_than_both_may_go(seed):
    task, pairs = bounds_of_crowd(seed)
    bounds = task.bounds
    position = task.shapes.position.reshape(24, 6, 2)
    every = pairs.tolist()
    kept = {(i, j) for i, j in pairs[: set_margins(pairs, task)].tolist()}
    assert kept == {(i, j) for i, j in every if overlap(bounds.box, i, j)}
    for i in range(24):
        for j in range(i + 1, 24):
            if (i, j) in kept:
                continue
            low = position.min(axis=1) - 0.04
            high = position.max(axis=1) + 0.04
            apart = np.maximum(low[i] - high[j], low[j] - high[i]).max()
            assert apart >= bounds.margin[i] + bounds.margin[j] - 1e-9


@pytest.mark.parametrize("seed", range(30))
def test_no_margin_lasts_much_longer_than_the_first_that_is_outrun(seed):
    task, pairs = bounds_of_crowd(seed)
    set_margins(pairs, task)
    bounds = task.bounds
    kind = task.shapes.outlines.kind
    speed = np.hypot(*task.velocity[::6].T)
    least = np.where(kind == DISCS, 0.2 * 0.04, 0.04).clip(min=0.01)
    lasts = bounds.margin / speed
    more = bounds.margin > least + 1e-12
    first = lasts[more].min() if more.any() else np.inf
    assert (lasts[more] <= max(1.25 * first, task.least_seconds * 1.25) * (1 + 1e-9)).all()
    crowded = (kind == LOOP) & bounds.crowded
    assert (bounds.margin[crowded] <= 2 * 0.04 + 1e-12).all()


def test_what_has_no_other_body_near_looks_further_ahead():
    for gap, most in ((0.2, 0.08), (50.0, 0.3)):
        rows = arange(8).reshape(2, 4)
        square = np.array([(0.0, 0.0), (0.6, 0.0), (0.6, 0.6), (0.0, 0.6)])
        outlines = Outlines(
            rows.ravel().astype(np.uint32), rows[:, 0].copy(), rows[:, -1] + 1, full(2, LOOP)
        )
        shapes = Shapes(
            np.concatenate([square, square + np.array((0.6 + gap, 0.0))]),
            np.full(8, 0.04),
            outlines,
        )
        spans = ParticleSpans(rows[:, 0].astype(np.uint32), (rows[:, -1] + 1).astype(np.uint32))
        bounds = Bounds(np.zeros((2, 4)), np.zeros(2), *np.zeros((3, 2)), np.zeros(2, np.bool_))
        velocity = repeat([(8.0, 0.0), (0.0, 0.0)], 4, axis=0)
        task = Bounding(shapes, velocity, spans, 2.5 / 60, 1.25 / 480, bounds)
        Workers().run_alone(lambda *team, task=task: find_bounds(task, *team))
        pairs = (
            np.array([(0, 1)] if overlap(bounds.box, 0, 1) else []).reshape(-1, 2).astype(np.int64)
        )
        assert set_margins(pairs, task) == (gap < 1.0)
        assert bounds.margin[0] == pytest.approx(
            min(most + 0.04 * (gap > 1.0), 8.0 * 2.5 / 60), rel=0.01
        )
