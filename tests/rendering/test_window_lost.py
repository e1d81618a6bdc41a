"""A window that something else destroys ends the game as one that its player closes."""

from __future__ import annotations

import ctypes
import ctypes.util
import itertools

import pytest

from ecs_softbody.play import Session
from ecs_softbody.play.window import GameWindow
from tests.helpers.internals import number_in_x
from tests.rendering.blob_garden import BlobGarden, needs_compiled_pixels

MOST = 400  # pictures


@pytest.mark.window
@needs_compiled_pixels
@pytest.mark.skipif("sys.platform != 'linux'")
def test_a_window_that_is_destroyed_from_outside_ends_the_game() -> None:
    library = ctypes.util.find_library("X11")
    if library is None:
        pytest.skip("there is no X here")
    x = ctypes.CDLL(library)
    x.XOpenDisplay.restype = ctypes.c_void_p
    window = GameWindow(size=(320, 180))
    session = Session(BlobGarden())
    pictures = itertools.count()
    number = number_in_x(window)

    def destroyed_after_some() -> bool:
        count = next(pictures)
        if count == 5:
            display = ctypes.c_void_p(x.XOpenDisplay(None))
            x.XDestroyWindow(display, ctypes.c_ulong(number))
            x.XSync(display, 0)
            x.XCloseDisplay(display)
        return count > MOST

    window.show(session, until=destroyed_after_some)
    assert window.closed
    assert next(pictures) < MOST
    window.close()
    session.close()
