"""Stage: shows screens at a fixed game rate, on any drawing surface; no window, no pyglet.

A screen is a Session or a menu. At each picture of the display the stage reads the input, runs the
frames of 1/60 s that are due, and draws, unless nothing has changed. Window (window.py) is a stage
with pyglet's events, web/stage.py one in a browser.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Any, Protocol, TypeVar

from ecs_softbody.parallel.machine import can_start_threads
from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.input.devices import Devices
from ecs_softbody.play.launch.tools import Tool, ToolMissing
from ecs_softbody.play.screens.overlays import draw_notice, draw_progress
from ecs_softbody.play.session import Session
from ecs_softbody.play.sharing.films import new_file, pictures_folder, write_png
from ecs_softbody.play.sound.sounds import Sounds
from ecs_softbody.play.timing.game_clock import FRAME
from ecs_softbody.rendering.backend.backend import Backend
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.texts.table import say
from ecs_softbody.simulation.clock import Accumulator

TOLD = 3.0
"""Duration [s] of a line shown by the stage."""
Result = TypeVar("Result")
Pictures = Generator[None, None, Result]
"""A task over many pictures: yields once for each, and returns a result at its end."""


class Surface(Protocol):
    """The drawing surface of a stage; the names are pyglet's names for a window."""

    @property
    def fullscreen(self) -> bool:
        """Whether it is full screen."""

    def get_framebuffer_size(self) -> tuple[int, int]:
        """Return width and height [pixels]."""

    def dispatch_events(self) -> None:
        """Report the events since the last call to the stage, by its `press`, `point` and so on."""

    def switch_to(self) -> None:
        """Let the back end draw on this surface."""

    def flip(self) -> None:
        """Show the drawn picture."""

    def set_caption(self, caption: str) -> None:
        """Set the title to the name of the screen shown."""

    def set_fullscreen(self, fullscreen: bool) -> None:
        """Turn full screen on or off."""

    def close(self) -> None:
        """Close it."""


SETTLING = 4
"""Pictures drawn after an event, until its effect is visible."""
AFTER_MOVING = 1
"""Pictures drawn after the last moving one: the frame that ended the movement may have changed
it.
"""
HEARTBEAT = 60
"""One picture in this many is drawn even if nothing has happened."""


class Screen(Protocol):
    """A screen that a window can show: a session, or a menu."""

    exit_requested: bool

    @property
    def is_still(self) -> bool:
        """Whether the picture is static until the next input."""

    def frame(self, controls: Controls) -> None:
        """Run one frame."""

    def picture(self, width_px: int, height_px: int, alpha: float, into: Picture | None) -> Picture:
        """Return the picture."""


class Stillness:
    """Counts the pictures without motion or events."""

    def __init__(self) -> None:
        self._owed = SETTLING
        """Pictures that are still to be drawn after the last event."""
        self._quiet = 0
        """Pictures since then."""

    @property
    def lasts(self) -> bool:
        """Whether the picture has settled since the last event."""
        return self._owed == 0

    def end(self) -> None:
        """Note an event."""
        self._owed = SETTLING
        self._quiet = 0

    def needs_picture(self, *, still: bool) -> bool:
        """Return whether this picture has to be drawn; `still` means that it does not move by
        itself.
        """
        if not still:
            self._owed = max(self._owed - 1, AFTER_MOVING)
            self._quiet = 0
            return True
        self._quiet += 1
        if self._owed:
            self._owed -= 1
            return True
        return self._quiet % HEARTBEAT == 0


