"""Failure: reports an exception of a game to its player and its maker, who wrote the game."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from types import TracebackType

from ecs_softbody.errors import FieldError, Source
from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.screens.keybar import Bar
from ecs_softbody.play.screens.overlays import unit_of
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.texts.table import say, translated

# Starts of paths in tracebacks, and files of this package that call a game.
PACKAGE = f"{Path(__file__).parents[2]}{os.sep}"
SESSION = str(Path(PACKAGE) / "play" / "session.py")
GAME = str(Path(PACKAGE) / "play" / "game.py")
CALLS = {"game_from", "begin", "advance"}
"""Functions of `GAME` that call the maker's methods."""
STANDARD_LIBRARY = f"{Path(traceback.__file__).parent}{os.sep}"
TOOLS = {"esper", "numpy", "numba", "pyglet", "PIL"}
"""Packages that games call; their lines are not the maker's."""


class GameStopped(SystemExit):
    """A game has raised an exception; its traceback has been printed, and `__cause__` is the
    exception.

    Uncaught, it ends the program with status 1 and one sentence.
    """


def is_own(file: str) -> bool:
    """Return whether a file is the maker's: not part of this package, Python, or packages called by
    games.
    """
    parts = Path(file).parts
    if "site-packages" in parts:
        return not (file.startswith(PACKAGE) or parts[parts.index("site-packages") + 1] in TOOLS)
    return not file.startswith((PACKAGE, STANDARD_LIBRARY, "<frozen"))


def own_part(trace: TracebackType | None) -> list[traceback.FrameSummary]:
    """Return the part of a traceback from the first to the last of the maker's frames below the
    session's call; all of it if there are none.
    """
    frames = list(traceback.extract_tb(trace))
    begin = max(
        (number for number, frame in enumerate(frames) if _calls_the_game(frame)), default=0
    )
    own = [
        number for number, frame in enumerate(frames) if number >= begin and is_own(frame.filename)
    ]
    return frames[own[0] : own[-1] + 1] if own else frames


def own_lines(error: BaseException) -> list[traceback.FrameSummary]:
    """Return the maker's lines that an exception comes from: those that ran, or the one that the
    library found fault with.
    """
    source = source_of(error)
    if source is None:
        return own_part(error.__traceback__)
    return [traceback.FrameSummary(source.file, source.line, source.name)]


def source_of(error: BaseException) -> Source | None:
    """Return the maker's line that the library found fault with, None if it raised the exception
    itself.
    """
    return error.source if isinstance(error, FieldError) else None


def is_of_game(error: BaseException) -> bool:
    """Return whether an exception passed through a line of the maker's that a session called, or
    the library found fault with the maker's class.
    """
    if source_of(error) is not None:
        return True
    frames = list(traceback.extract_tb(error.__traceback__))
    inside = [number for number, frame in enumerate(frames) if _calls_the_game(frame)]
    return any(is_own(frame.filename) for frame in frames[inside[0] :]) if inside else False


def _calls_the_game(frame: traceback.FrameSummary) -> bool:
    """Return whether a frame is one in which the library calls the maker's code."""
    return frame.filename == SESSION or (frame.filename == GAME and frame.name in CALLS)


def print_traceback(error: BaseException) -> None:
    """Write the traceback of an exception to stderr, reduced to the maker's lines."""
    for cause in _chain(error):
        report = traceback.TracebackException.from_exception(cause)
        frames = own_lines(cause)
        if isinstance(cause, SyntaxError):
            # A syntax error names its line itself; the other frames are Python's import machinery.
            frames = [frame for frame in frames if is_own(frame.filename)]
        report.stack = traceback.StackSummary.from_list(frames)
        report.__cause__ = report.__context__ = None
        print("".join(report.format()), end="", file=sys.stderr, flush=True)


def _chain(error: BaseException) -> list[BaseException]:
    """Return an exception preceded by its causes."""
    chain = [error]
    seen = {id(error)}
    while (before := chain[0].__cause__) is not None and id(before) not in seen:
        seen.add(id(before))
        chain.insert(0, before)
    return chain


def place_of(error: BaseException) -> str:
    """Return the maker's line that raised it, as "stars.py, line 41, in update"."""
    if isinstance(error, SyntaxError):
        return f"{Path(error.filename).name}, line {error.lineno}" if error.filename else ""
    frames = own_lines(error)
    if not frames:
        return ""
    return f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}, in {frames[-1].name}"


def reason_of(error: BaseException) -> str:
    """Return an exception's message, in one line with its place."""
    said = " ".join((error.msg if isinstance(error, SyntaxError) else str(error)).split())
    place = place_of(error)
    return f"{type(error).__name__}{': ' * bool(said)}{said}{f' ({place})' if place else ''}"


class FailureScreen:
    """Tells the player in one sentence that a game has stopped, and the maker, in smaller print,
    where; any key leaves.
    """

    is_still = True

    def __init__(self, title: str, error: BaseException) -> None:
        self.exit_requested = False
        self.sentence = say("failure.sentence", title=translated(title))
        self.reason = reason_of(error)
        self._controls = Controls()

    def frame(self, controls: Controls) -> None:
        """Leave on any of the usual keys."""
        self._controls = controls
        self.exit_requested |= controls.was_pressed(
            "escape", "space", "enter", "mouse_left", "pad_a", "pad_b"
        )

    def picture(
        self, width_px: int, height_px: int, alpha: float = 1.0, into: Picture | None = None
    ) -> Picture:
        """Return the picture."""
        picture = into or Picture(width_px, height_px)
        picture.clear(width_px, height_px)
        x = 0.5 * picture.width
        most = picture.width - 120.0
        picture.rectangle(
            (0, 0),
            (picture.width, picture.height),
            palette.SKY_BOTTOM,
            fill_top=palette.SKY_TOP,
            layer=0,
            space="screen",
        )
        y = _write(
            picture,
            self.sentence,
            (x, 0.61 * picture.height),
            44.0 * unit_of(picture),
            most,
            palette.TEXT,
        )
        _write(picture, self.reason, (x, y - 30.0), 22.0, most, palette.TEXT_DIM)
        Bar(picture, self._controls).draw([], [("esc", "keys.leave")])
        return picture


def _write(
    picture: Picture,
    text: str,
    at: tuple[float, float],
    size: float,
    width: float,
    colour: palette.Colour,
) -> float:
    """Write a text in centred lines of at most `width` points, and return the position of the next
    line.
    """
    x, y = at
    line = ""
    for word in [*text.split(), ""]:
        longer = f"{line} {word}".strip()
        if word and picture.text_width(longer, size) <= width:
            line = longer
            continue
        picture.text(line, (x, y), size=size, colour=colour, align="center", layer=Layer.SCREEN)
        y -= 1.4 * size
        line = word
    return y
