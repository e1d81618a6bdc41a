"""Driver: plays the game of a page by real events of keys and mouse,
as its scripted player asks.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ecs_softbody.web.keys import NAMES, SIGNS
from tests.helpers import in_the_page
from tests.helpers.chromium import Page
from tests.helpers.pages import READY

CODES = {name: code for code, name in reversed(NAMES.items())}
MARKS = {"space": " "} | {name: mark for mark, name in reversed(SIGNS.items())}
IN_STEPS = """
window.waiting = [];
window.requestAnimationFrame = call => waiting.push(call);
window.step = () => {
  const calls = waiting;
  waiting = [];
  calls.forEach(call => call(performance.now()));
  return prompter.tell();
};
"""
"""Pictures come when the test asks for them: events are there before the frame that they are meant
for.
"""
MOST_PICTURES = 400
"""Until a game is to be seen, and until a key has done something."""


class Driver:
    """Plays one page.

    Args:
        page: the browser's; pages that it opens from now on wait for `picture`.

    Attributes:
        told: what the page's Python has told last: `state`, `game`, `frames` of the world, `saved`
            and so on.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.told: dict[str, Any] = {}
        self._down: set[str] = set()
        self._pointer: tuple[float, float] | None = None
        page.before_each(IN_STEPS)

    def open(self, address: str) -> None:
        """Load a page, press its button, and wait for its game."""
        self.page.open(address)
        self.page.wait_for(READY)
        self.page.click("#play")
        module = json.dumps(Path(in_the_page.__file__).read_text(encoding="utf-8"))
        place = "ecs_softbody.py.pyimport('site').getsitepackages().get(0)"
        self.page.evaluate(f"ecs_softbody.py.FS.writeFile({place} + '/in_the_page.py', {module})")
        self.page.evaluate("ecs_softbody.py.pyimport('importlib').invalidate_caches()")
        self.page.evaluate(
            "globalThis.prompter = "
            "ecs_softbody.py.pyimport('in_the_page').Prompter(ecs_softbody.stage); 0"
        )
        self._down.clear()
        self._wait("title")

    def change(self, game: str) -> None:
        """Show another game in the page as it is."""
        self.let_go()
        self.page.evaluate(f"prompter.begin({game!r})")
        self._wait("title", game)

    def begin(self) -> None:
        """Leave the start screen by a key."""
        self.tap("space")
        assert self.told["state"] == "playing", self.told

    def play(self, frames: int) -> str:
        """Play until so many frames of the world are played, or the game has ended; return its
        state then.
        """
        while self.told["state"] == "playing" and self.told["frames"] < frames:
            self._do(set(self.told["keys"]), set(self.told["again"]), tuple(self.told["pointer"]))
            self.picture()
        self.let_go()
        return str(self.told["state"])

    def tap(self, key: str) -> None:
        """Press a key for a picture or two."""
        self._press(key, down=True)
        self.pictures(2)
        self._press(key, down=False)
        self.pictures(2)

    def let_go(self) -> None:
        """Have no key down."""
        for key in sorted(self._down):
            self._press(key, down=False)

    def picture(self) -> None:
        """Let the page show the next picture."""
        self.told = json.loads(self.page.evaluate("step()"))

    def pictures(self, count: int) -> None:
        """Let the page show so many pictures."""
        for _ in range(count):
            self.picture()

    def _wait(self, state: str, game: str = "") -> None:
        for _ in range(MOST_PICTURES):
            self.picture()
            if self.told["state"] == state and game in ("", self.told["game"]):
                return
        raise AssertionError(f"the page shows {self.told}, and said {self.page.said[-5:]}")

    def _do(self, keys: set[str], again: set[str], pointer: tuple[float, float]) -> None:
        """Bring mouse and keys to where they are to be."""
        if pointer != self._pointer and any(key.startswith("mouse_") for key in keys | self._down):
            self._pointer = pointer
            self.page.mouse("mouseMoved", *pointer)
        for key in sorted((self._down - keys) | (self._down & again)):
            self._press(key, down=False)
        for key in sorted(keys - self._down):
            self._press(key, down=True)

    def _press(self, key: str, *, down: bool) -> None:
        (self._down.add if down else self._down.discard)(key)
        if key.startswith("mouse_"):
            place = self._pointer or (0.0, 0.0)
            self.page.mouse(
                "mousePressed" if down else "mouseReleased", *place, key.removeprefix("mouse_")
            )
        else:
            self.page.key(
                CODES[key], MARKS.get(key, key if len(key) == 1 else CODES[key]), down=down
            )
