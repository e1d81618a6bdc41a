"""The frames of a game that is neither reloaded, nor rewound, nor filmed, call nothing of these."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from ecs_softbody import Simulation, StaticCollider, blueprints
from ecs_softbody.parallel.machine import can_start_threads
from ecs_softbody.play import Controls, Game, Rewind, Session, reloading, scene_source
from ecs_softbody.play.launch.playing import playing
from ecs_softbody.play.replay import game_snapshot, rewind
from ecs_softbody.play.screens import problems
from ecs_softbody.play.sharing import clip, filming
from ecs_softbody.play.stage import Stage
from ecs_softbody.play.window import GameWindow
from tests.helpers.paper_stage import PaperStage

FRAMES = 60
RELOAD = {scene_source, reloading, problems}
REWIND = {rewind, game_snapshot}
FILM = {filming, clip}
WRAPPING = {str(module.__file__): module for module in RELOAD | REWIND | FILM}
HILL = """
[entities.hill]
StaticCollider = { vertices = [[-5, 0], [5, 0]] }
"""


class Plain(Game):
    """A ball on a floor."""

    films = False

    def start(self) -> None:
        self.sim = Simulation()
        self.sim.spawn(*blueprints.ball((0.0, 1.0), 0.5))
        self.sim.spawn(StaticCollider([(-5.0, 0.0), (5.0, 0.0)]))

    def update(self, controls: Controls, dt: float) -> None:
        self.camera.follow((0.0, 1.0))


class Filmed(Plain):
    films = True


class Rewound(Plain):
    def start(self) -> None:
        super().start()
        self.past = Rewind(self, 1.0)

    def after_step(self, dt: float) -> None:
        self.past.note()


class OfAFile(Plain):
    def start(self) -> None:
        Game.start(self)


def called_in_frames(stage: Stage, game: type[Game]) -> set[object]:
    """Return which of these modules have a function that is called in the frames of a game."""
    pictures = playing(game, stage)
    before = stage.screen
    while stage.screen is before:
        next(pictures)
    stage.press("space")
    for _ in range(10):
        next(pictures)
    stage.release("space")
    found: set[object] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_filename in WRAPPING:
            found.add(WRAPPING[frame.f_code.co_filename])

    session = stage.screen
    assert isinstance(session, Session)
    assert session.state == "playing"
    last = session.game.sim.frame + FRAMES
    sys.setprofile(note)
    try:
        while session.game.sim.frame < last:
            next(pictures)
    finally:
        sys.setprofile(None)
    pictures.close()
    return found


@pytest.fixture
def of_a_file(tmp_path: Path) -> type[Game]:
    path = tmp_path / "hill.toml"
    path.write_text(HILL)
    OfAFile.scene = path
    return OfAFile


STAGES = [
    pytest.param(lambda: PaperStage(10**6, size=(320, 180)), id="paper"),
    pytest.param(lambda: GameWindow(size=(320, 180)), id="window", marks=pytest.mark.window),
]


@pytest.mark.parametrize("stage", STAGES)
def test_a_plain_game_has_none_of_them(stage: Callable[[], Stage]) -> None:
    shown = stage()
    assert called_in_frames(shown, Plain) == set()
    shown.close()


@pytest.mark.parametrize("stage", STAGES)
def test_each_is_seen_where_it_is_used(stage: Callable[[], Stage], of_a_file: type[Game]) -> None:
    shown = stage()
    assert called_in_frames(shown, of_a_file) == RELOAD
    assert called_in_frames(shown, Rewound) == REWIND
    assert called_in_frames(shown, Filmed) == (FILM if can_start_threads() else set())
    assert called_in_frames(shown, Plain) == set(), "nothing is left of the games before"
    shown.close()
