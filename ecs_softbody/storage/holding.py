"""Holding: decorators for methods that work in an esper world: `inside` makes the world current
while a method runs, `whole` also lets signals wait until it is done.

esper has one current world in a process. So one thread at a time is inside any world, whichever it
is; another one is refused. Signals that Python hands to a handler (Ctrl-C, an alarm) may come
between any two lines; while the engine changes a world they wait until it is done, so that no
change is left half made.
"""

from __future__ import annotations

import functools
import signal
import sys
import time
from collections.abc import Callable
from threading import get_ident, main_thread
from types import CodeType, FrameType
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import esper

SIGNALS = tuple(
    int(getattr(signal, name))
    for name in ("SIGINT", "SIGTERM", "SIGALRM", "SIGBREAK")
    if hasattr(signal, name)
)
"""Signals whose handlers may raise, so that user code gets out of a step: Ctrl-C, a termination
request, an alarm.
"""
PATIENCE = 2.0
"""If a signal has waited longer than this [s], the next one of its kind is handled at once (the
second Ctrl-C): kernels may be compiled for minutes.
"""
TORN = (
    "a second interrupt tore it out of a change; make it anew, or restore a snapshot "
    "of it in another one"
)
"""Reason in errors of a simulation that an interrupt has left half changed."""
PLAIN: Any = sys.modules.get("_signal", signal)
"""The plain functions that `signal` wraps with enums, which take ten times as long."""

Given = ParamSpec("Given")
Result = TypeVar("Result")


class HasName(Protocol):
    """An esper world, by its name."""

    name: str

    def check_open(self) -> None:
        """Raise RuntimeError after its simulation was closed."""

    def end(self, why: str) -> None:
        """Note that it can be used no longer, and why."""


class Owner:
    """Knows which thread is inside a world. That thread may enter again; on leaving, it restores
    the previous owner.
    """

    def __init__(self) -> None:
        self.thread = 0
        """Its number, 0 for none."""

    def check(self) -> int:
        """Return the number of this thread; RuntimeError when another one is inside a world."""
        thread = get_ident()
        if self.thread not in (0, thread):
            if self.thread in sys._current_frames():
                raise RuntimeError(
                    "another thread is inside a step or a `with` of a Simulation: esper has one "
                    "current world in a "
                    "process, so one thread at a time uses any of them; take turns with a lock, or "
                    "use processes"
                )
            self.thread = 0  # it ended in there
        return thread


class Shield:
    """Has signals wait while the engine changes a world. Only the main thread gets any."""

    def __init__(self) -> None:
        self.depth = 0
        """How many calls that have raised it are running, one inside the other."""
        self.is_lifted = False
        """Whether user-defined code is running, which a signal may interrupt at once."""
        self.entrances = set[CodeType]()
        """The code that begins and ends a `with`: it is not user code, although called by it."""
        self.is_torn = False
        """Whether a second signal tore something out of a change."""
        self._waiting: dict[int, float] = {}
        """Arrival time of each waiting signal [s]."""
        self._handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}
        """The handlers of the signals without the shield."""
        # One object for all comparisons: each access to `self._note` makes a new bound method.
        self._noting = self._note

    def raise_up(self) -> bool:
        """Defer signals from now on; return the argument for `let_down`."""
        if get_ident() != main_thread().ident:
            return False
        was = self.is_lifted
        self.depth += 1
        try:
            if self.depth == 1:
                for number in SIGNALS:
                    handler = PLAIN.getsignal(number)
                    if callable(handler) and handler is not self._noting:
                        self._handlers[number] = handler
                        PLAIN.signal(number, self._noting)
        except BaseException:  # a signal came before it was up
            self.let_down(was)
            raise
        self.is_lifted = False
        return was

    def let_down(self, was: bool) -> None:
        """Restore the previous state; waiting signals are delivered now, unless an outer shield is
        still up.
        """
        if get_ident() != main_thread().ident:
            return
        self.depth = max(self.depth - 1, 0)
        self.is_lifted = was
        if not self.depth:
            # The handler of Ctrl-C is last: the signal may come as soon as it is allowed to.
            for number in reversed(self._handlers):
                if PLAIN.getsignal(number) is self._noting:
                    PLAIN.signal(number, self._handlers[number])
        while self._waiting and (was or not self.depth):
            signal.raise_signal(self._waiting.popitem()[0])

    def lift(
        self, call: Callable[Given, Result], *given: Given.args, **options: Given.kwargs
    ) -> Result:
        """Call user-defined code with signals enabled."""
        was = self.is_lifted
        try:
            self.is_lifted = True
            return call(*given, **options)
        finally:
            self.is_lifted = was

    def _note(self, number: int, frame: FrameType | None) -> None:
        """Keep a signal for later; another of its kind comes at once where the first one has waited
        for too long.
        """
        is_of_maker = self.is_lifted and not self._is_entrance(frame)
        if not is_of_maker:
            now = time.monotonic()
            if now - self._waiting.setdefault(number, now) < PATIENCE:
                return
            self.is_torn = True
        self._handlers[number](number, frame)

    def _is_entrance(self, frame: FrameType | None) -> bool:
        """Return whether a `with` is just being entered or left."""
        while frame is not None and frame.f_code not in self.entrances:
            frame = frame.f_back
        return frame is not None


