"""Opening a game or a simulation: play, show, and what happens when a game raises an exception."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ecs_softbody
from ecs_softbody import Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.play import Controls, Game, GameStopped, NoDisplay, Session, play, record, show
from ecs_softbody.play.launch.failure import FailureScreen
from tests.helpers.paper_stage import PaperStage
from tests.makers.stars import Stars
from tests.rendering.blob_garden import needs_compiled_pixels


@pytest.mark.brief(2)
@pytest.mark.parametrize("game", [Stars, Stars()], ids=["class", "instance"])
def test_play_takes_a_class_or_an_instance(game: Game | type[Game]) -> None:
    window = PaperStage("space", "right", "escape", "escape")
    play(game, window=window)
    (session,) = window.screens
    assert window.paper.captions[0] == "Stars"
    assert session.state == "paused"
    assert session.game.sim.closed
    assert not window.closed  # it was open before


def test_what_is_no_game_is_told() -> None:
    with pytest.raises(TypeError, match=r"play: 3 is not allowed; expected a Game, or its class"):
        play(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"A simulation is opened with show\(sim\)"):
        play(Simulation())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"Session: <class 'int'> is not allowed"):
        Session(int)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"theme": "snow"},
            "Mine.theme: 'snow' is not allowed; expected a Theme, such as themes.SNOW",
        ),
        (
            {"keys": {"jump": "jump"}},
            "Mine.keys: 'jump' is not allowed; expected pairs of an action or a key",
        ),
        ({"more_keys": [("jump",)]}, r"Mine.more_keys: \('jump',\) is not allowed; expected pairs"),
        (
            {"autopilot": lambda game: None},
            "Mine.autopilot: None is not allowed; expected Controls",
        ),
    ],
)
def test_what_a_class_says_of_itself_is_checked(changed: dict[str, Any], said: str) -> None:
    mine = type("Mine", (Stars,), changed)
    with pytest.raises(TypeError, match=f"^{said}"):
        Session(mine, autopilot=True).frame()


def test_the_controls_of_a_frame_are_checked() -> None:
    game = Stars()
    game.begin()
    with pytest.raises(TypeError, match=r"^Stars.advance: None is not allowed; expected Controls"):
        game.advance(None)  # type: ignore[arg-type]
    game.close()


def test_a_session_and_a_recording_take_the_class_too(tmp_path: Path) -> None:
    session = Session(Stars)
    assert isinstance(session.game, Stars)
    session.close()
    assert record(Stars, tmp_path / "x.png", seconds=0.1, size=(64, 36)).stat().st_size > 100


def test_show_runs_a_simulation_and_leaves_it_open() -> None:
    sim = Simulation()
    sim.spawn(StaticCollider([(-50, 0), (50, 0)]))
    ball = sim.spawn(*blueprints.ball((30, 3), 0.3))
    window = PaperStage("a", "a", "escape", "escape")
    show(sim, window=window)
    assert sim.frame == 2
    camera = window.screens[0].game.camera
    # not the middle of the long ground
    assert abs(camera.center[0] - sim.center(ball)[0]) < 1.0
    assert 0.0 < camera.center[1] < 3.0
    assert camera.height < 12.0
    sim.step()
    assert not sim.closed


def test_show_says_what_it_cannot_show() -> None:
    sim = Simulation()
    sim.close()
    with pytest.raises(RuntimeError, match=r"is closed; show it before sim.close\(\)"):
        show(sim)
    with pytest.raises(TypeError, match=r"A game is opened with play\(game\)"):
        show(Stars())  # type: ignore[arg-type]


def test_the_player_gets_a_sentence_and_the_maker_his_own_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    window = PaperStage("space", "x", "escape")
    with pytest.raises(GameStopped) as stopped:
        play(Stars(), window=window)
    told = capsys.readouterr().err
    assert told.count("File ") == 2  # update and count_stars, no line of the library
    assert "in count_stars" in told
    assert "ZeroDivisionError: division by zero" in told
    assert "stars.py, line" in str(stopped.value)
    assert isinstance(stopped.value, SystemExit)
    assert isinstance(stopped.value.__cause__, ZeroDivisionError)
    failure = window.screens[-1]
    assert isinstance(failure, FailureScreen)
    texts = [text.text for text in failure.picture(640, 360).texts]
    assert texts[0] == "Stars has stopped: something in it went wrong."
    assert "ZeroDivisionError" in " ".join(texts)
    assert window.screens[0].game.sim.closed


def test_a_long_reason_is_written_in_several_lines() -> None:
    screen = FailureScreen("Stars", ValueError("a word and another one " * 12))
    assert len(screen.picture(640, 360).texts) > 4


def test_a_bad_value_given_to_the_library_is_the_makers_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Bad(Stars):
        def start(self) -> None:
            super().start()
            self.sim.get(self.hero, Particles).velocity = "fast"  # type: ignore[assignment]

    with pytest.raises(
        GameStopped,
        match=r"FieldError: Particles.velocity: .* \(test_opening.py, line \d+, in start\)",
    ):
        play(Bad, window=PaperStage())
    told = capsys.readouterr().err
    assert '"fast"' in told
    assert "columns.py" not in told


def test_what_goes_wrong_in_init_is_the_makers_line(capsys: pytest.CaptureFixture[str]) -> None:
    class Deaf(Stars):
        def __init__(self) -> None:
            super().__init__()
            self.on("contact_began", print)

    with pytest.raises(
        GameStopped,
        match=r"did you mean contact_begin.* \(test_opening.py, line \d+, in __init__\)",
    ):
        play(Deaf, window=PaperStage())
    told = capsys.readouterr().err
    assert told.count("File ") == 1
    assert 'self.on("contact_began", print)' in told


def test_a_misspelt_attribute_is_the_makers_line(capsys: pytest.CaptureFixture[str]) -> None:
    class Misspelt(Stars):
        def update(self, controls: Controls, dt: float) -> None:
            self.camra.shake(1.0)  # type: ignore[attr-defined]

    with pytest.raises(
        GameStopped, match=r"did you mean camera\?\) \(test_opening.py, line \d+, in update\)"
    ):
        play(Misspelt, window=PaperStage("space", "x"))
    assert capsys.readouterr().err.count("File ") == 1


@pytest.mark.parametrize("button", ["pad_a", "pad_b", "space", "escape"])
def test_the_failure_is_left_with_a_key_or_a_controller(button: str) -> None:
    screen = FailureScreen("Stars", ValueError("no"))
    screen.frame(Controls(device="pad" if "pad" in button else "keyboard"))
    assert not screen.exit_requested
    assert {text.text for text in screen.picture(640, 360).texts} >= {
        "B" if "pad" in button else "ESC",
        "leave",
    }
    screen.frame(Controls(pressed={button}))
    assert screen.exit_requested


def test_a_game_without_a_world_says_how_to_make_one() -> None:
    class Empty(Game):
        pass

    class NoWorld(Game):
        def start(self) -> None:
            pass

    class NoInit(Game):
        def __init__(self) -> None:
            pass

    with pytest.raises(
        TypeError, match=r"^Empty.start: it is missing; expected a method that builds a world: "
    ):
        Empty().start()
    with pytest.raises(
        AttributeError, match=r"NoWorld.sim: there is no world yet; make one in start\(\)"
    ):
        NoWorld().sim  # noqa: B018
    with pytest.raises(
        AttributeError, match=r"NoInit.camera is not there yet; call super\(\).__init__\(\)"
    ):
        NoInit().camera  # noqa: B018
    with pytest.raises(
        AttributeError, match=r"NoWorld has no attribute 'camra' \(did you mean camera\?\)"
    ):
        NoWorld().camra  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.slow
def test_importing_opens_nothing_and_the_short_ways_work() -> None:
    code = (
        "import sys, ecs_softbody\n"
        "assert not {'pyglet', 'ecs_softbody.play', 'ecs_softbody.scenes'} & sys.modules.keys()\n"
        "assert ecs_softbody.scenes.load and ecs_softbody.imports.svg and "
        "ecs_softbody.rendering.Look\n"
        "from ecs_softbody import play, show, Game, Look\n"
        "assert type(play) is type(sys) and callable(play.play) and show is play.show\n"
        "sys.exit('pyglet' in sys.modules)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_a_misspelt_name_of_the_package_is_told() -> None:
    with pytest.raises(
        AttributeError, match=r"no attribute 'Simulatoin' \(did you mean Simulation\?\)"
    ):
        ecs_softbody.Simulatoin  # noqa: B018


@pytest.mark.skipif("sys.platform != 'linux'")
def test_without_a_display_there_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("PYGLET_HEADLESS", raising=False)
    with pytest.raises(NoDisplay, match=r"no display"):
        play(Stars)


@needs_compiled_pixels
def test_a_failure_while_drawing_is_shown_and_left() -> None:
    class Fails(Stars):
        def draw(self, picture: object, alpha: float) -> None:
            raise KeyError("nothing here")

    window = PaperStage("a", "a", "a", "escape", size=(320, 180))
    with pytest.raises(GameStopped, match=r"nothing here"):
        play(Fails, window=window)
    assert isinstance(window.screens[-1], FailureScreen)
    assert not window.closed
    assert np.ptp(window.pixels()) > 50  # a text on a dark ground
