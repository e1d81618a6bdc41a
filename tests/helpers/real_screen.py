"""A screen of its own, with a window manager, on which real keys are pressed: what a system does,
no test imitates.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

ROOT = Path(__file__).parents[2]
NEEDED = ("Xvfb", "openbox", "xdotool")
PATIENCE = 60.0
"""How long something may take at most on a busy machine [s]."""


@contextmanager
def real_screen() -> Iterator[RealScreen]:
    """Yield a screen; at the end nothing runs on it any more."""
    missing = [program for program in NEEDED if shutil.which(program) is None]
    if missing:
        # which fails where CI is set
        pytest.skip(f"not installed: {', '.join(missing)}")
    with tempfile.TemporaryFile() as said:
        screen = RealScreen(said)
        try:
            screen.open()
            yield screen
        finally:
            screen.close()


class RealScreen:
    """A screen, the programs on it, and hands on its keyboard."""

    def __init__(self, said: IO[bytes]) -> None:
        self.environment: dict[str, str] = dict(os.environ)
        self._programs: list[subprocess.Popen[bytes]] = []
        self._held: set[str] = set()
        self._said = said

    def open(self) -> None:
        """Start the screen and its window manager."""
        reading, writing = os.pipe()
        # By itself it resets when its only client leaves, as xdotool does all the time, and lets
        # those fail that come
        # meanwhile: five of 180 window managers, and once a window that thirteen tests waited for.
        screen = ["-screen", "0", "1280x800x24", "-noreset"]
        self._start(["Xvfb", "-displayfd", str(writing), *screen], keep_open=[writing])
        os.close(writing)
        with os.fdopen(reading) as answer:
            self.environment["DISPLAY"] = f":{int(answer.readline())}"
        self._start(["openbox", "--sm-disable"])
        wait_until(
            lambda: self._ask("get_num_desktops", may_fail=True) != "",
            "there is a window manager",
            self.ended,
        )

    def close(self) -> None:
        """End everything."""
        for program in reversed(self._programs):
            program.terminate()
            try:
                program.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                program.kill()

    def ended(self) -> str:
        """Tell which programs ended, and what all of them said."""
        over = [f"{program.args} ended" for program in self._programs if program.poll() is not None]
        self._said.seek(0)
        return "\n".join([*over, self._said.read().decode(errors="replace")])

    def _start(self, arguments: list[str], keep_open: Sequence[int] = ()) -> None:
        self._programs.append(
            subprocess.Popen(
                arguments,
                env=self.environment,
                stdout=self._said,
                stderr=self._said,
                pass_fds=keep_open,
            )
        )

    def run_python(self, *arguments: str) -> None:
        """Start a Python program on this screen."""
        paths = os.pathsep.join([str(ROOT), str(ROOT / "games"), *sys.path])
        self.environment["PYTHONPATH"] = paths
        self._start([sys.executable, *arguments])

    def _ask(self, *arguments: str, may_fail: bool = False) -> str:
        command = ["xdotool", *arguments]
        answer = subprocess.run(
            command,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=not may_fail,
        )
        # it may say 0 and fail
        return answer.stdout.strip() if answer.returncode == 0 else ""

    def hold(self, key: str) -> None:
        """Push a key down."""
        self._held.add(key)
        self._ask("keydown", key)

    def let_go(self, key: str) -> None:
        """Let a key go."""
        self._held.discard(key)
        self._ask("keyup", key)

    def let_go_of_all(self) -> None:
        """Let all keys go."""
        for key in sorted(self._held):
            self.let_go(key)

    def press(self, key: str, seconds: float = 0.1) -> None:
        """Press a key for a moment."""
        self.hold(key)
        time.sleep(seconds)
        self.let_go(key)

    def window(self, title: str) -> str:
        """Return the number of the window with a title; in full screen it has another one."""
        return self._ask("search", "--name", f"^{title}$").splitlines()[-1]

    def wait_for_window(self, title: str) -> None:
        """Wait until a window with a title is to be seen."""
        search = ("search", "--onlyvisible", "--name", f"^{title}$")
        wait_until(lambda: self._ask(*search, may_fail=True) != "", f"{title} is there", self.ended)

    def bring_to_front(self, title: str) -> None:
        """Give the keys to a window, also to one that is minimised."""

        def has_keys() -> bool:
            # a busy manager may not answer in time
            self._ask("windowactivate", self.window(title), may_fail=True)
            return self._has_keys(title)

        wait_until(has_keys, f"{title} is in front")

    def wait_for_keys(self, title: str) -> None:
        """Wait until a window has the keys: a new one, as in full screen, does not at once."""
        wait_until(lambda: self._has_keys(title), f"{title} has the keys")

    def _has_keys(self, title: str) -> bool:
        return self._ask("getwindowfocus", "getwindowname", may_fail=True) == title

    def minimise(self, title: str) -> None:
        """Minimise a window."""
        self._ask("windowminimize", "--sync", self.window(title))


class Diary:
    """What a program writes line by line, each one JSON: `last` is the newest."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def last(self) -> dict[str, Any]:
        """The newest line; empty where there is none."""
        if not self.path.exists():
            return {}
        lines = self.path.read_text().rpartition("\n")[0].splitlines()
        return dict(json.loads(lines[-1])) if lines else {}

    def wait_for(self, **wanted: Any) -> dict[str, Any]:
        """Wait until the newest line says all of this, and return it."""
        wait_until(lambda: wanted.items() <= self.last.items(), f"{wanted}", lambda: f"{self.last}")
        return self.last

    def stays(self, seconds: float, **wanted: Any) -> None:
        """See that every line of the next seconds says all of this,
        and that the program goes on.
        """
        before = self.last
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(0.02)
            assert wanted.items() <= self.last.items(), (wanted, self.last)
        wait_until(lambda: self.last["frame"] > before["frame"], "it goes on")


def wait_until(is_so: Callable[[], bool], what: str, seen: Callable[[], str] = lambda: "") -> None:
    """Wait until something is so, or fail."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, f"waited in vain until {what}; {seen()}"
        time.sleep(0.02)
