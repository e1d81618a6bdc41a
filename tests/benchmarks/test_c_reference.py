"""The C reference does the work of S1, in both layouts."""

import itertools
from pathlib import Path

import numpy as np
import pytest

import c_reference
from c_reference import LAYOUTS, Substep, compiled, compiler, measure, runs_of
from scenes import FRAME, GRAVITY, SUBSTEPS, Scene, spring_grid

needs_compiler = pytest.mark.skipif(compiler() is None, reason="there is no C compiler")


def numpy_frame(scene: Scene, place: np.ndarray, velocity: np.ndarray) -> None:
    first, second = scene.pairs.T
    weight = np.where(scene.pinned, 0.0, 1.0 / scene.mass)[:, None]
    h = FRAME / SUBSTEPS
    for _ in range(SUBSTEPS):
        apart = place[second] - place[first]
        length = np.hypot(*apart.T)
        along = apart / length[:, None]
        speed = ((velocity[second] - velocity[first]) * along).sum(axis=1)
        pull = (scene.stiffness * (length - scene.rest_length) + scene.damping * speed)[
            :, None
        ] * along
        force = np.zeros_like(place)
        np.add.at(force, first, pull)
        np.subtract.at(force, second, pull)
        velocity += h * (weight * force + (weight > 0.0) * (0.0, GRAVITY))
        place += h * velocity


@pytest.mark.brief(2)
@needs_compiler
@pytest.mark.parametrize("layout", LAYOUTS)
def test_it_moves_as_numpy_does(layout: str, tmp_path: Path) -> None:
    scene = spring_grid(12)
    scene.pinned_count = 12
    scene.stiffness = 50.0
    substep = Substep(scene, layout, compiled(str(tmp_path)))
    place = scene.position.copy()
    velocity = np.zeros_like(scene.position)
    for _ in range(20):
        substep.step()
        numpy_frame(scene, place, velocity)
    assert np.abs(place - scene.position).max() > 0.01
    np.testing.assert_allclose(substep.positions(), place, atol=1e-10)


def test_runs_hold_every_spring_once_and_step_by_one() -> None:
    pairs = spring_grid(20).pairs
    order, starts = runs_of(pairs)
    assert sorted(order) == list(range(len(pairs)))
    for begin, end in itertools.pairwise(starts):
        assert end > begin
        assert (np.diff(pairs[order[begin:end]], axis=0) == 1).all()
    assert len(starts) < len(pairs) / 5


@pytest.mark.slow
@needs_compiler
def test_times_are_told_per_frame_and_spring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_reference, "ROUNDS", 1)
    scene = spring_grid(20)
    limit = measure(scene)
    assert limit is not None
    assert set(limit.milliseconds) == set(LAYOUTS)
    for layout in LAYOUTS:
        expected = 1e6 * limit.milliseconds[layout] / (SUBSTEPS * len(scene.pairs))
        assert limit.nanoseconds[layout] == pytest.approx(expected)


def test_without_a_compiler_there_is_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_reference.shutil, "which", lambda name: None)
    assert measure(spring_grid(5)) is None
