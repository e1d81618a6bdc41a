"""Machine: where no thread can start, what would start one does its work by itself, or says that it
cannot.
"""

from __future__ import annotations

import importlib
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ecs_softbody.parallel import machine
from ecs_softbody.parallel.workers import Workers
from ecs_softbody.play import Replay, Session, record
from ecs_softbody.play.replay import autosaving_recorder
from ecs_softbody.play.replay.autosaving_recorder import AutosavingRecorder
from ecs_softbody.play.sharing.filming import filming
from ecs_softbody.play.sharing.films import check_films
from ecs_softbody.play.sound.theme_music import ThemeMusic, pad
from tests.helpers.internals import show_screen
from tests.helpers.paper_stage import PaperStage
from tests.snapshots.small_game import Hop

CHORDS = ((57, 60, 64), (53, 57, 60))


@pytest.fixture
def no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Be a browser."""

    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(machine, "WITHOUT_THREADS", (sys.platform,))
    monkeypatch.setattr(threading.Thread, "start", refuse)


@pytest.mark.usefixtures("no_threads")
def test_a_team_is_one() -> None:
    assert machine.processor_count() == 1
    assert Workers(4).count == 1
    assert Workers(4).begin(lambda: 7).result() == 7


def test_the_clock_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine.thread_time is time.thread_time
    try:
        with monkeypatch.context() as patch:
            patch.delattr(time, "thread_time")
            assert importlib.reload(machine).thread_time is time.perf_counter
    finally:
        importlib.reload(machine)


@pytest.mark.usefixtures("no_threads")
def test_music_is_made_a_little_with_each_picture() -> None:
    music = ThemeMusic()
    music.choose(CHORDS)
    pictures = 0
    while (made := music.take()) is None:
        pictures += 1
        assert pictures < 1000
    assert pictures > 50
    assert np.array_equal(made.samples, pad(CHORDS))
    assert music.take() is None


@pytest.mark.usefixtures("no_threads")
def test_a_recording_is_drawn_in_turn(tmp_path: Path) -> None:
    path = record(Hop, tmp_path / "hop.gif", seconds=0.3, size=(64, 48), rate=20)
    with Image.open(path) as film:
        assert getattr(film, "n_frames", 1) > 1


@pytest.mark.usefixtures("no_threads")
def test_a_replay_is_written_between_frames(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(autosaving_recorder, "EVERY", 0.0)
    path = tmp_path / "x.replay"
    game = Hop()
    game.recorder = recorder = AutosavingRecorder(path)
    game.begin()
    game.advance(game.autopilot())
    assert Replay.load(path).frames == 1
    recorder.finish()
    game.close()


@pytest.mark.usefixtures("no_threads")
def test_films_are_refused_in_one_sentence() -> None:
    stage = PaperStage()
    session = Session(Hop)
    said = "Films cannot be saved here; F12 saves a picture"
    with filming(stage, session):
        show_screen(stage, session)
        assert stage.before_flip == []
        stage.press("f9")
        stage.ticks(2)
    assert said in stage.texts()
    session.close()
    with pytest.raises(RuntimeError, match="films need another program"):
        check_films()
