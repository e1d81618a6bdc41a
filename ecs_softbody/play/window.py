"""Window: shows sessions in a pyglet window, at a fixed game rate and the screen's drawing rate."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ecs_softbody.play.input.devices import Devices
from ecs_softbody.play.input.keyboard import BUTTONS, key_name
from ecs_softbody.play.input.posted import dispatch_posted
from ecs_softbody.play.launch.tools import Tool, ToolMissing, open_inspector
from ecs_softbody.play.opening import hear_end, open_backend, open_window
from ecs_softbody.play.screens.overlays import draw_notice, draw_progress
from ecs_softbody.play.screens.screen import Screen
from ecs_softbody.play.session import Session
from ecs_softbody.play.sharing.filming import Filming
from ecs_softbody.play.sharing.films import write_png
from ecs_softbody.play.sharing.folder import new_file, pictures_folder
from ecs_softbody.play.timing.game_clock import FRAME
from ecs_softbody.play.timing.resting import most_pictures, rest
from ecs_softbody.play.timing.stillness import Stillness
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.texts.table import say
from ecs_softbody.simulation.clock import Accumulator

TOLD = 3.0
"""How long [s] a line is shown that the window tells."""


class GameWindow:
    """A window that shows one screen at a time.

    Args:
        title: of the window.
        size: width and height [pixels].
        visible: False keeps it hidden, for tests.

    Raises:
        NoDisplay: when no window can be opened.
    """

    def __init__(
        self, title: str = "Soft bodies", *, size: tuple[int, int] = (1280, 720), visible: bool = True
    ) -> None:
        self.draw_ms = 0.0
        """Time that making and drawing a picture takes [ms], smoothed."""
        self.rate = 60.0
        """Pictures per second, smoothed."""
        self.closed = False
        self.step_ms = 0.0
        self._real_time = Accumulator()
        self._stillness = Stillness()
        self._hidden = False
        self._told, self._tell_until = "", 0.0
        self._later: list[Callable[[], object]] = []
        self.filming = Filming(self.tell)  # keeps the last seconds, and saves them
        self._tool: Tool | None = None
        self._work_ms = 0.0
        self._title = title
        self._screen: Screen | None = None
        self._window = open_window(title, size, visible)
        self._backend = open_backend(self._window)
        self._most_pictures = most_pictures(self._window)
        self._picture = Picture(*self._window.get_framebuffer_size())
        self._window.push_handlers(self)
        hear_end(self._window, self._lose)
        self._devices = Devices(self._window)
        self.pads = self._devices.pads
        """The game controllers; they are plugged in and out at any time."""

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of what is drawn [pixels]."""
        width, height = self._window.get_framebuffer_size()
        return max(int(width), 16), max(int(height), 16)

    @property
    def handle(self) -> Any:
        """The pyglet window."""
        return self._window

    def show(self, screen: Screen, *, until: Callable[[], bool] | None = None) -> None:
        """Show a screen until it wants to be left, the window is closed, or `until` says so."""
        self._screen = screen
        self.filming.clip.clear()
        self._devices.begin()
        self._real_time = Accumulator()
        self._stillness.end()
        if isinstance(screen, Session):
            screen.game.pads = self.pads
        if self._tool is not None:
            self._tool.meet(screen)
        self._window.set_caption(screen.game.title if isinstance(screen, Session) else self._title)
        before = time.perf_counter()
        while not (self.closed or screen.exit_requested or (until is not None and until())):
            now = time.perf_counter()
            elapsed, before = now - before, now
            self.rate += (1.0 / max(elapsed, 1e-3) - self.rate) * 0.05
            self.tick(elapsed)

    def tick(self, elapsed: float) -> None:
        """Take the input, run the frames that `elapsed` seconds ask for, and draw once."""
        self._window.dispatch_events()
        dispatch_posted()
        screen = self._screen
        if self.closed or screen is None:
            return
        self.filming.tell()
        started = time.perf_counter()
        frames = 0
        for _ in range(self._real_time.due(elapsed, FRAME)):
            if screen.exit_requested:
                break
            frames += 1
            self._point(screen)
            if self._devices.are_used:
                self._stillness.end()
            screen.frame(self._devices.controls)
            self._devices.next_frame()
        drawing = time.perf_counter()
        if frames:
            self.step_ms += ((drawing - started) * 1000.0 / frames - self.step_ms) * 0.1
        if self._tool is not None:
            self._tool.follow(self._work_ms)
        if isinstance(screen, Session):
            screen.timings = {"pictures per second": self.rate, "step ms": self.step_ms, "draw ms": self.draw_ms}
        changes = not screen.is_still or (self._tool is not None and self._tool.shown)
        if self._stillness.needs_picture(still=self._hidden or not changes) and not self._hidden:
            self.draw(screen, self._real_time.left_over / FRAME)
            if self.closed:
                return
            if isinstance(screen, Session) and not screen.is_still:
                self.filming.keep(self._backend.read_small, self.size_px, time.perf_counter())
            self.draw_ms += ((time.perf_counter() - drawing) * 1000.0 - self.draw_ms) * 0.1
            self._window.flip()
            while self._later:
                self._later.pop(0)()
        self._work_ms = (time.perf_counter() - started) * 1000.0
        rest(started, FRAME if self._stillness.lasts else 1.0 / self._most_pictures)

    def draw(self, screen: Screen, alpha: float = 1.0) -> None:
        """Draw a screen into the back buffer, unless the screen has closed the window."""
        if self.closed:
            return
        self._window.switch_to()
        picture = screen.picture(*self.size_px, alpha, self._picture)
        if self.closed:
            return
        if time.perf_counter() < self._tell_until:
            draw_notice(picture, self._told)
        self._backend.draw(picture)
        if self._tool is not None:
            self._tool.draw()

    def after_picture(self, call: Callable[[], object]) -> None:
        """Call it when the next picture of a screen stands in the window: what takes long and is not seen."""
        self._later.append(call)

    def inspect(self) -> None:
        """Show the inspector over the game, or hide it.

        Raises:
            ToolMissing: when it cannot be opened; the message says what is missing.
        """
        if self._tool is None:
            self._tool = open_inspector(self)
            self._tool.meet(self._screen)
        else:
            self._tool.shown = not self._tool.shown

    def holds(self, symbol: int, is_key: bool) -> bool:
        """Return whether the game has a key, or a button of the mouse, down."""
        return (key_name(symbol) if is_key else BUTTONS.get(symbol, "mouse_other")) in self._devices.controls.held

    def tell(self, text: str) -> None:
        """Show a line over the picture for a moment."""
        self._told, self._tell_until = text, time.perf_counter() + TOLD
        self._stillness.end()

    def prepare(self, title: str, steps: Iterator[tuple[int, int, str]]) -> bool:
        """Run (done, total, name) steps, one per drawn frame, behind a bar; False when the window was closed."""
        draw_progress(self._cleared(), title, 0, 1, "")
        self._present()
        for done, total, name in steps:
            draw_progress(self._cleared(), title, done, total, name)
            self._present()
            if self.closed:
                return False
        return True

    def save_screenshot(self, folder: Path | None = None) -> Path | None:
        """Write what was drawn last as a PNG file, say where it is, and return its path; None when it cannot be saved.

        Without a folder it is that of the user's pictures, see `pictures_folder`.
        """
        image = self._backend.read(*self.size_px)
        try:
            target = write_png(new_file(folder or pictures_folder(), "screenshot", ".png"), image)
        except OSError as error:
            self.tell(say("window.not_saved", reason=error.strerror or error))
            return None
        self.tell(say("window.saved", path=target))
        return target

    def pixels(self) -> Any:
        """Return what is in the back buffer, shape (height, width, 3)."""
        return self._backend.read(*self.size_px)

    def close(self) -> None:
        """Close the window."""
        if not self.closed:
            self.closed = True
            if self._tool is not None:
                self._tool.close()
            self._window.close()

    def _lose(self) -> None:
        """Be closed: the window is there no longer, and nothing of it may be touched."""
        self.closed = True
        self._window.switch_to = self._window.flip = self._window.dispatch_events = lambda: None

    def _cleared(self) -> Picture:
        self._picture.clear(*self.size_px)
        return self._picture

    def _present(self) -> None:
        self._window.switch_to()
        self._backend.draw(self._picture)
        self._window.flip()
        self._window.dispatch_events()

    def _point(self, screen: Screen) -> None:
        """Tell the controls where the mouse is in the world."""
        if isinstance(screen, Session):
            controls = self._devices.controls
            x, y = screen.game.camera.screen_to_world(controls.pointer_screen)
            controls.pointer = (float(x), float(y))

    def _move_pointer(self, x: float, y: float) -> None:
        scale = self.size_px[1] / max(self._window.height, 1) / self._picture.point
        self._devices.controls.pointer_screen = (x * scale, y * scale)
        self._stillness.end()

    def on_key_press(self, symbol: int, modifiers: int) -> bool:
        """Note a key; the window itself answers F2, F9, F11 and F12."""
        name = key_name(symbol)
        if name == "f12":
            self.save_screenshot()
        elif name == "f9":
            self.filming.save()
        elif name == "f2":
            try:
                self.inspect()
            except ToolMissing as missing:
                self.tell(f"{missing}")
        elif name == "f11":
            self._window.set_fullscreen(not self._window.fullscreen)
            self._devices.look_in_new_window()
        elif name:
            self._devices.press(name)
        return True

    def on_key_release(self, symbol: int, modifiers: int) -> bool:
        """Note that a key went up."""
        self._devices.release(key_name(symbol))
        return True

    def on_mouse_motion(self, x: int, y: int, dx: int, dy: int) -> None:
        """Note where the mouse is."""
        self._move_pointer(x, y)

    def on_mouse_drag(self, x: int, y: int, dx: int, dy: int, buttons: int, modifiers: int) -> None:
        """Note where the mouse is."""
        self._move_pointer(x, y)

    def on_mouse_press(self, x: int, y: int, button: int, modifiers: int) -> None:
        """Note a button."""
        self._move_pointer(x, y)
        self._devices.press(BUTTONS.get(button, "mouse_other"))

    def on_mouse_release(self, x: int, y: int, button: int, modifiers: int) -> None:
        """Note that a button went up."""
        self._move_pointer(x, y)
        self._devices.release(BUTTONS.get(button, "mouse_other"))

    def on_mouse_scroll(self, x: int, y: int, scroll_x: float, scroll_y: float) -> None:
        """Note the wheel."""
        self._devices.controls.scroll += scroll_y

    def on_deactivate(self) -> None:
        """Let go of all keys and pause when another window comes to the front."""
        self._devices.let_go()
        if isinstance(self._screen, Session):
            self._screen.leave()

    def on_activate(self) -> None:
        """Find out which keys are down: other windows had them meanwhile."""
        self._devices.look()

    def on_hide(self) -> None:
        """Pause, and draw nothing, while the window is minimised."""
        self._hidden = True
        self.on_deactivate()

    def on_show(self) -> None:
        """Draw again."""
        self._hidden = False
        self._stillness.end()

    def on_expose(self) -> None:
        """Draw again what was covered."""
        self._stillness.end()

    def on_resize(self, width: int, height: int) -> None:
        """Draw again at the new size."""
        self._stillness.end()

    def on_close(self) -> bool:
        """Close at the end of this picture."""
        self.close()
        return True
