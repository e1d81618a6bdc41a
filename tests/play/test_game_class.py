"""What a game's class says of itself, and what its methods return: checked in one place, and told as
the maker's line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ecs_softbody import Simulation
from ecs_softbody.errors import FieldError
from ecs_softbody.play import Button, Controls, Game, GameStopped, Session, play
from ecs_softbody.play.game_class import RULES
from ecs_softbody.play.launch.failure import is_of_game
from ecs_softbody.play.recording import record
from tests.helpers.paper_stage import PaperStage


class Still(Game):
    """A game in which nothing happens."""

    name = "still"
    actions = {"jump": Button("space")}  # noqa: RUF012 - as games write it

    def start(self) -> None:
        self.sim = Simulation()


WRONG: dict[str, list[Any]] = {
    "name": [5, "", "a\0b"],
    "title": [5, None],
    "tagline": [None],
    "group": [3],
    "keys": [5, ["jump"], [("jump", 5)], {"jump": "jump"}, {}],
    "more_keys": [5],
    "by_pointer": [5, "jump", [5]],
    "actions": [["jump"], 5],
    "levels": [5, "one", np.arange(3)],
    "scene": [5, None, "a\0b"],
    "parts": [5],
    "start_view": [(1, 2), "wide", (0, 0, 0, 0), (0, 0, float("inf"), 1)],
    "card_view": [5],
    "best_result": ["time", ("time", 5)],
    "theme": ["snow", None],
    "drag_with_mouse": ["yes"],
    "impact_effects": [2],
    "show_shadows": [None],
    "pauses_alone": ["no"],
    "films": [5],
    "lays_out_itself": [5],
    "flashes": [5],
}


@pytest.mark.parametrize("field", [*RULES, "by_pointer"])
def test_each_attribute_is_checked_when_the_class_is_first_used(field: str) -> None:
    for value in WRONG[field]:
        wrong = type("Wrong", (Still,), {field: value})
        for use in (wrong, Session):
            with pytest.raises(FieldError, match=rf"^Wrong\.{field}: .* not allowed") as caught:
                use() if use is wrong else use(wrong)
            assert caught.value.field == field


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        ({5: Button("space")}, r"Wrong.actions: 5 is not allowed; expected a word"),
        ({"hop": 5}, r"Wrong.actions.hop: 5 is not allowed; expected Button"),
        ({"hop": Button("p")}, r"Wrong.actions.hop: 'p' is not allowed: the session uses"),
    ],
)
def test_each_action_is_checked(actions: Any, said: str) -> None:
    with pytest.raises(FieldError, match=f"^{said}"):
        Session(type("Wrong", (Still,), {"actions": actions}))


def test_what_an_instance_has_is_checked_and_a_property_is_left_alone() -> None:
    class Computed(Still):
        @property
        def start_view(self) -> Any:
            return self.sim.gravity  # of a world that is not there yet

    assert Session(Computed).game.is_waiting is False
    game = Still()
    game.theme = "snow"  # type: ignore[assignment]
    with pytest.raises(FieldError, match=r"^Still.theme: 'snow' is not allowed; expected a Theme"):
        Session(game)


class NoSuper(Still):
    def __init__(self) -> None:
        pass


class NoStart(Game):
    pass


class NoWorld(Still):
    def start(self) -> None:
        pass


class NoneWorld(Still):
    def start(self) -> None:
        self.sim = None  # type: ignore[assignment]


class LosesWorld(Still):
    def update(self, controls: Controls, dt: float) -> None:
        self.sim = None  # type: ignore[assignment]


class Wins(Still):
    def update(self, controls: Controls, dt: float) -> None:
        self.outcome = "win"  # type: ignore[assignment]


class Idles(Still):
    def autopilot(self) -> Controls:
        return None  # type: ignore[return-value]


class Counts(Still):
    def update(self, controls: Controls, dt: float) -> None:
        self.outcome = "won"

    def outcome_text(self) -> str:
        return 5  # type: ignore[return-value]


class Keys(Still):
    title = "Keys"
    keys = ["jump"]  # type: ignore[list-item]  # noqa: RUF012


MISTAKES = {
    NoSuper: (r"NoSuper.__init__: the call of super\(\).__init__\(\) is missing", "def __init__"),
    NoStart: ("NoStart.start: it is missing; expected a method", "class NoStart"),
    NoWorld: ("NoWorld.sim: None is not allowed; expected a Simulation", "def start"),
    NoneWorld: ("NoneWorld.sim: None is not allowed; expected a Simulation", "def start"),
    LosesWorld: ("LosesWorld.sim: None is not allowed", "def update"),
    Wins: (r"Wins.outcome: 'win' is not allowed \(did you mean won\?\)", "class Wins"),
    Idles: ("Idles.autopilot: None is not allowed; expected Controls", "def autopilot"),
    Counts: ("Counts.outcome_text: 5 is not allowed; expected a text", "def outcome_text"),
    Keys: ("Keys.keys: 'jump' is not allowed; expected pairs", 'keys = ["jump"]'),
}


@pytest.mark.parametrize("game", MISTAKES)
def test_the_terminal_shows_the_makers_line_alone(
    game: type[Game], capsys: pytest.CaptureFixture[str]
) -> None:
    said, line = MISTAKES[game]
    with pytest.raises(GameStopped, match=rf"^\w+ has stopped: Field\w*: {said}.* \(test_game"):
        play(game, autopilot=True, window=PaperStage("a", "escape"))
    told = capsys.readouterr().err
    assert told.count("File ") == 1
    assert f'{Path(__file__).name}", line ' in told
    assert line in told


@pytest.mark.parametrize("game", MISTAKES)
def test_a_recording_says_it_in_one_sentence(game: type[Game], tmp_path: Path) -> None:
    with pytest.raises(FieldError, match=f"^{MISTAKES[game][0]}") as caught:
        record(game, tmp_path / "a.png", seconds=0.1, size=(64, 36))
    assert is_of_game(caught.value)  # the command line prints the maker's line, too
    assert list(tmp_path.iterdir()) == []
