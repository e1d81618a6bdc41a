"""Wrong arguments of public calls: one sentence at the door, and nothing half-done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ecs_softbody import Character, Muscles, Particles, ShapeMatching, Simulation, Springs, scenes
from ecs_softbody.errors import FieldError
from ecs_softbody.play import Axis, BestRun, Button, Controls, Game, Rewind, Session, play, show
from ecs_softbody.play.recording import record, screenshot
from ecs_softbody.play.replay.player import ReplayPlayer
from ecs_softbody.play.replay.replay import Recorder, Replay
from ecs_softbody.play.saves import Saves
from ecs_softbody.play.screens.slider import Slider, Sliders
from ecs_softbody.rendering import Theme

ZERO = "a\0b"


@dataclass
class Enemy:
    """A part of a game's own."""

    health: int = 1


class Still(Game):
    """A game in which nothing happens."""

    name = "still"

    def start(self) -> None:
        self.sim = Simulation(world="still")


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A session in an empty folder."""
    monkeypatch.chdir(tmp_path)
    made = Session(Still)
    yield made
    made.close()


CALLS: dict[str, list[Callable[[Session], Any]]] = {
    "record.seconds": [lambda s: record(Still, "a.gif", seconds="x")],
    "record.rate": [
        lambda s: record(Still, "a.gif", rate="x"),
        lambda s: record(Still, "a.gif", rate=2.5),
    ],
    "record.size": [
        lambda s: record(Still, "a.gif", size=5),
        lambda s: record(Still, "a.gif", size=[1]),
        lambda s: record(Still, "a.gif", size=(5, 64)),
    ],
    "record.path": [lambda s: record(Still, 5), lambda s: record(Still, f"{ZERO}.gif")],
    "record": [lambda s: record(5, "a.gif")],
    "screenshot.session": [lambda s: screenshot(5, "a.png")],
    "screenshot.path": [lambda s: screenshot(s, 5), lambda s: screenshot(s, ZERO)],
    "screenshot.size": [lambda s: screenshot(s, "a.png", size=5)],
    "scenes.save.world": [lambda s: scenes.save(5, "a.toml")],
    "scenes.save.path": [lambda s: scenes.save(s.game.sim, f"{ZERO}.toml")],
    "scenes.load.sim": [lambda s: scenes.load(5, "a.toml")],
    "scenes.load.path": [lambda s: scenes.load(s.game.sim, ZERO)],
    "scenes.open.path": [lambda s: scenes.open(f"{ZERO}.toml")],
    "scenes.check.path": [lambda s: scenes.check(5)],
    "scenes.parts": [
        lambda s: scenes.open("a.toml", parts=5),
        lambda s: scenes.open("a.toml", parts="Enemy"),
        lambda s: scenes.open("a.toml", parts=[Enemy()]),
        lambda s: scenes.open("a.toml", parts=[[Enemy]]),
        lambda s: scenes.save(s.game.sim, "a.toml", parts=5),
    ],
    "snapshot.path": [
        lambda s: s.game.sim.snapshot().save(ZERO),
        lambda s: s.game.sim.restore(ZERO),
    ],
    "replay.path": [lambda s: Replay.load(ZERO)],
    "ReplayPlayer.replay": [lambda s: ReplayPlayer(Still, None)],
    "Session.frame": [lambda s: s.frame("x"), lambda s: s.frame(0)],
    "Session.settings": [lambda s: Session(Still, settings=5)],
    "Still.open_scene.path": [lambda s: s.game.open_scene(5), lambda s: s.game.open_scene(ZERO)],
    "controls.name": [lambda s: s.game.key_text(5), lambda s: Controls().axis(5)],
    "Controls.pressed": [lambda s: s.frame(Controls(pressed="jump"))],
    "Controls.axes": [lambda s: s.frame(Controls(axes=[]))],
    "Still.rumble.strength": [lambda s: s.game.rumble("x")],
    "play.size": [lambda s: play(Still, size=5)],
    "play.window": [lambda s: play(Still, window=5)],
    "show.size": [lambda s: show(s.game.sim, size=(0, 5))],
    "show.title": [lambda s: show(s.game.sim, title=5)],
    "Rewind.game": [lambda s: Rewind(5)],
    "BestRun.saves": [lambda s: BestRun(5)],
    "Theme.sky": [lambda s: Theme(sky=5)],
    "replay": [lambda s: Replay.from_bytes(5)],
    "Slider.choices": [
        lambda s: Slider("a", choices=5),
        lambda s: Slider("a", choices="ab"),
        lambda s: Slider("a", choices=["x"]),
        lambda s: Slider("a", choices=[None, 1]),
    ],
    "Slider.share": [lambda s: setattr(Slider("a"), "share", "x")],
    "Sliders.sliders": [lambda s: Sliders(5), lambda s: Sliders([5])],
    "Button.keys": [lambda s: Button([])],
    "Axis.negative": [lambda s: Axis(5, "a")],
    "Saves.name": [lambda s: Saves(5)],
    "Saves.open.folder": [lambda s: Saves("a").open(5), lambda s: Saves("a").open(ZERO)],
}


@pytest.mark.parametrize("place", CALLS)
def test_a_wrong_argument_is_named_and_nothing_is_written(place: str, session: Session) -> None:
    for call in CALLS[place]:
        with pytest.raises(FieldError, match=rf"^{place}: .* is not allowed.*; expected"):
            call(session)
    assert list(Path().iterdir()) == []


def test_an_instance_in_place_of_a_class_is_told(session: Session) -> None:
    with pytest.raises(TypeError, match=r"as a part \(did you mean the class Enemy\?\)"):
        scenes.open("a.toml", parts=[Enemy()])


@pytest.mark.parametrize("frame", [-1, 4, None, 1.5, False])
def test_a_replay_has_its_frames_from_0_to_its_length(frame: Any) -> None:
    game = Still()
    game.recorder = recorder = Recorder()
    game.begin()
    for _ in range(3):
        game.advance(Controls())
    game.close()
    player = ReplayPlayer(Still, recorder.finished())
    player.seek(3)
    with pytest.raises(FieldError, match=r"seek.frame: .* expected a whole number >= 0 and <= 3$"):
        player.seek(frame)
    player.seek(0)
    assert player.frame == 0
    player.game.close()


PAIR = [(0, 0), (1, 0)]


@pytest.mark.parametrize(
    ("component", "name"),
    [
        (Springs([(0, 1)], stiffness=1.0), "tension"),
        (Springs([(0, 1)], stiffness=1.0), "row_count"),
        (Particles(PAIR), "center"),
        (Particles(PAIR), "copied"),
        (Character(), "standing"),
        (ShapeMatching(stiffness=1.0), "groups"),
    ],
)
def test_what_a_component_computes_is_only_to_be_read(component: Any, name: str) -> None:
    kind = type(component).__name__
    with pytest.raises(AttributeError, match=f"^{kind}.{name} is only to be read$"):
        setattr(component, name, 1)


def test_the_column_of_a_stage_is_told() -> None:
    muscles = Muscles([0, 1])
    said = r"^Muscles.factor belongs to MusclesProcessor, and is only to be read: stage_column\('fa"
    with pytest.raises(AttributeError, match=said):
        muscles.factor = 1  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=said):
        muscles.factor  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match=r"^Muscles has no attribute 'factr'$"):
        muscles.factr = 1  # type: ignore[attr-defined]
