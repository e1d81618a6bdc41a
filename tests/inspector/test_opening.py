"""How the inspector is opened, what is said without its extra, and that every included game can be
looked into.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ecs_softbody import Simulation, blueprints
from ecs_softbody.cli.games import find_game
from ecs_softbody.cli.main import main
from ecs_softbody.inspector.opening import MISSING
from ecs_softbody.play import RESERVED_KEYS, Game, NoDisplay, Session, ToolMissing, play, show
from ecs_softbody.play.window import GameWindow
from included import included_games
from tests.inspector.rooms import TwoWorlds, room
from tests.inspector.scripted import Hand

WITHOUT = """
import sys
sys.modules["imgui_bundle"] = None
from ecs_softbody.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
def test_without_the_extra_one_sentence_names_it(tmp_path: Path) -> None:
    path = room(tmp_path)
    command = [sys.executable, "-c", WITHOUT, "play", str(path), "--inspect"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert run.returncode == 2
    assert run.stderr == f"ecs-softbody: {MISSING}\n"
    assert "ecs-softbody[inspector]" in MISSING
    assert not list(tmp_path.glob("*.gif"))


def test_in_python_it_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imgui_bundle", None)
    with pytest.raises(ToolMissing, match="inspector"):
        play(TwoWorlds, inspect=True)
    sim = Simulation(world="shown")
    with pytest.raises(ToolMissing, match="inspector"):
        show(sim, inspect=True)
    sim.close()


@pytest.mark.slow
def test_a_game_needs_neither_the_extra_nor_the_inspector() -> None:
    code = (
        "import sys; sys.modules['imgui_bundle'] = None; import "
        "ecs_softbody.play.window, ecs_softbody.cli.main; "
        "sys.exit([name for name in sys.modules if name.startswith('ecs_softbody.inspector')] or 0)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_a_replay_and_the_inspector_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "bouncing-balls", "--inspect", "--replay", "x.replay"]) == 2
    assert "--inspect cannot be used with --replay" in capsys.readouterr().err


def test_the_key_is_reserved() -> None:
    assert "f2" in RESERVED_KEYS


@pytest.fixture
def window() -> Iterator[GameWindow]:
    made = GameWindow(size=(640, 360))
    made.handle.push_handlers(on_deactivate=lambda: True)
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.window
def test_the_key_tells_what_is_missing_and_the_game_goes_on(
    window: GameWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyglet.window import key

    monkeypatch.setitem(sys.modules, "imgui_bundle", None)
    told: list[str] = []
    monkeypatch.setattr(window, "tell", told.append)
    session = Session(TwoWorlds())
    pictures = iter(range(10))

    def until() -> bool:
        if (number := next(pictures)) == 3:
            window.handle.dispatch_event("on_key_press", key.F2, 0)
        return number == 9

    window.show(session, until=until)
    assert told == [MISSING]
    assert session.game.sim.frame > 0
    session.close()


@pytest.mark.window
def test_inspect_opens_it_from_the_beginning(
    window: GameWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    class Short(Game):
        name = "short"

        def start(self) -> None:
            self.close()
            self.sim = Simulation(world="short")
            self.sim.spawn(*blueprints.blob((0.0, 2.0), 0.5))

    def showing_shortly(screen: Any, *, until: Any = None) -> Iterator[None]:
        yield from GameWindow.showing(window, screen, until=iter([False] * 8 + [True] * 9).__next__)
        seen.append(window.pixels()[:, -150:].mean())

    monkeypatch.setattr(window, "showing", showing_shortly)
    play(Short, window=window)
    play(Short, window=window, inspect=True)
    assert abs(seen[1] - seen[0]) > 3.0


@pytest.mark.brief(10)
@pytest.mark.window
@pytest.mark.parametrize("name", list(included_games()))
def test_every_included_game_can_be_looked_into(name: str) -> None:
    hand = Hand(Session(find_game(name, included_games()), autopilot=True), (640, 360))
    try:
        inspection = hand.inspection
        hand.ticks(8)
        for entity in inspection.sim.entities()[:12]:
            inspection.select(entity)
            for component in inspection.components(entity):
                for field in inspection.fields(component):
                    inspection.reading(field, component)
            hand.ticks()
        assert not inspection.failed, inspection.message
        assert not inspection.time.history.problem
        frame = hand.session.game.sim.frame
        inspection.time.rewind(0)
        assert not inspection.failed, inspection.message
        assert hand.session.game.sim.frame < frame
        inspection.time.pause(False)
        hand.session.restart()
        hand.ticks(3)
        assert inspection.tree.count
    finally:
        hand.close()


def test_no_display_is_still_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("PYGLET_HEADLESS", raising=False)
    if sys.platform == "linux":
        with pytest.raises(NoDisplay, match="no display"):
            play(TwoWorlds, inspect=True)
