"""Holding: who is inside an esper world, and what waits until the work there is done.

esper has one current world in a process. So one thread at a time is inside any world, whichever it is; another one is
refused. Signals that Python hands to a handler (Ctrl-C, an alarm) may come between any two lines; while the engine
changes a world they wait until it is done, so that no change is left half made.
"""

from __future__ import annotations

import functools
import signal
import sys
from collections.abc import Callable
from threading import current_thread, get_ident, main_thread
from types import CodeType, FrameType
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import esper

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGALRM", "SIGBREAK") if hasattr(signal, name)
)
"""Those whose handlers may raise, so that a maker gets out of a step: Ctrl-C, an end that was asked for, an alarm."""
GET_HANDLER = getattr(signal.getsignal, "__wrapped__", signal.getsignal)
SET_HANDLER = getattr(signal.signal, "__wrapped__", signal.signal)
"""Without the enums that Python has put around them, which take ten times as long."""

Given = ParamSpec("Given")
Result = TypeVar("Result")


class HasName(Protocol):
    """An esper world, by its name."""

    name: str

    def check_open(self) -> None:
        """Raise RuntimeError after its simulation was closed."""


class Owner:
    """The thread that is inside a world, and how many times: what is inside calls what enters."""

    def __init__(self) -> None:
        self.thread = self.depth = 0

    def check(self) -> int:
        """Return the number of this thread; RuntimeError when another one is inside a world."""
        thread = get_ident()
        if self.thread not in (0, thread):
            if self.thread in sys._current_frames():
                raise RuntimeError(
                    "another thread is inside a step or a `with` of a Simulation: esper has one current world in a "
                    "process, so one thread at a time uses any of them; take turns with a lock, or use processes"
                )
            self.thread = self.depth = 0  # it ended in there
        return thread


class Shield:
    """Has signals wait while the engine changes a world. Only the main thread gets any."""

    def __init__(self) -> None:
        self.depth = 0
        self.is_lifted = False
        """Whether a maker's own code runs, out of which a signal may come at once."""
        self.entrances = set[CodeType]()
        """The code of what begins and ends a `with`: no code of the maker's, although it is called by him."""
        self._waiting: list[int] = []
        self._handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}
        """What the signals are handed to without the shield."""
        self._noting = self._note

    def raise_up(self) -> bool:
        """Have signals wait from now on; return what `let_down` needs."""
        if current_thread() is not main_thread():
            return False
        was = self.is_lifted
        self.depth += 1
        try:
            if self.depth == 1:
                for number in SIGNALS:
                    handler = GET_HANDLER(number)
                    if callable(handler) and handler is not self._noting:
                        self._handlers[number] = handler
                        SET_HANDLER(number, self._noting)
        except BaseException:  # a signal came before it was up
            self.let_down(was)
            raise
        self.is_lifted = False
        return was

    def let_down(self, was: bool) -> None:
        """Go on as before; signals that have waited come now, where nothing else is changed."""
        if current_thread() is not main_thread():
            return
        self.depth = max(self.depth - 1, 0)
        self.is_lifted = was
        if not self.depth:
            for number in reversed(SIGNALS):  # Ctrl-C last: it may come as soon as it is allowed to
                if GET_HANDLER(number) is self._noting:
                    SET_HANDLER(number, self._handlers[number])
        while self._waiting and (was or not self.depth):
            signal.raise_signal(self._waiting.pop(0))

    def lift(self, call: Callable[Given, Result], *given: Given.args, **options: Given.kwargs) -> Result:
        """Call what a maker has written: signals do not wait in there."""
        was = self.is_lifted
        try:
            self.is_lifted = True
            return call(*given, **options)
        finally:
            self.is_lifted = was

    def _note(self, number: int, frame: FrameType | None) -> None:
        """Keep a signal for later; the second of a kind comes at once, as the first one was not answered."""
        if number in self._waiting or (self.is_lifted and not self._is_entrance(frame)):
            self._handlers[number](number, frame)
        else:
            self._waiting.append(number)


    def _is_entrance(self, frame: FrameType | None) -> bool:
        """Return whether a `with` is just being entered or left."""
        while frame is not None and frame.f_code not in self.entrances:
            frame = frame.f_back
        return frame is not None


OWNER = Owner()
SHIELD = Shield()


def inside(method: Callable[Concatenate[Any, Given], Result]) -> Callable[Concatenate[Any, Given], Result]:
    """Have a method run with the world `_world` of its object as the current one.

    An interrupt at any instant leaves the world that was the current one before: what is called in `finally` may be
    interrupted, too, and is called again then.

    Raises:
        RuntimeError: when the simulation of the world is closed, or another thread is inside a world.
    """

    @functools.wraps(method)
    def call(part: Any, /, *given: Given.args, **options: Given.kwargs) -> Result:
        world: HasName = part._world
        world.check_open()
        OWNER.thread, before = OWNER.check(), esper.current_world
        OWNER.depth += 1
        try:
            if before != world.name:
                esper.switch_world(world.name)
            return method(part, *given, **options)
        finally:
            OWNER.depth -= 1
            if not OWNER.depth:
                OWNER.thread = 0
            if esper.current_world != before:
                try:
                    go_back(before)
                except BaseException:
                    go_back(before)
                    raise

    return call


def whole(method: Callable[Concatenate[Any, Given], Result]) -> Callable[Concatenate[Any, Given], Result]:
    """Have a method run inside its world, and signals wait until it is done: what it changes is never half made."""
    within = inside(method)

    @functools.wraps(method)
    def call(part: Any, /, *given: Given.args, **options: Given.kwargs) -> Result:
        was = SHIELD.raise_up()
        try:
            return within(part, *given, **options)
        finally:
            SHIELD.let_down(was)

    return call


def entrance(method: Callable[Given, Result]) -> Callable[Given, Result]:
    """Mark a method that begins or ends a `with`: a signal that comes in there waits."""
    SHIELD.entrances.add(method.__code__)
    return method


class Stays:
    """The `with` blocks that have been entered and not left: the world before each, and what the shield needs."""

    def __init__(self) -> None:
        self._entered: list[tuple[str, bool]] = []

    @entrance
    def enter(self, world: HasName) -> None:
        """Make a world the current one; signals come as ever inside the block."""
        world.check_open()
        was = SHIELD.raise_up()
        try:
            OWNER.thread = OWNER.check()
            OWNER.depth += 1
            self._entered.append((esper.current_world, was))
            esper.switch_world(world.name)
        except BaseException:
            SHIELD.let_down(was)
            raise
        SHIELD.is_lifted = True

    @entrance
    def leave(self) -> None:
        """Make the world before the current one again."""
        SHIELD.is_lifted = False
        before, was = self._entered.pop()
        OWNER.depth -= 1
        if not OWNER.depth:
            OWNER.thread = 0
        go_back(before)
        SHIELD.let_down(was)


def go_back(name: str) -> None:
    """Make a world the current one again, the default one where it is gone."""
    esper.switch_world(name if name in esper.list_worlds() else "default")


def is_running(frame: FrameType) -> bool:
    """Return whether a call that was noted by its frame is still running in this thread.

    A flag would stay set where an exception comes at the instant at which it is to be taken back.
    """
    above: FrameType | None = sys._getframe(1)
    while above is not None and above is not frame:
        above = above.f_back
    return above is frame
