"""Odd values: numbers, texts and structures that a file should not hold where it holds something
else.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

SECRET = "secret"
"""Stem of files that lie where no file may reach: beside and above the folder that it is in."""
LINK = f"{SECRET}-link.png"
"""A link beside the file that leads to one of those."""
PLANTED = "stranger"
"""A module in the folder of the file: whatever imports it runs a stranger's code."""


@dataclass(frozen=True)
class Written:
    """A value that stands in the file as these letters, whatever the format says of them."""

    text: str


NUMBERS: tuple[Any, ...] = (
    0, -0.0, 1, -1, -2, 2, 3, 7, 12, 0.5, -0.5, 1.5, 100, 1000, 10**4, 10**5, 10**6, 10**9,
    -(10**9), 0.1, 0.001, 1e-9, 1e-300, 5e-324, -5e-324, 1e9, 1e16, 1e30, -1e30, 1e100, 1e200,
    1e308, -1e308, math.inf, -math.inf, math.nan, 127, 128, 255, 256, 2**15, 2**16 - 1, 2**16,
    2**24, 2**31 - 1, 2**31, -(2**31), 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1,
    2**64, 10**30, -(10**30), 10**309, -(10**309), Written("1e309"), Written("1" + "0" * 5000),
    Written("-1" + "0" * 4200), Written("0." + "0" * 400 + "1"), Written("1e-400"),
)  # fmt: skip
TEXTS = (
    "", " ", "x", "-1", "0", "1e309", "nan", "true", "None", "hero", "world", "all", "default",
    "éß", "\U0001d4b3", "\ufeff", "x" * 300, "x" * 5000, "é" * 5000, "9" * 400, "\ud800", "\udfff",
    "a\ud83d", "\udc00\ud800", "\0", "a\0b", "\n", "one\ntwo", "\r\n", "\u2028", "\x0b", "\x1b[31m",
    "\u202e", "a" + "\u0301" * 300, "%s%n", "{0}", "{x.y}", "<b>&amp;</b>", '"', "'", "\\", "[[",
    "]]>", "#", "*", "~", ".", "..", "../", "a/" * 2000, "C:\\a.png", "con", "nul.png",
    f"../{SECRET}.png", f"../{SECRET}.tsj", f"../../{SECRET}.png", f"../../{SECRET}.tx",
    f"../{SECRET}.toml", LINK, f"../../../{SECRET}.toml", "../" * 30 + "etc/passwd", "/etc/passwd",
    "/dev/zero", "/proc/self/mem", "file:///etc/passwd", "http://127.0.0.1:9/a.png",
    "//server/share/a.png", PLANTED, f"{PLANTED}.py", f"./{PLANTED}.py", f"{PLANTED}:Game",
    f"{PLANTED}.module:Game", "this", "antigravity", "os.system", "os:system", "builtins.eval",
    "ecs_softbody.cli.main.main", "ecs_softbody_games.labs.toy:Toy", "#ff", "#12345g", "1,2",
    "1 2 3", "rgb(1e9,0,0)", "url(#a)", "10%", "1e30px", "M0 0", "translate(1e300)",
)  # fmt: skip
PLAIN: tuple[Any, ...] = (
    None, True, False, [], {}, [[]], [{}], {"": 0}, {"a": 1}, [0], [0, 1], [1, 2, 3], [-1, -1],
    [[0, 1], [1, 2]], [[0, 0]], [[0, 1], [1]], ["a"], [None], [True, 1], [1e308, 1e308],
    [math.nan, 0.0], [math.inf, 0.0], [[1e200, -1e200], [0, 1]], [0] * 1000, [[0.0, 0.0]] * 3000,
    {str(n): n for n in range(300)}, ["r", 10**9], ["r", 0], ["-"], ["k", "os.system"],
    ["a", [10**9], "<f8", None], ["a", [0], "|O", 0], ["p", "/etc/passwd"], ["x", "os", 1],
    ["o", "os.system", {}], {"__class__": "os.system"},
)  # fmt: skip
DEEP = (50, 200, 990, 5000, 100_000)
"""How deep lists and tables are put into one another."""


def nested(dice: random.Random, inside: str = "0") -> Written:
    """Return lists in lists, or tables in tables."""
    deep, opens, closes = dice.choice(DEEP), *dice.choice([("[", "]"), ('{"a":', "}")])
    return Written(opens * deep + inside + closes * dice.choice((deep, deep, deep, deep - 1, 0)))


def value(dice: random.Random) -> Any:
    """Return anything."""
    way = dice.random()
    if way < 0.45:
        return dice.choice(NUMBERS)
    if way < 0.75:
        return dice.choice(TEXTS)
    return dice.choice(PLAIN) if way < 0.98 else nested(dice)


def number(dice: random.Random, old: Any = 1) -> Any:
    """Return another number: some part of the old one, or any."""
    if dice.random() < 0.5:
        return dice.choice(NUMBERS)
    try:
        return dice.choice(
            (
                old + 1,
                old - 1,
                -old,
                old * 2,
                old * 10,
                old * 0.5,
                old * 1e6,
                float(old),
                old * -1e9,
                old * 1.01,
            )
        )
    except OverflowError:
        return 0


def text(dice: random.Random, old: str = "") -> str:
    """Return another text: some change of the old one, or any."""
    if dice.random() < 0.6 or not old:
        return dice.choice(TEXTS)
    at = dice.randrange(len(old) + 1)
    odd = dice.choice(("", " ", "\0", "\n", "é", "\ud800", "/", ".", "x" * 300, '"'))
    return dice.choice(
        (
            old[:at] + odd + old[at:],
            old[:at],
            old[at:],
            old + old,
            old.upper(),
            old.swapcase(),
            old[::-1],
        )
    )


def shown(value: Any) -> str:
    """Return a value as a list of changes shows it."""
    said = value.text if isinstance(value, Written) else ascii(value)
    return said if len(said) <= 60 else f"{said[:40]}... ({len(said)} letters)"
