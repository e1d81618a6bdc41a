"""The scenes are what the documentation says, and quality is measured as it says."""

import numpy as np
import pytest

from quality import overlaps, quality_of
from scenes import NAMES, Scene, scene_named


@pytest.mark.parametrize(
    ("name", "particles", "bodies", "springs"),
    [
        ("S1", 10_000, 1, 39_402),
        ("S2_10", 240, 10, 600),
        ("S2_1000", 24_000, 1000, 60_000),
        ("S3_1000", 1000, 1000, 0),
        ("S4", 720, 20, 2200),
        ("S4_wide", 720, 20, 2200),
    ],
)
def test_counts(name: str, particles: int, bodies: int, springs: int) -> None:
    scene = scene_named(name)
    assert scene.position.shape == (particles, 2)
    assert scene.radius.shape == scene.mass.shape == scene.body.shape == (particles,)
    assert (scene.body_count, len(scene.pairs)) == (bodies, springs)
    assert (scene.body[scene.pairs[:, 0]] == scene.body[scene.pairs[:, 1]]).all()
    assert (np.diff(scene.body) >= 0).all()


@pytest.mark.brief(3)
@pytest.mark.parametrize("name", NAMES)
def test_nothing_overlaps_or_is_stretched_at_the_start(name: str) -> None:
    scene = scene_named(name)
    quality = quality_of(scene, scene.position)
    assert quality.overlap_max < 1e-9
    assert quality.wall_penetration < 1e-9
    assert quality.stretch_min == pytest.approx(1.0)
    assert quality.stretch_max == pytest.approx(1.0)
    assert quality.finite


def test_the_net_hangs_by_its_top_row() -> None:
    scene = scene_named("S1")
    assert scene.pinned.sum() == 100
    assert (scene.position[scene.pinned, 1] == scene.position[:, 1].max()).all()


def test_balls_have_their_sizes_and_masses() -> None:
    scene = scene_named("S3_100")
    np.testing.assert_allclose(scene.mass, np.pi * scene.radius**2)
    assert 0.1 <= scene.radius.min() < scene.radius.max() < 0.3


@pytest.mark.parametrize("name", ["S5", "S2_0", "S2_x", "S3_", "S2_1000000"])
def test_an_unknown_scene_is_told(name: str) -> None:
    with pytest.raises(SystemExit, match=f"unknown scene '{name}'; expected one of S1, "):
        scene_named(name)


def room(place: np.ndarray, radius: np.ndarray, body: np.ndarray) -> Scene:
    return Scene(
        "room",
        place,
        radius,
        np.ones(len(place)),
        body,
        np.zeros((0, 2), np.int64),
        0.0,
        0.0,
        3.0,
        0.0,
    )


def test_overlaps_are_those_of_all_pairs() -> None:
    random = np.random.default_rng(3)
    place = random.random((200, 2)) * 3.0
    radius = 0.05 + 0.1 * random.random(200)
    body = random.integers(0, 20, 200)
    found = overlaps(room(place, radius, body), place)
    expected = []
    for i in range(200):
        for j in range(i):
            depth = radius[i] + radius[j] - np.hypot(*(place[i] - place[j]))
            if depth > 0.0 and body[i] != body[j]:
                expected.append(depth / min(radius[i], radius[j]))
    assert len(expected) > 50
    np.testing.assert_allclose(np.sort(found), np.sort(expected))


def test_depth_in_a_wall_is_over_the_radius() -> None:
    place = np.array([(1.0, 0.15), (2.95, 1.0), (0.2, 1.0)])
    radius = np.array([0.2, 0.1, 0.2])
    quality = quality_of(room(place, radius, np.arange(3)), place)
    assert quality.wall_penetration == pytest.approx(0.5)
    place[0, 0] = np.nan
    assert not quality_of(room(place, radius, np.arange(3)), place).finite
