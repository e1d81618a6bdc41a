"""Archives: many moments in little room, each of them as it was."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_softbody.play import Controls, GameSnapshot, Recorder, ReplayPlayer
from ecs_softbody.play.replay import player as replay_player
from ecs_softbody.state.archives.archive import Archive
from ecs_softbody.state.archives.differences import apply_differences, pack_differences, packed
from tests.snapshots.small_game import Hop

FEW = settings(max_examples=60, deadline=None)


@FEW
@given(st.integers(0, 400), st.integers(0, 2**32 - 1), st.floats(0.0, 1.0), st.integers(0, 63))
def test_differences_are_found_and_put_back(
    words: int, seed: int, share: float, shift: int
) -> None:
    rng = np.random.default_rng(seed)
    before = rng.integers(0, 2**64, words, dtype=np.uint64)
    change = rng.integers(0, 2**64, words, dtype=np.uint64) >> np.uint64(shift)
    now = np.where(rng.random(words) < share, before ^ change, before)
    differing = int((now != before).sum())
    data = packed(before, now)
    assert len(data) <= 9 * differing + 13 * min(differing, words // 64 + 1)
    assert apply_differences(np.frombuffer(data, np.uint8), before)
    assert np.array_equal(before, now)


@FEW
@given(st.integers(0, 2**32 - 1))
def test_what_does_not_fit_is_refused(seed: int) -> None:
    rng = np.random.default_rng(seed)
    before = np.zeros(100, np.uint64)
    now = rng.integers(1, 2**64, 100, dtype=np.uint64)
    data = np.frombuffer(packed(before, now), np.uint8)
    assert not apply_differences(data[: rng.integers(1, len(data))], np.zeros(100, np.uint64))
    assert not apply_differences(data, np.zeros(rng.integers(0, 100), np.uint64))
    rubbish = rng.integers(0, 256, rng.integers(1, 200), dtype=np.uint8)
    apply_differences(rubbish, np.zeros(100, np.uint64))  # writes nowhere else
    assert pack_differences(now, now, np.zeros(0, np.uint8)) == 0


def seen_of(game: Hop) -> tuple[object, ...]:
    chances = random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[union-attr] # noqa: NPY002
    return game.sim.state_hash(), list(game.balls), dict(game.score), game.frames, chances


@pytest.mark.slow
def test_every_moment_comes_back_from_an_archive_in_any_order() -> None:
    game = Hop()
    archive = Archive()
    seen = dict[int, tuple[object, ...]]()
    last = None
    game.begin()
    for frame in range(36):
        game.advance(game.autopilot())
        if frame % 3 == 0:
            last = GameSnapshot(game, before=last)
            seen[archive.add(last.taken_apart())] = seen_of(game)
            random.random()
    numbers = list(seen)
    random.Random(3).shuffle(numbers)
    for number in numbers:
        GameSnapshot.put_together(game, archive.get(number)).restore()
        assert seen_of(game) == seen[number]
        game.advance(game.autopilot())  # what follows shares with what was gone back to
    for expected in (6, 3, 2):
        kept = archive.forget_every_second([])
        before = archive.nbytes
        assert len(kept) == len(archive) == expected
        for number in kept:
            GameSnapshot.put_together(game, archive.get(number)).restore()
            assert seen_of(game) == seen[number]
        assert archive.nbytes == before
    assert archive.add(GameSnapshot(game).taken_apart()) % 8 == 0
    assert archive.forget_every_second([8]) == [0, 8, 16]
    game.close()


@pytest.mark.slow
def test_an_archive_takes_a_small_part_of_what_moments_take() -> None:
    game = Hop()
    archive = Archive()
    last = None
    whole = 0
    game.begin()
    for _ in range(40):
        game.advance(game.autopilot())
        last = GameSnapshot(game, before=last)
        parts = last.taken_apart()
        whole += sum(each.nbytes for each in parts.arrays.values())
        archive.add(parts)
    assert archive.nbytes < 0.25 * whole
    game.close()


@pytest.mark.slow
@pytest.mark.parametrize("dear", [1.0, 5.0])
def test_moments_are_closer_where_frames_take_longer(
    monkeypatch: pytest.MonkeyPatch, dear: float
) -> None:
    game = Hop()
    game.recorder = recorder = Recorder()
    game.begin()
    for _ in range(60):
        game.advance(game.autopilot())
    replay = recorder.finished()
    game.close()
    clock = {"now": 0.0}

    def thread_time() -> float:
        """Every second look is at the end of a frame, which took longer in the second half."""
        clock["now"] += 0.001 * (dear if player.frame >= 30 else 1.0)
        return clock["now"]

    monkeypatch.setattr(replay_player, "MOST_PLAYED", 0.0095)
    player = ReplayPlayer(Hop, replay)
    monkeypatch.setattr(replay_player, "thread_time", thread_time)
    player.prepare()
    kept = sorted(player.kept_frames)
    steps = np.diff(kept)
    assert steps[: 60 // 20].tolist() == [10] * 3
    assert set(steps[kept.index(30) :].tolist()) == {10 if dear == 1.0 else 2}
    player.game.close()


@pytest.mark.slow
def test_where_memory_ends_every_second_moment_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Hop()
    game.recorder = recorder = Recorder()
    game.begin()
    for frame in range(60):
        game.advance(Controls(held={"z"}) if 40 < frame < 44 else game.autopilot())
    replay = recorder.finished()
    game.close()
    monkeypatch.setattr(replay_player, "MOST_PLAYED", 0.0)
    monkeypatch.setattr(replay_player, "MOST_BYTES", 100_000)
    player = ReplayPlayer(Hop, replay)
    seen = [player.game.sim.state_hash()]
    while not player.at_end:
        player.step()
        seen.append(player.game.sim.state_hash())
    assert player.divergence is None
    assert len(player.kept_frames) < 40
    for frame in (60, 3, 42, 50, 0, 44):
        player.seek(frame)
        assert player.game.sim.state_hash() == seen[frame]
    player.game.close()