class Stage:
    """Shows one screen at a time, and gives it the player's input.

    Args:
        surface: the drawing surface.
        backend: draws on the surface.
        title: the surface's title while it shows no game.
        now: the clock [s].

    Attributes:
        press, release: called with the name of a key or of a button of the mouse that goes down or
            up.
        pads: the game controllers; they are plugged in and out at any time.
        answers: the stage's own key handlers, by key name; games do not see these keys.
        before_flip: called when a picture of a screen is drawn and not shown yet.
        draw_ms, step_ms: times of drawing a picture, and of running a frame [ms], smoothed.
        rate: pictures per second, smoothed.
        closed: whether it is closed.
        now: the clock [s].
        screen: the current screen, None before the first one.
    """

    def __init__(
        self, surface: Surface, backend: Backend, title: str = "Soft bodies",
        now: Callable[[], float] = time.perf_counter,
    ) -> None:  # fmt: skip
        self.draw_ms = self.step_ms = 0.0
        self.rate = 60.0
        self.closed = False
        self._surface = surface
        self._backend = backend
        self._title = title
        self.now = now
        self._real_time = Accumulator()
        self._stillness = Stillness()
        self._hidden = False
        # A line over the picture, and until when it is shown [s of the clock].
        self._told = ""
        self._tell_until = 0.0
        # Calls to make after the next picture.
        self._later: list[Callable[[], object]] = []
        # The inspector, while it is open.
        self._tool: Tool | None = None
        self._started = 0.0  # start of the last picture
        # Time that the last picture took, frames included [ms].
        self._work_ms = 0.0
        self.screen: Screen | None = None
        self._picture = Picture(*self.size_px)
        self.before_flip: list[Callable[[], object]] = []
        self.answers: dict[str, Callable[[], object]] = {
            "f2": self._switch_inspector, "f9": self._tell_that_nothing_is_filmed,
            "f11": self.switch_full_screen, "f12": self.save_screenshot,
        }  # fmt: skip
        self._devices = Devices(self.answers)
        self.press = self._devices.press
        self.release = self._devices.release
        self.pads = self._devices.pads

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the drawing area [pixels]."""
        width, height = self._surface.get_framebuffer_size()
        return max(int(width), 16), max(int(height), 16)

    @property
    def pixels_per_point(self) -> float:
        """Size of a point of the screen in the last picture [pixels]."""
        return self._picture.point

    def showing(self, screen: Screen, *, until: Callable[[], bool] | None = None) -> Pictures[None]:
        """Show a screen until it wants to leave, the stage is closed, or `until` returns true;
        yield for each picture.
        """
        self._put_on(screen)
        before = self.now()
        while not (self.closed or screen.exit_requested or (until is not None and until())):
            now = self.now()
            elapsed = now - before
            before = now
            self.rate += (1.0 / max(elapsed, 1e-3) - self.rate) * 0.05
            self.tick(elapsed)
            yield

    def preparing(self, title: str, steps: Iterable[tuple[int, int, str]]) -> Pictures[bool]:
        """Run (done, total, name) steps behind a progress bar, one for each picture; return False
        if the stage was closed.
        """
        for done, total, name in itertools.chain([(0, 1, "")], steps):
            self._picture.clear(*self.size_px)
            draw_progress(self._picture, title, done, total, name)
            self._surface.switch_to()
            self._backend.draw(self._picture)
            self._surface.flip()
            self._surface.dispatch_events()
            yield
            if self.closed:
                return False
        return True

    def run(self, pictures: Pictures[Result]) -> Result:
        """Draw all pictures of a generator that yields once for each, and return its result."""
        while True:
            try:
                next(pictures)
            except StopIteration as end:
                found: Result = end.value
                return found
            self.rest()

    def show(self, screen: Screen, *, until: Callable[[], bool] | None = None) -> None:
        """Show a screen until it wants to leave, the stage is closed, or `until` returns true."""
        self.run(self.showing(screen, until=until))

    def prepare(self, title: str, steps: Iterable[tuple[int, int, str]]) -> bool:
        """Run (done, total, name) steps behind a progress bar, one for each picture; return False
        if the stage was closed.
        """
        return self.run(self.preparing(title, steps))

    def rest(self) -> None:
        """Wait until the next picture is due; here it is due at once."""

    def take_events(self) -> None:
        """Read the player's input."""
        self._surface.dispatch_events()

    def tick(self, elapsed: float) -> None:
        """Read the input, run the frames due after `elapsed` seconds, and draw once."""
        self.take_events()
        screen = self.screen
        if self.closed or screen is None:
            return
        self._started = started = self.now()
        frames = 0
        for _ in range(self._real_time.due(elapsed, FRAME)):
            if screen.exit_requested:
                break
            frames += 1
            self._find_pointer(screen)
            if self._devices.are_used:
                self.wake()
            screen.frame(self._devices.controls)
            self._devices.next_frame()
        drawing = self.now()
        if frames:
            self.step_ms += ((drawing - started) * 1000.0 / frames - self.step_ms) * 0.1
        if self._tool is not None:
            self._tool.follow(self._work_ms)
        if isinstance(screen, Session):
            screen.timings = {
                "pictures per second": self.rate,
                "step ms": self.step_ms,
                "draw ms": self.draw_ms,
            }
        changes = not screen.is_still or (self._tool is not None and self._tool.shown)
        if self._stillness.needs_picture(still=self._hidden or not changes) and not self._hidden:
            self.draw(screen, self._real_time.left_over / FRAME)
            if self.closed:
                return
            for call in tuple(self.before_flip):
                call()
            self.draw_ms += ((self.now() - drawing) * 1000.0 - self.draw_ms) * 0.1
            self._surface.flip()
            while self._later:
                self._later.pop(0)()
        self._work_ms = (self.now() - started) * 1000.0

    def draw(self, screen: Screen, alpha: float = 1.0) -> None:
        """Draw a screen into the back buffer, unless the screen has closed the stage."""
        if self.closed:
            return
        self._surface.switch_to()
        picture = screen.picture(*self.size_px, alpha, self._picture)
        if self.closed:
            return
        if self.now() < self._tell_until:
            draw_notice(picture, self._told)
        self._backend.draw(picture)
        if self._tool is not None:
            self._tool.draw()

    def after_picture(self, call: Callable[[], object]) -> None:
        """Call a function after the next picture of a screen is shown, for slow invisible work."""
        self._later.append(call)

    def open_sounds(self, sounds: Sounds) -> None:
        """Open a game's sound output if possible; here it is not."""

    def point(self, x: float, y: float) -> None:
        """Set the position of the mouse, in pixels from the lower left."""
        self._devices.controls.pointer_screen = (
            x / self.pixels_per_point,
            y / self.pixels_per_point,
        )
        self.wake()

    def scroll(self, turns: float) -> None:
        """Add turns of the wheel, up is positive."""
        self._devices.controls.scroll += turns

    def leave(self) -> None:
        """Release all keys and pause: the player has turned away."""
        self._devices.let_go()
        if isinstance(self.screen, Session):
            self.screen.leave()

    def come_back(self) -> None:
        """Continue when the player returns."""
        self.wake()

    def hide(self) -> None:
        """Pause and stop drawing: the surface is hidden."""
        self._hidden = True
        self.leave()

    def unhide(self) -> None:
        """Draw again after `hide`."""
        self._hidden = False
        self.wake()

    def wake(self) -> None:
        """Draw the next pictures, even if nothing moves in them."""
        self._stillness.end()

    def tell(self, text: str) -> None:
        """Show a line over the picture for a moment."""
        self._told = text
        self._tell_until = self.now() + TOLD
        self.wake()

    def inspect(self) -> None:
        """Show the inspector over the game, or hide it.

        Raises:
            ToolMissing: when it cannot be opened; the message names the missing part.
        """
        if self._tool is None:
            self._tool = self._open_inspector()
            self._tool.meet(self.screen)
        else:
            self._tool.shown = not self._tool.shown

    def switch_full_screen(self) -> None:
        """Toggle full screen; all keys count as released then, since releases during the switch may
        be lost.
        """
        self._surface.set_fullscreen(not self._surface.fullscreen)
        self._devices.let_go()

    def save_screenshot(self, folder: Path | None = None) -> Path | None:
        """Save the last picture as a PNG file, tell the player its path, and return it; None when
        it cannot be saved.

        The default folder is the user's picture folder, see `pictures_folder`.
        """
        image = self.pixels()
        try:
            target = write_png(new_file(folder or pictures_folder(), "screenshot", ".png"), image)
        except OSError as error:
            self.tell(say("window.not_saved", reason=error.strerror or error))
            return None
        self.tell(say("window.saved", path=target))
        return target

    def pixels(self) -> Any:
        """Return the content of the back buffer, shape (height, width, 3)."""
        return self._backend.read(*self.size_px)

    def small_pixels(self, size: tuple[int, int]) -> Any:
        """Return the content of the back buffer, reduced to about this width and height
        [pixels].
        """
        return self._backend.read_small(self.size_px, size)

    def close(self) -> None:
        """Close the surface."""
        if not self.closed:
            self.closed = True
            if self._tool is not None:
                self._tool.close()
            self._surface.close()

    def _put_on(self, screen: Screen) -> None:
        """Start showing a screen, with all keys up."""
        self.screen = screen
        self._devices.begin()
        self._real_time = Accumulator()
        self.wake()
        if isinstance(screen, Session):
            screen.game.pads = self.pads
        if self._tool is not None:
            self._tool.meet(screen)
        self._surface.set_caption(screen.game.title if isinstance(screen, Session) else self._title)

    def _find_pointer(self, screen: Screen) -> None:
        """Give the controls the mouse's position in the world."""
        if isinstance(screen, Session):
            controls = self._devices.controls
            x, y = screen.game.camera.screen_to_world(controls.pointer_screen)
            controls.pointer = (float(x), float(y))

    def _tell_that_nothing_is_filmed(self) -> None:
        self.tell(say("window.gif_nothing" if can_start_threads() else "window.gif_not_here"))

    def _switch_inspector(self) -> None:
        try:
            self.inspect()
        except ToolMissing as missing:
            self.tell(f"{missing}")

    def _open_inspector(self) -> Tool:
        raise ToolMissing("The inspector needs a window of the desktop")
