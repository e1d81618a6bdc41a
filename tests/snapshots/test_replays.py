"""Replays, rewinding, ghosts: a game goes on as it went on."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, SnapshotError
from ecs_softbody.cli.main import main
from ecs_softbody.play import (
    Controls,
    GameSnapshot,
    Ghost,
    Recorder,
    Replay,
    ReplayPlayer,
    Rewind,
    Session,
)
from ecs_softbody.play.replay.game_snapshot import simulations_of
from tests.snapshots.small_game import Hop


def recorded(frames: int) -> Replay:
    game = Hop()
    game.recorder = recorder = Recorder()
    game.begin()
    for _ in range(frames):
        game.advance(game.autopilot())
    replay = recorder.finished()
    game.close()
    return Replay.from_bytes(replay.to_bytes())


@pytest.mark.slow
def test_a_replay_is_the_same_in_every_frame_and_small() -> None:
    replay = recorded(300)
    assert replay.frames == 300
    assert len(replay.to_bytes()) * 3600 / 300 < 100_000
    player = ReplayPlayer(Hop, replay)
    assert player.verify() is None
    assert player.frame == 300
    player.game.close()


@pytest.mark.slow
def test_seeking_gives_what_playing_gave() -> None:
    replay = recorded(120)
    player = ReplayPlayer(Hop, replay)
    hashes = [player.game.sim.state_hash()]
    while not player.at_end:
        player.step()
        hashes.append(player.game.sim.state_hash())
    for frame in (7, 119, 0, 64, 63, 120, 1):
        player.seek(frame)
        assert player.frame == frame
        assert player.game.sim.state_hash() == hashes[frame]
        assert player.game.frames == frame  # type: ignore[attr-defined]
    player.seek(3)
    while not player.at_end:
        player.step()
    assert player.divergence is None
    with pytest.raises(
        ValueError, match="121 is not allowed; expected a whole number >= 0 and <= 120"
    ):
        player.seek(121)
    player.game.close()


@pytest.mark.slow
def test_the_first_frame_and_the_component_that_diverge_are_named() -> None:
    replay = recorded(60)

    class Other(Hop):
        """The same game, a little different."""

        def after_step(self, dt: float) -> None:
            super().after_step(dt)
            if self.frames == 30:
                self.sim.get(self.hero, Particles).velocity[0, 0] += 1e-9

    player = ReplayPlayer(Other, replay)
    found = player.verify()
    assert found is not None
    assert (found.frame, found.components) == (30, ["Particles"])
    player.game.close()


@pytest.mark.slow
def test_a_replay_of_another_game_and_other_versions() -> None:
    replay = recorded(3)
    assert replay.differing_versions(Hop) == []
    replay.versions["ecs-softbody"] = "9.9"
    assert replay.differing_versions(Hop)[0].startswith("ecs-softbody 9.9 (here ")

    class Another(Hop):
        name = "another"

    with pytest.raises(SnapshotError, match="one of the game 'hop', not of 'another'"):
        ReplayPlayer(Another, replay)


@pytest.mark.slow
def test_a_moment_holds_timers_random_numbers_and_what_the_game_keeps() -> None:
    game = Hop()
    game.begin()
    for _ in range(40):
        game.advance(game.autopilot())
    moment = GameSnapshot(game)
    balls = list(game.balls)
    score = dict(game.score)
    for _ in range(3):
        game.advance(game.autopilot())
    first = game.sim.state_hash()
    for _ in range(37):
        game.advance(game.autopilot())
    assert game.balls != balls
    moment.restore()
    assert (game.balls, game.score, game.frames) == (balls, score, 40)
    for _ in range(3):
        game.advance(game.autopilot())
    assert game.sim.state_hash() == first
    game.begin()
    with pytest.raises(ValueError, match="begun anew"):
        moment.restore()
    game.close()


@pytest.mark.slow
def test_moments_that_share_what_is_the_same_go_back_in_any_order() -> None:
    game = Hop()
    game.begin()
    last = None
    seen = []
    for number in range(24):
        game.advance(game.autopilot())
        last = GameSnapshot(game, before=last)
        seen.append((last, game.sim.state_hash(), list(game.balls), dict(game.score), game.frames))
        if number == 12:
            last.restore()  # the next one shares with one that was gone back to
    for moment, state, *kept in sorted(seen, key=lambda each: each[1]):
        moment.restore()
        assert (game.sim.state_hash(), [game.balls, game.score, game.frames]) == (state, kept)
        game.advance(game.autopilot())
    other = Hop()
    other.begin()
    moment = GameSnapshot(other, before=last)  # shares nothing: it is another game
    other.advance(other.autopilot())
    moment.restore()
    assert other.frames == 0
    game.close()
    other.close()


@pytest.mark.slow
def test_rewinding_goes_back_and_playing_on_works() -> None:
    game = Hop()
    game.begin()
    heights = []
    for _ in range(50):
        game.advance(game.autopilot())
        heights.append(float(game.sim.get(game.hero, Particles).position[:, 0].mean()))
    for _ in range(10):
        game.advance(Controls(held={"z"}))
    assert game.frames < 40
    now = float(game.sim.get(game.hero, Particles).position[:, 0].mean())
    assert heights[game.frames - 1] == pytest.approx(now, abs=0.01)
    for _ in range(200):
        game.advance(Controls(held={"z"}))
    for _ in range(20):
        game.advance(game.autopilot())
    game.close()


@pytest.mark.slow
def test_keeping_fewer_frames_takes_less_and_goes_back_as_far() -> None:
    every = 3  # as many as the game goes back in each frame
    kept = []
    reached = []
    for number in (1, every):
        game = Hop()
        game.begin()
        game.rewinding = Rewind(game, seconds=2.0, every=number)
        for _ in range(90):
            game.advance(game.autopilot())
        kept.append(sum(moment is not None for moment in game.rewinding.kept))
        for _ in range(12):
            game.advance(Controls(held={"z"}))
        reached.append(game.frames)
        game.close()
    assert kept == [90, 90 // every]
    assert reached[1] == pytest.approx(reached[0], abs=every)
    with pytest.raises(ValueError, match=r"Rewind\.every: 0 is not allowed"):
        Rewind(game, every=0)


@pytest.mark.slow
def test_a_session_records_what_it_plays() -> None:
    game = Hop()
    game.recorder = recorder = Recorder()
    session = Session(game, autopilot=True)
    for _ in range(50):
        session.frame()
    replay = recorder.finished()
    session.close()
    player = ReplayPlayer(Hop, replay)
    assert player.verify() is None
    player.game.close()


@pytest.mark.slow
def test_the_command_verifies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "muscles.replay"
    assert main(["record", "muscles", "--out", str(path), "--seconds", "0.5"]) == 0
    assert main(["replay", str(path), "--verify"]) == 0
    assert "the same in every frame" in capsys.readouterr().out
    path.write_bytes(path.read_bytes()[:-9])
    assert main(["replay", str(path), "--verify"]) == 2
    assert "truncated" in capsys.readouterr().err


@pytest.mark.slow
def test_a_ghost_shows_where_a_body_was(tmp_path: Path) -> None:
    game = Hop()
    game.begin()
    ghost = Ghost()
    places = []
    for _ in range(31):
        game.advance(game.autopilot())
        ghost.note(game.sim, game.hero)
        places.append(game.sim.get(game.hero, Particles).position.copy())
    game.close()
    ghost.finish(3.5)
    read = Ghost.load(ghost.save(tmp_path / "best.ghost"))
    assert (read.result, read.frames) == (3.5, 31)
    for frame in (0, 3, 30):
        at = read.at(frame)
        assert at is not None
        assert np.allclose(at, places[frame], atol=1e-5)
    middle = read.at(1)
    assert middle is not None
    assert np.allclose(middle, places[1], atol=0.02)
    assert read.at(31) is None


def test_the_search_for_worlds_ends_where_a_list_holds_itself() -> None:
    sim = Simulation(world="in a loop")
    loop: list[Any] = [sim]
    loop.append(loop)
    game: Any = SimpleNamespace(sim=sim, loop=loop)
    assert simulations_of(game) == [sim]
    sim.close()
