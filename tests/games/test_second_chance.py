"""The jelly platformer turns time back, and is raced by the ghost of its best run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ecs_softbody.play import FRAME, Controls, Ghost, Recorder, ReplayPlayer
from ecs_softbody.rendering import Picture
from ecs_softbody_games.jelly_platformer import JellyPlatformer
from ecs_softbody_games.jelly_platformer.levels.level import Hazard
from ecs_softbody_games.jelly_platformer.second_chance import FULL, LEAST
from tests.helpers.games import play_frame
from tests.helpers.platformer import Make, flat_level, run

SPIKES = Hazard((6.0, 0.0), (7.0, 0.5), "spikes")


def turn(game: JellyPlatformer, frames: int, key: str = "z") -> None:
    for _ in range(frames):
        play_frame(game, Controls(held={key}))


@pytest.mark.slow
@pytest.mark.parametrize("key", ["z", "shift", "pad_x", "pad_lb"])
def test_a_lost_life_is_undone_and_the_clock_of_the_run_goes_on(make: Make, key: str) -> None:
    game = make(flat_level(hazards=(SPIKES,), coins=((2.0, 0.6),)), settle=60)
    while game.falls == 0:
        run(game, 1, "right")
    time = game.time
    place = game.hero.position
    frame = game.sim.frame
    turn(game, 30, key)
    assert game.falls == 0
    assert game.sim.frame == pytest.approx(frame - 60, abs=2)
    assert game.hero.position[0] < place[0] - 3.0
    assert game.coins == 0
    assert game.time == pytest.approx(time + 30 * FRAME)
    game.sounds.played.clear()
    run(game, 30, "right")
    assert game.hero.velocity[0] > 3.0


@pytest.mark.slow
def test_the_charge_has_an_end_and_comes_again(make: Make) -> None:
    game = make(flat_level(coins=((0.0, 0.6),)), settle=0)
    run(game, 300)
    assert game.chance.charge == FULL
    frame = game.sim.frame
    turn(game, 150)
    assert frame - game.sim.frame == pytest.approx(180 - 60, abs=4), (
        "90 frames back, two at a time, then 60 on"
    )
    assert not game.chance.is_ready
    assert game.chance.charge < LEAST
    stopped = game.sim.frame
    turn(game, 10)
    assert game.sim.frame == stopped + 10, "a charge that is used up turns nothing"
    run(game, 300)
    assert game.chance.is_ready


@pytest.mark.slow
def test_the_charge_is_on_the_screen_and_so_are_key_and_ghost(make: Make) -> None:
    game = make(flat_level(), settle=60)
    assert ("rewind", "turn time back") in game.keys
    assert game.key_text("rewind") == "Z"
    counts = []
    for frames in (0, 20):
        turn(game, frames)
        picture = Picture(640, 360)
        picture.clear(640, 360, game.camera.view(640, 360, 1.0))
        game.draw(picture, 1.0)
        counts.append(len(picture.triangles()[1]))
    assert counts[1] != counts[0]


@pytest.mark.slow
def test_the_best_run_is_kept_and_drawn(make: Make, tmp_path: Path) -> None:
    level = flat_level(flag=(6.0, 0.0), name="best run")
    times = []
    for wait in (30, 0, 60):
        game = make(level, settle=0)
        game.saves.open(tmp_path)
        game.begin()
        before = game.run.time
        assert before == (min(times) if times else None)
        run(game, wait)
        for _ in range(400):
            run(game, 1, "right")
            if game.cheer_for > 0.0 and game.outcome is None:
                times.append(game.time)
                break
        while game.outcome is None:
            run(game, 1)
    assert [file.stem.partition("~")[0] for file in tmp_path.glob("*.ghost")] == [
        "jelly-platformer+best-run"
    ]
    ghost = Ghost.load(next(tmp_path.glob("*.ghost")))
    assert ghost.result == pytest.approx(min(times))
    assert ghost.frames == pytest.approx(min(times) / FRAME, abs=1.0)
    end = ghost.at(3 * (ghost.frames // 3) - 3)
    assert end is not None
    assert end[:, 0].mean() == pytest.approx(6.0, abs=1.5)
    next(tmp_path.glob("*.ghost")).write_bytes(b"rubbish")
    game = make(level, settle=0)
    game.saves.open(tmp_path)
    game.begin()
    assert game.run.ghost is None


def recorded(frames: int) -> JellyPlatformer:
    """Play a recorded round in which time turns back twice."""
    game = JellyPlatformer()
    game.recorder = Recorder()
    game.begin()
    for frame in range(frames):
        controls = game.autopilot()
        if 90 <= frame < 120 or 150 <= frame < 160:
            controls = Controls(held={"z"})
        game.advance(controls)
    return game


@pytest.mark.slow
def test_a_replay_in_which_time_turns_back_goes_on_after_seeking() -> None:
    game = recorded(200)
    assert isinstance(game.recorder, Recorder)
    player = ReplayPlayer(JellyPlatformer, game.recorder.finished())
    player.prepare()
    assert player.divergence is None
    end = player.game.sim.state_hash()
    assert end == game.sim.state_hash()
    for frame in (117, 141):
        player.seek(frame)
        assert player.frame == frame
        player.seek(200)
        assert player.game.sim.state_hash() == end
    player.game.close()
    game.close()


@pytest.mark.slow
def test_a_recorded_run_verifies_after_a_restart_with_an_empty_cache(tmp_path: Path) -> None:
    game = recorded(180)
    assert isinstance(game.recorder, Recorder)
    path = game.recorder.finished().save(tmp_path / "run.replay")
    game.close()
    empty = {
        name: str(tmp_path / name)
        for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "ECS_SOFTBODY_DATA", "HOME")
    }
    command = [sys.executable, "-m", "ecs_softbody", "replay", str(path), "--verify"]
    done = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | empty, check=False
    )
    assert (done.returncode, "the same in every frame" in done.stdout) == (0, True), done.stderr
