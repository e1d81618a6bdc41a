"""Through how many calls a key press goes until the hero does something, from pyglet's event on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType

import pytest

import ecs_softbody
import ecs_softbody_games
from ecs_softbody.play import FRAME, Session
from ecs_softbody.play.input.devices import Devices
from ecs_softbody.play.stage import Stage
from ecs_softbody.play.window import GameWindow
from ecs_softbody_games.jelly_platformer import JellyPlatformer
from ecs_softbody_games.jelly_platformer.hero import Hero
from tests.helpers.internals import show_screen
from tests.helpers.paper_stage import PaperStage

OURS = tuple(str(Path(package.__file__).parent) for package in (ecs_softbody, ecs_softbody_games))
MOST = 8


def hops(call: Callable[[], object], last: CodeType) -> list[str]:
    """Return the functions of ours from a call to the first call of the last one: each has called
    the next.
    """
    found: list[str] = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code is last and not found:
            caller: FrameType | None = frame
            while caller is not None:
                if caller.f_code.co_filename.startswith(OURS):
                    found.append(caller.f_code.co_qualname)
                caller = caller.f_back

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return found[::-1]


def hops_of_a_press(stage: Stage, press: Callable[[], object]) -> list[str]:
    """Return through what a press goes in the jelly platformer: to the controls, and from there to
    the hero.
    """
    session = Session(JellyPlatformer())
    session.state = "playing"
    show_screen(stage, session)
    stage.tick(FRAME)
    found = hops(press, Devices.press.__code__) + hops(
        lambda: stage.tick(FRAME), Hero.control.__code__
    )
    assert session.game.hero.character.jump  # type: ignore[attr-defined]
    session.close()
    return found


def test_a_press_reaches_the_hero_of_a_stage_in_few_calls() -> None:
    stage = PaperStage()
    found = hops_of_a_press(stage, lambda: stage.press("space"))
    assert found[0] == "Devices.press"
    assert found[-1] == "Hero.control"
    assert len(found) < MOST, found


@pytest.mark.window
def test_a_press_reaches_the_hero_of_a_window_in_few_calls() -> None:
    from pyglet.window import key

    window = GameWindow(size=(320, 180))
    found = hops_of_a_press(window, lambda: window.on_key_press(key.SPACE, 0))
    window.close()
    assert found[0] == "GameWindow.on_key_press"
    assert len(found) <= MOST, found
