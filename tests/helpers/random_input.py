"""Random input: keys, mouse, wheel, fingers, sizes and focus of a page, with a fixed seed."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from ecs_softbody.web.keys import NAMES
from tests.helpers.chromium import PATIENCE, Page

STRANGE = {
    "CapsLock": "CapsLock",
    "KeyÄ": "ä",
    "AltGraph": "AltGraph",
    "Home": "Home",
    "F13": "F13",
}
SIZES = ((1280, 720), (844, 390), (390, 844), (640, 360), (1000, 1000), (320, 240))
PICTURES = "(globalThis.ecs_softbody?.pictures ?? 0)"
WAITS = (
    "(document.getElementById('play')?.hidden === false && "
    "!document.getElementById('cover').hidden)"
)
WRONG = (
    "(document.getElementById('wrong')?.hidden === false && "
    "document.getElementById('wrong').innerText)"
)


class Hands:
    """Does one thing after the other.

    Args:
        page: a page whose game is shown.
        seed: of what is done.
        leaves: whether escape is pressed, too, by which a game is left, and loaded again.
    """

    def __init__(self, page: Page, seed: int, *, leaves: bool) -> None:
        self._page = page
        self._dice = random.Random(seed)
        self._size = SIZES[0]
        self._down: set[str] = set()
        self._codes = [
            code for code in (*NAMES, *STRANGE) if code != "F5" and (leaves or code != "Escape")
        ]
        self._acts: list[tuple[int, Callable[[], None]]] = [
            (60, self._key), (25, self._move), (12, self._click), (6, self._wheel),
            (8, self._fingers), (1, self._resize), (1, self._focus),
        ]  # fmt: skip

    def act(self) -> None:
        """Do one thing."""
        weights, acts = zip(*self._acts, strict=True)
        self._dice.choices(acts, weights)[0]()

    def _key(self) -> None:
        """Press a key, or let one go; some are held for long."""
        if self._down and self._dice.random() < 0.5:
            code = self._dice.choice(sorted(self._down))
            self._down.discard(code)
            self._page.key(code, STRANGE.get(code, code), down=False)
        else:
            code = self._dice.choice(self._codes)
            if NAMES.get(code) != "escape" or self._dice.random() < 0.1:
                self._down.add(code)
                self._page.key(code, STRANGE.get(code, code), down=True)

    def _place(self) -> tuple[float, float]:
        """Return a place in the page, or a little outside."""
        return tuple(self._dice.uniform(-10.0, side + 10.0) for side in self._size)  # type: ignore[return-value]

    def _move(self) -> None:
        self._page.mouse("mouseMoved", *self._place())

    def _click(self) -> None:
        # "back" leaves the page
        button = self._dice.choice(("left", "left", "left", "middle", "right"))
        self._page.mouse("mousePressed", *self._place(), button)
        for _ in range(self._dice.randrange(4)):
            self._move()
        self._page.mouse("mouseReleased", *self._place(), button)

    def _wheel(self) -> None:
        self._page.wheel(*self._place(), self._dice.choice((-1000, -100, -1, 1, 100, 1000)))

    def _fingers(self) -> None:
        """Put down some fingers, and take them away."""
        for _ in range(self._dice.randrange(1, 3)):
            self._page.touch(*(self._place() for _ in range(self._dice.randrange(1, 4))))
            self._page.touch()

    def _resize(self) -> None:
        self._size = self._dice.choice(SIZES)
        self._page.resize(self._size)

    def _focus(self) -> None:
        for event in ("blur", "focus"):
            self._page.evaluate(f"window.dispatchEvent(new Event({event!r}))")


def disturb(
    page: Page, seed: int, seconds: float, *, leaves: bool = False
) -> list[tuple[float, float]]:
    """Disturb the game of a page for so long; return memory of Python and of JavaScript [MB], once
    in half a minute.

    Raises:
        AssertionError: where the page shows no more pictures, or says that something is wrong.
    """
    hands = Hands(page, seed, leaves=leaves)
    memory = [page.memory()]
    began = told = time.monotonic()
    while time.monotonic() < began + seconds:
        before = page.evaluate(PICTURES)
        for _ in range(50):
            hands.act()
        _see_more(page, before)
        if time.monotonic() > told + 30.0:
            told = time.monotonic()
            memory.append(page.memory())
    return memory


def _see_more(page: Page, before: int) -> None:
    """Wait for pictures that were not there before; a game that was left begins again."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        wrong, waits, pictures = page.evaluate(f"[{WRONG}, {WAITS}, {PICTURES}]")
        assert not wrong, wrong
        if waits:
            page.click("#play")
        elif pictures not in (0, before):
            return
        time.sleep(0.1)
    raise AssertionError(f"no pictures within {PATIENCE:.0f} s; the page said {page.said[-5:]}")
