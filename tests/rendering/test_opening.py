"""What is said where no window can be opened."""

from __future__ import annotations

import pytest

from ecs_softbody.play.opening import NoDisplay, explain
from ecs_softbody.play.window import GameWindow

MISSING = {
    "libGL": (ImportError('Library "GL" not found.'), "apt-get install libgl1 libegl1"),
    "fonts": (ImportError('Library "fontconfig" not found.'), "libfontconfig1"),
    "display": (
        type("NoSuchDisplayException", (Exception,), {})('Cannot connect to "None"'),
        "no display",
    ),
    "config": (type("NoSuchConfigException", (Exception,), {})(), "OpenGL 3.3"),
    "xrender": (
        AttributeError("'NoneType' object has no attribute 'XRenderFindVisualFormat'"),
        "apt-get install",
    ),
    "other": (RuntimeError("strange"), "RuntimeError: strange"),
}


@pytest.mark.parametrize("case", list(MISSING))
def test_what_is_missing_is_said_in_one_sentence(case: str) -> None:
    error, expected = MISSING[case]
    assert expected in explain(error)
    assert "\n" not in explain(error)


@pytest.mark.skipif("sys.platform != 'linux'")
def test_without_a_display_there_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("PYGLET_HEADLESS", raising=False)
    with pytest.raises(NoDisplay, match="no display"):
        GameWindow()
