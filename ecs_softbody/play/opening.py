"""Opens a window and its OpenGL back end, or explains the failure in one sentence."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from ecs_softbody.rendering.backend.gl_backend import GLBackend

NO_DISPLAY = (
    "There is no display to open a window on; start this on a desktop, or install a "
    "virtual one with: "
    "apt-get install xvfb xauth libgl1 (and put xvfb-run -a before the command)"
)
DESTROYED = 17
"""Number of X's event `DestroyNotify`."""
GL_PACKAGES = "apt-get install libgl1 libegl1 libfontconfig1 libfreetype6"


class NoDisplay(SystemExit):
    """No window can be opened; the message names the missing part and its remedy in one sentence.

    Uncaught, it ends the program with status 1 and that sentence.
    """


def explain(error: BaseException) -> str:
    """Return one sentence that explains why a window could not be opened."""
    name = type(error).__name__
    text = str(error)
    if isinstance(error, ImportError) and "pyglet" in text and "Library" not in text:
        return "The package pyglet is missing; install it with: pip install pyglet"
    if isinstance(error, ImportError) or name == "AttributeError":
        library = text.split('"')[1] if '"' in text else "a graphics library"
        return f'OpenGL is missing (library "{library}"); install it with: {GL_PACKAGES}'
    if name in ("NoSuchDisplayException", "NoSuchScreenModeException"):
        return NO_DISPLAY
    if name in ("NoSuchConfigException", "ContextException"):
        return (
            "This display offers no OpenGL 3.3; update the graphics driver, or install: "
            "apt-get install libgl1-mesa-dri"
        )
    return f"No window can be opened here ({name}: {text}); a desktop with OpenGL 3.3 is needed"


def open_window(title: str, size: tuple[int, int], visible: bool) -> Any:
    """Return a pyglet window of a size [pixels], or raise NoDisplay."""
    if (
        sys.platform.startswith("linux")
        and not os.environ.get("DISPLAY")
        and not os.environ.get("PYGLET_HEADLESS")
    ):
        raise NoDisplay(NO_DISPLAY)
    try:
        import pyglet

        pyglet.options.shadow_window = False
        pyglet.options.debug_gl = False
        import pyglet.window

        window = pyglet.window.Window(
            *size, caption=title, resizable=True, vsync=True, visible=visible
        )
        window.set_minimum_size(320, 180)
    except Exception as error:
        raise NoDisplay(explain(error)) from error
    return window


def open_backend(window: Any) -> GLBackend:
    """Return the back end that draws into a window; without OpenGL, close the window and raise
    NoDisplay.
    """
    try:
        return GLBackend()
    except Exception as error:
        window.close()
        raise NoDisplay(explain(error)) from error


def most_pictures(window: Any) -> float:
    """Return the maximum useful number of pictures a second: 1.1 times the screen's refresh rate,
    at least 120.
    """
    mode = window.screen.get_mode()
    return max(1.1 * float(mode.rate or 0.0), 120.0) if mode else 120.0


def hear_end(window: Any, gone: Callable[[], None]) -> None:
    """Call `gone` when a window is destroyed from outside this program; pyglet does not report
    it.
    """
    handlers = getattr(window, "_event_handlers", None)
    if isinstance(handlers, dict) and type(window).__module__ == "pyglet.window.xlib":
        handlers[DESTROYED] = lambda event: gone()
