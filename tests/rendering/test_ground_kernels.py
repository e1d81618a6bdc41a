"""Grass and shadows: the kernels do what numpy does."""

import numpy as np
import pytest

from ecs_softbody.indices import arange, argmin
from ecs_softbody.rendering.mesh.blades import (
    BREEZE,
    DAMPING,
    FRAME,
    LAID,
    REACH,
    SWING,
    bend_blades,
    shape_blades,
)
from ecs_softbody.rendering.mesh.ground_below import find_ground_below, place_shadows


def pushed(feet: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Return how far particles (P, 2) turn blades (N, 2): the nearest one counts."""
    wanted = np.zeros(len(feet))
    ground = np.interp(position[:, 0], *feet.T)
    near = (np.abs(position[:, 1] - ground) < REACH) & (position[:, 0] > feet[0, 0] - REACH)
    near &= position[:, 0] < feet[-1, 0] + REACH
    if near.any():
        away = feet[:, None, 0] - position[None, near, 0]
        away = away[arange(len(feet)), argmin(np.abs(away), axis=1)]
        wanted = LAID * np.sign(away) * np.maximum(1.0 - np.abs(away) / REACH, 0.0)
    return wanted


@pytest.mark.parametrize("count", [0, 1, 7, 60])
@pytest.mark.parametrize("frames", [0, 1, 5])
def test_blades_bend_as_numpy_says(count: int, frames: int) -> None:
    random = np.random.default_rng(count)
    feet = np.column_stack((np.sort(random.uniform(-3.0, 3.0, 40)), random.uniform(-0.3, 0.3, 40)))
    position = random.uniform((-4.0, -0.6), (4.0, 0.6), (count, 2))
    position[::5] = np.nan
    speed, bent = random.uniform(-1.0, 1.0, (2, 40))
    expected_speed = speed.copy()
    expected = bent.copy()
    wanted = pushed(feet, position[np.isfinite(position).all(axis=1)])
    for _ in range(frames):
        expected_speed += FRAME * (SWING**2 * (wanted - expected) - DAMPING * expected_speed)
        expected += FRAME * expected_speed
    bend_blades(feet, position, frames, np.zeros(40), speed, bent)
    assert bent == pytest.approx(expected, abs=1e-9)
    assert speed == pytest.approx(expected_speed, abs=1e-9)


def test_no_blades_and_no_places_are_nothing_to_do() -> None:
    none = np.zeros(0)
    empty = np.zeros((0, 2))
    bend_blades(empty, np.zeros((3, 2)), 1, none, none, none)
    shape_blades(empty, none, none, none, 1.0, 0.03, np.zeros((3, 0, 2)))
    find_ground_below(empty, np.zeros(0, np.int64), empty, none)


@pytest.mark.parametrize("time", [0.0, 2.5, 600.0])
def test_blades_are_as_long_as_they_should_be_and_sway(time: float) -> None:
    random = np.random.default_rng(3)
    feet = random.uniform(-9.0, 9.0, (30, 2))
    (length, lean, bent) = random.uniform(0.1, 0.3, (3, 30))
    points = np.empty((3, 30, 2))
    shape_blades(feet, length, lean, bent, time, 0.03, points)
    turn = lean + bent + BREEZE * np.sin(1.8 * time + 0.9 * feet[:, 0])
    middle = feet + 0.55 * length[:, None] * np.column_stack(
        (np.sin(0.55 * turn), np.cos(0.55 * turn))
    )
    tip = middle + 0.45 * length[:, None] * np.column_stack(
        (np.sin(1.45 * turn), np.cos(1.45 * turn))
    )
    assert points == pytest.approx(np.stack((feet - (0.0, 0.03), middle, tip)), abs=1e-9)


def highest_ground(
    starts: np.ndarray, ends: np.ndarray, x: np.ndarray, y: np.ndarray
) -> np.ndarray:
    """Return the height of the highest segment below each point, -inf where there is none."""
    low = np.minimum(starts[:, 0], ends[:, 0])
    high = np.maximum(starts[:, 0], ends[:, 0])
    run = ends[:, 0] - starts[:, 0]
    run = np.where(np.abs(run) < 1e-9, 1e-9, run)
    heights = starts[:, 1] + (ends[:, 1] - starts[:, 1]) * (x[:, None] - starts[:, 0]) / run
    below = (x[:, None] >= low) & (x[:, None] <= high) & (heights <= y[:, None])
    return np.where(below, heights, -np.inf).max(axis=1)


@pytest.mark.parametrize("seed", range(8))
def test_the_ground_below_is_the_highest_segment_under_a_place(seed: int) -> None:
    random = np.random.default_rng(seed)
    chains = [random.uniform(-5.0, 5.0, (count, 2)) for count in random.integers(2, 9, 4)]
    chains.append(np.array(((1.0, -4.0), (1.0, 4.0), (2.0, 4.0))))  # a wall
    places = random.uniform(-6.0, 6.0, (25, 2))
    places[0, 0] = 1.5
    ground = np.empty(25)
    find_ground_below(
        np.concatenate(chains),
        np.cumsum([len(chain) for chain in chains], dtype=np.int64),
        places,
        ground,
    )
    starts, ends = (
        np.concatenate([chain[part] for chain in chains]) for part in (slice(-1), slice(1, None))
    )
    expected = highest_ground(starts, ends, *places.T)
    assert np.isfinite(expected).any()
    assert np.isinf(expected).any()
    assert ground == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_shadows_are_darker_and_smaller_the_lower_a_body_is(seed: int) -> None:
    random = np.random.default_rng(seed)
    boxes = random.uniform(0.0, 300.0, (40, 8))
    ground = random.uniform(-200.0, 200.0, 40)
    ground[::7] = -np.inf
    found = np.empty((40, 5))
    count = place_shadows(boxes, ground, 50.0, 4.0, 3.0, found)
    height = (boxes[:, 4] - ground) / 50.0
    near = height < 4.0
    share = 1.0 - np.clip(height[near], 0.0, 4.0) / 4.0
    wide = 0.5 * (boxes[near, 5] - boxes[near, 3]) * (0.75 + 0.35 * share)
    expected = (boxes[near, 0], ground[near] - 1.0, wide, np.maximum(0.16 * wide, 3.0), share**1.5)
    assert 0 < count < 40
    assert found[:count] == pytest.approx(np.column_stack(expected), abs=1e-9)
