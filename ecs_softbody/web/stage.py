"""Web stage: shows a game in a canvas.

The page calls `picture` for each picture, and reports the player's input.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ecs_softbody.play.launch.failure import FailureScreen, GameStopped
from ecs_softbody.play.session import Session
from ecs_softbody.play.sound.sounds import Sounds
from ecs_softbody.play.stage import Pictures, Screen, Stage
from ecs_softbody.rendering.backend.shaders import WEBGL, shaders
from ecs_softbody.web.backend import Script, WebBackend, address
from ecs_softbody.web.glass import glass_of, mode_of
from ecs_softbody.web.keys import key_name
from ecs_softbody.web.media import SoundScript, WebMedia
from ecs_softbody.web.pads import WebPad

BUTTONS = ("mouse_left", "mouse_middle", "mouse_right")
"""Mouse buttons by the browser's numbers."""


class PageScript(Protocol):
    """The functions that `start` of `page.js` passes."""

    sound: SoundScript

    def backend(self, shaders: str) -> Script: ...  # noqa: D102
    def caption(self, text: str) -> None: ...  # noqa: D102
    def fullscreen(self) -> None: ...  # noqa: D102
    def glass(self, buttons: str) -> None: ...  # noqa: D102
    def download(self, name: str, address: int, length: int, kind: str) -> None: ...  # noqa: D102
    def wrong(self, sentence: str) -> None: ...  # noqa: D102


class Canvas:
    """A page's canvas as a stage's surface.

    Args:
        script: the page.
        size: width and height [pixels].
    """

    def __init__(self, script: PageScript, size: tuple[int, int]) -> None:
        self._script = script
        self.size = size
        self.fullscreen = False
        """May be out of date: players can also leave full screen by a key of the browser."""

    def get_framebuffer_size(self) -> tuple[int, int]:
        """Return width and height [pixels]."""
        return self.size

    def dispatch_events(self) -> None:
        """Do nothing: the page reports events as they happen."""

    def switch_to(self) -> None:
        """Do nothing: there is one canvas."""

    def flip(self) -> None:
        """Do nothing: the browser shows the picture by itself."""

    def set_caption(self, caption: str) -> None:
        """Set the page's title."""
        self._script.caption(caption)

    def set_fullscreen(self, fullscreen: bool) -> None:
        """Toggle the page's full screen."""
        self._script.fullscreen()

    def close(self) -> None:
        """Do nothing: the page stays."""


class WebStage(Stage):
    """Shows one screen at a time in a page.

    Args:
        script: the page.
        size: width and height of the canvas [pixels].
    """

    def __init__(self, script: PageScript, size: tuple[int, int]) -> None:
        self._script = script
        self._canvas = Canvas(script, size)
        super().__init__(self._canvas, self._new_backend())
        self._held: dict[str, str] = {}
        """Key names by the place of each pressed key: with shift it may type another character at
        its release.
        """
        self._plugged: dict[int, WebPad] = {}
        self._on_glass: tuple[object, ...] = ()
        """For what the buttons on the glass were found."""
        self._pictures: Pictures[None] | None = None

    def begin(self, pictures: Callable[[Stage], Pictures[None]]) -> None:
        """Set the pictures to show."""
        self._pictures = pictures(self)

    def picture(self) -> bool:
        """Show the next picture; return False when the player has left."""
        if self._pictures is None:
            return False
        try:
            next(self._pictures)
        except (StopIteration, GameStopped):
            self._pictures = None
        return self._pictures is not None

    def showing(self, screen: Screen, *, until: Callable[[], bool] | None = None) -> Pictures[None]:
        """Show a screen as any stage does; the page reports an exception of a game as text to
        copy.
        """
        if isinstance(screen, FailureScreen):
            self._script.wrong(f"{screen.sentence}\n{screen.reason}")
        yield from super().showing(screen, until=until)

    def open_sounds(self, sounds: Sounds) -> None:
        """Open a game's sound output."""
        sounds.open(WebMedia(self._script.sound))

    def save_screenshot(self, folder: Path | None = None) -> Path | None:
        """Write the last picture as a PNG file, and offer it to the player as a download."""
        path = super().save_screenshot(folder)
        if path is not None:
            content = np.frombuffer(path.read_bytes(), np.uint8)
            self._script.download(path.name, address(content), len(content), "image/png")
            path.unlink()
        return path

    def restore(self) -> None:
        """Load everything anew that a picture needs: the browser had let go of it."""
        self._backend = self._new_backend()
        self.wake()

    def _new_backend(self) -> WebBackend:
        return WebBackend(self._script.backend(json.dumps(shaders(WEBGL)._asdict())))

    def resize(self, width: int, height: int) -> None:
        """Change the size of the pictures [pixels]."""
        self._canvas.size = (width, height)
        self.wake()

    def fingers(self, are: bool) -> None:
        """Show hints for touch from now on, or for keys and mouse."""
        self._devices.hold("touch" if are else "keyboard")

    def knows(self, code: str, sign: str) -> bool:
        """Return whether games use a key, so that the page does not scroll by it."""
        return bool(key_name(code, sign))

    def key(self, code: str, sign: str, down: bool) -> bool:
        """Handle a key, given its code and character; return whether games use it."""
        name = key_name(code, sign) if down else self._held.pop(code, "")
        if down and name:
            self._held[code] = name
        if name:
            self.touch(name, down)
        return bool(name)

    def touch(self, name: str, down: bool) -> None:
        """Handle a key by its name, from an on-screen button too."""
        if down:
            self.press(name)
        else:
            self.release(name)

    def button(self, number: int, down: bool) -> None:
        """Handle a mouse button, by the browser's number; a finger is the first."""
        self.touch(BUTTONS[number] if number < len(BUTTONS) else "mouse_other", down)

    def leave(self) -> None:
        """Release all keys and pause."""
        self._held.clear()
        super().leave()

    def read_pads(self, present: str) -> None:
        """Update the connected controllers, given as JSON: `index`, `id` and the arguments of
        `WebPad.read` for each.
        """
        found: dict[int, dict[str, Any]] = {pad.pop("index"): pad for pad in json.loads(present)}
        for index in self._plugged.keys() - found.keys():
            self.pads.disconnect(self._plugged.pop(index))
        for index, state in found.items():
            name = state.pop("id")
            if index not in self._plugged:
                self._plugged[index] = WebPad(name)
                self.pads.connect(self._plugged[index])
            self._plugged[index].read(**state)

    def draw(self, screen: Screen, alpha: float = 1.0) -> None:
        """Draw a screen, and lay its buttons on the glass where they are others than before."""
        super().draw(screen, alpha)
        game = screen.game if isinstance(screen, Session) else None
        shown = screen, mode_of(screen), game and game.keys
        if shown != self._on_glass:
            self._on_glass = shown
            self._script.glass(json.dumps(glass_of(shown[1], game)))