OWNER = Owner()
"""One for the process, as esper has one current world in a process."""
SHIELD = Shield()
"""One for the process, as signal handlers belong to a process."""


def inside(
    method: Callable[Concatenate[Any, Given], Result],
) -> Callable[Concatenate[Any, Given], Result]:
    """Have a method run with the world `_world` of its object as the current one.

    An interrupt at any instant leaves the previous world current: calls in `finally` may be
    interrupted, too, and are repeated then.

    Raises:
        RuntimeError: when the simulation of the world is closed, or another thread is inside a
            world.
    """

    @functools.wraps(method)
    def call(part: Any, /, *given: Given.args, **options: Given.kwargs) -> Result:
        world: HasName = part._world
        world.check_open()
        thread = OWNER.check()
        before = esper.current_world
        held = OWNER.thread
        try:
            OWNER.thread = thread
            if before != world.name:
                esper.switch_world(world.name)
            return method(part, *given, **options)
        finally:
            OWNER.thread = held
            if esper.current_world != before:
                try:
                    go_back(before)
                except BaseException:
                    go_back(before)
                    raise

    return call


def whole(
    method: Callable[Concatenate[Any, Given], Result],
) -> Callable[Concatenate[Any, Given], Result]:
    """Have a method run inside its world with signals deferred until it is done, so that its
    changes are never half made.
    """
    within = inside(method)

    @functools.wraps(method)
    def call(part: Any, /, *given: Given.args, **options: Given.kwargs) -> Result:
        was = SHIELD.raise_up()
        try:
            return within(part, *given, **options)
        except BaseException:
            if SHIELD.is_torn:
                SHIELD.is_torn = False
                # Rows and the state of stages may not match.
                part._world.end(TORN)
            raise
        finally:
            SHIELD.let_down(was)

    return call


def entrance(method: Callable[Given, Result]) -> Callable[Given, Result]:
    """Mark a method that begins or ends a `with`: a signal that comes in there waits."""
    SHIELD.entrances.add(method.__code__)
    return method


class Stays:
    """The `with` blocks that have been entered and not left: for each the previous world and the
    state of the shield.
    """

    def __init__(self) -> None:
        self._entered: list[tuple[str, int, bool]] = []
        """(previous world, previous owner thread, whether the shield was lifted) of each."""

    @entrance
    def enter(self, world: HasName) -> None:
        """Make a world the current one; signals come as ever inside the block."""
        world.check_open()
        was = SHIELD.raise_up()
        try:
            thread = OWNER.check()
            self._entered.append((esper.current_world, OWNER.thread, was))
            OWNER.thread = thread
            esper.switch_world(world.name)
        except BaseException:
            SHIELD.let_down(was)
            raise
        SHIELD.is_lifted = True

    @entrance
    def leave(self) -> None:
        """Make the world before the current one again."""
        SHIELD.is_lifted = False
        before, OWNER.thread, was = self._entered.pop()
        go_back(before)
        SHIELD.let_down(was)


def go_back(name: str) -> None:
    """Make a world the current one again, the default one where it is gone."""
    esper.switch_world(name if name in esper.list_worlds() else "default")


def is_running(frame: FrameType) -> bool:
    """Return whether the call with this stack frame of Python is still running in this thread.

    A flag instead of a frame would stay set where an exception comes at the instant at which it is
    cleared.
    """
    above: FrameType | None = sys._getframe(1)
    while above is not None and above is not frame:
        above = above.f_back
    return above is frame
