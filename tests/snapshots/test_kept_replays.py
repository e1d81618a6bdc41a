"""A round that is recorded into a file is there after a crash, and no frame waits for it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ecs_softbody.play import Replay, ReplayPlayer
from ecs_softbody.play.replay import autosaving_recorder
from ecs_softbody.play.replay.autosaving_recorder import AutosavingRecorder
from tests.snapshots.small_game import Hop

PLAYS = """
import sys
from pathlib import Path
from ecs_softbody.play.replay import autosaving_recorder
from tests.snapshots.small_game import Hop
autosaving_recorder.EVERY = 0.1
game = Hop()
game.recorder = autosaving_recorder.AutosavingRecorder(Path(sys.argv[1]))
game.begin()
while True:
    game.advance(game.autopilot())
    print(game.recorder.replay.frames, flush=True)
"""
IN_A_WINDOW = """
import sys
from ecs_softbody.cli.main import main
from ecs_softbody.play import Session
from ecs_softbody.play.replay import autosaving_recorder
autosaving_recorder.EVERY = 0.5
begun = Session.__init__
def begin_at_once(self, *given, **options):
    begun(self, *given, **options)
    self.state = "playing"
Session.__init__ = begin_at_once
main(["play", "muscles", "--replay", sys.argv[1]])
"""


def play(game: Any, frames: int) -> None:
    for _ in range(frames):
        game.advance(game.autopilot())


def waited_for(path: Path, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.05)
    return path.exists()


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of a process that imports what these tests import."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path]),
    }


@pytest.mark.slow
def test_what_was_played_is_there_after_a_kill(tmp_path: Path, here: dict[str, str]) -> None:
    path = tmp_path / "x.replay"
    with subprocess.Popen(
        [sys.executable, "-c", PLAYS, str(path)], stdout=subprocess.PIPE, text=True, env=here
    ) as game:
        assert game.stdout is not None
        played = 0
        for line in game.stdout:
            played = int(line)
            if played > 200 and path.exists():
                break
        game.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
    replay = Replay.load(path)
    assert replay.frames > 0
    player = ReplayPlayer(Hop, replay)
    assert player.verify() is None
    assert player.frame == replay.frames
    player.game.close()


def test_it_is_written_while_it_is_played_and_whole_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(autosaving_recorder, "EVERY", 0.0)
    path = tmp_path / "x.replay"
    game = Hop()
    game.recorder = recorder = AutosavingRecorder(path)
    game.begin()
    play(game, 3)
    assert waited_for(path, 30.0)
    assert 0 < Replay.load(path).frames <= 3
    game.begin()
    play(game, 8)
    assert recorder.finish() == path
    assert Replay.load(path) == recorder.finished()
    assert recorder.finished().frames == 8
    assert [file.name for file in tmp_path.iterdir()] == ["x.replay"]
    game.close()


def test_a_full_disk_is_told_once_and_the_round_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*asked: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(autosaving_recorder, "EVERY", 0.0)
    path = tmp_path / "x.replay"
    game = Hop()
    game.recorder = recorder = AutosavingRecorder(path)
    game.begin()
    with monkeypatch.context() as patch:
        patch.setattr("ecs_softbody.play.replay.replay.write_atomically", full)
        for _ in range(4):
            play(game, 1)
            time.sleep(0.02)
        with pytest.raises(OSError, match="No space"):
            recorder.finish()
    assert capsys.readouterr().err.count("No space left") == 1
    assert recorder.finish() == path
    game.close()


@pytest.mark.slow
@pytest.mark.window
@pytest.mark.skipif(
    shutil.which("Xvfb") is None, reason="a screen of its own is needed, which goes away"
)
def test_what_was_played_is_there_when_the_screen_goes_away(
    tmp_path: Path, here: dict[str, str]
) -> None:
    path = tmp_path / "x.replay"
    screen = subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-screen", "0", "800x600x24"], stdout=subprocess.PIPE, text=True
    )
    assert screen.stdout is not None
    shown = {**here, "DISPLAY": f":{screen.stdout.readline().strip()}"}
    try:
        command = [sys.executable, "-c", IN_A_WINDOW, str(path)]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL, env=shown) as game:
            try:
                assert waited_for(path, 120.0)
                time.sleep(1.5)
                screen.kill()
                game.wait(60.0)
            finally:
                game.kill()
    finally:
        screen.kill()
        screen.wait()
    assert Replay.load(path).frames > 10
