"""Playing: a game, a simulation, or the menu of all games, in a window or on any other stage.

`playing` and `choosing` yield once for each picture, so that a page can run them in its own loop.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ecs_softbody.errors import FieldTypeError
from ecs_softbody.parallel.compiling import check_kernels
from ecs_softbody.play.game import Game, check_game, game_from
from ecs_softbody.play.game_class import title_of
from ecs_softbody.play.launch.broken_scene import BrokenScene
from ecs_softbody.play.launch.failure import FailureScreen, GameStopped, print_traceback, reason_of
from ecs_softbody.play.launch.showing import Showing
from ecs_softbody.play.launch.tools import check_inspector
from ecs_softbody.play.saves import Saves
from ecs_softbody.play.screens.menu import Choice, Menu
from ecs_softbody.play.screens.previews import Previews, in_order
from ecs_softbody.play.session import Session
from ecs_softbody.play.settings import Settings
from ecs_softbody.play.sharing.filming import filming
from ecs_softbody.play.stage import Pictures, Stage
from ecs_softbody.rendering.screen.points import USUAL_SIZE
from ecs_softbody.rendering.warmup import prepare_pictures
from ecs_softbody.scenes.problems import SceneError
from ecs_softbody.simulation import Simulation
from ecs_softbody.validation import check_size, check_text

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def play(
    game: Game | type[Game],
    *,
    size: tuple[int, int] = USUAL_SIZE,
    autopilot: bool = False,
    inspect: bool = False,
    window: Stage | None = None,
) -> None:
    """Play a game in a window, from its start screen until the player leaves.

    While its first scene file is wrong, the errors are printed and shown until fixed. If the game
    raises an exception, the traceback of its own lines is printed, and the window says in one
    sentence that it has stopped.

    Args:
        game: a Game, or its class.
        size: width and height of the window [pixels].
        autopilot: let the game's scripted player play at once.
        inspect: show the inspector from the beginning; F2 shows and hides it at any time
            (docs/inspector.md).
        window: an open window to use; it stays open.

    Raises:
        TypeError: if `game` is no Game.
        NoDisplay: when no window can be opened; the message names the missing part.
        ToolMissing: for `inspect` without the extra `inspector`.
        GameStopped: when the game has raised an exception, or its scene file is wrong, after the
            player has left; it is a SystemExit.
    """
    check_game("play", game)
    size = _checked_window("play", size, window)
    if inspect:
        check_inspector()
    _run(
        lambda stage: playing(game, stage, autopilot=autopilot, inspect=inspect),
        title_of(game),
        size,
        window,
    )


def playing(
    game: Game | type[Game], stage: Stage, *, autopilot: bool = False, inspect: bool = False
) -> Pictures[None]:
    """Play a game on a stage: yield once for each picture, until the player leaves; otherwise as
    `play`.
    """

    def begin() -> Session:
        made = game_from("play", game)
        return Session(
            made, autopilot=autopilot, settings=Settings.of_the_player(made, autopilot=autopilot)
        )

    yield from _playing(begin, title_of(game), stage, inspect=inspect)


def show(
    sim: Simulation,
    *,
    title: str = "Simulation",
    center: ArrayLike | None = None,
    height: float | None = None,
    size: tuple[int, int] = USUAL_SIZE,
    inspect: bool = False,
    window: Stage | None = None,
) -> None:
    """Show a simulation in a window and let it run, until the player leaves; the mouse drags its
    bodies.

    The simulation stays open: it can be stepped or shown again.

    Args:
        sim: the simulation.
        title: of the window.
        center: (x, y), the middle of the view [m]; None: all bodies are seen.
        height: of the view [m]; None: all bodies are seen.
        size: width and height of the window [pixels].
        inspect: show the inspector from the beginning.
        window: an open window to use; it stays open.

    Raises:
        TypeError: if `sim` is no Simulation.
        RuntimeError: when the simulation is closed.
        NoDisplay: when no window can be opened; the message names the missing part.
        ToolMissing: for `inspect` without the extra `inspector`.
        GameStopped: when a processor or a handler has raised an exception; it is a SystemExit.
    """
    size = _checked_window("show", size, window)
    title = check_text("show", "title", title)
    if inspect:
        check_inspector()
    showing = Showing(sim, center, height, size[0] / size[1])

    def begin() -> Session:
        session = Session(showing, settings=Settings.of_the_player(showing))
        session.state = "playing"
        return session

    _run(lambda stage: _playing(begin, title, stage, inspect=inspect), title, size, window)


def _checked_window(asked: str, size: tuple[int, int], window: Stage | None) -> tuple[int, int]:
    """Return the size of a new window; FieldError for an impossible one, or for an object
    in its place that is no stage.
    """
    if not isinstance(window, Stage | None):
        raise FieldTypeError(asked, "window", window, "an open window, or None")
    return check_size(asked, "size", size)


def _run(
    pictures: Callable[[Stage], Pictures[None]],
    title: str,
    size: tuple[int, int],
    window: Stage | None,
) -> None:
    """Draw pictures in a new window, or in an open one."""
    from ecs_softbody.play.window import GameWindow

    _check_that_pictures_can_be_drawn()
    own = window or GameWindow(title, size=size)
    try:
        own.run(pictures(own))
    finally:
        if window is None:
            own.close()


def _playing(
    begin: Callable[[], Session], title: str, stage: Stage, *, inspect: bool
) -> Pictures[None]:
    """Run a session on a stage, and report its exceptions."""
    session = None
    try:
        session = yield from _beginning(begin, title, stage)
        # Opening takes 0.1 s, for players and decoders.
        stage.after_picture(partial(stage.open_sounds, session.game.sounds))
        if (yield from stage.preparing(title, session.warmup_steps())):
            if inspect:
                stage.inspect()
            with filming(stage, session):
                yield from stage.showing(session)
    except Exception as error:
        print_traceback(error)
        yield from stage.showing(FailureScreen(title, error))
        raise GameStopped(f"{title} has stopped: {reason_of(error)}") from error
    finally:
        if session is not None:
            session.close()


def _check_that_pictures_can_be_drawn() -> None:
    """Raise GameStopped if there are no kernels: without them a window could not show the error."""
    try:
        check_kernels()
    except RuntimeError as missing:
        raise GameStopped(str(missing)) from None


def _beginning(begin: Callable[[], Session], title: str, stage: Stage) -> Pictures[Session]:
    """Begin a session; while its scene file is wrong, show the errors, and retry when it changes.

    Raises:
        GameStopped: if the player leaves before the file is fixed; all errors have been printed.
    """
    while True:
        try:
            return begin()
        except SceneError as error:
            print(error, file=sys.stderr, flush=True)
            screen = BrokenScene(error)
            yield from stage.showing(screen, until=screen.is_corrected)
            if not screen.is_corrected():
                raise GameStopped(f"{title} cannot begin: its scene file is wrong") from error


def choose_and_play(games: dict[str, type[Game]], *, inspect: bool = False) -> None:
    """Show the menu in a window, play the chosen game, and return to the menu, until the player
    leaves.

    Args:
        games: by name.
        inspect: show the inspector over each game.

    Raises:
        NoDisplay: when no window can be opened.
        GameStopped: if there are no compiled kernels.
    """
    if inspect:
        check_inspector()
    _run(lambda stage: choosing(games, stage, inspect=inspect), "Soft bodies", USUAL_SIZE, None)


def choosing(
    games: dict[str, type[Game]], stage: Stage, *, inspect: bool = False
) -> Pictures[None]:
    """Show the menu on a stage, as `choose_and_play`; yield once for each picture."""
    if inspect:
        stage.inspect()
    settings = Settings.of_the_player()
    previews = Previews(in_order(games, settings.played))
    menu = Menu([], previews, settings)
    yield from stage.preparing("Soft bodies", prepare_pictures())
    while not stage.closed:
        settings.saves.open()
        menu.take([_choice(name, game) for name, game in games.items()])
        yield from stage.showing(menu, until=lambda: menu.chosen is not None)
        previews.rest()
        if menu.chosen is None:
            break
        try:
            yield from playing(games[menu.chosen], stage)
        except GameStopped:
            continue  # it has reported everything; the other games can still be played


def _choice(name: str, game: type[Game]) -> Choice:
    """Return the card of a game with the player's results."""
    saves = Saves(game.name)
    saves.open()
    return dataclasses.replace(Choice.of(game, saves), name=name)
