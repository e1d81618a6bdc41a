"""Plays all games while functions that machines round differently are one unit in the last place
off.

python tests/helpers/inexact.py 1 prints a hash of the state of every level of every game, after
some frames of its player; with 0, as it is on this machine. Both have to be the same: no such
number may get into a world.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

FUNCTIONS = (
    "sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "tanh", "exp",
    "exp2", "expm1", "log", "log2", "log10", "log1p", "hypot", "cbrt",
)  # fmt: skip
FRAMES = 12


def inexact(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose results are one unit in the last place larger."""

    def wrong(*given: Any, **options: Any) -> Any:
        exact = np.asarray(function(*given, **options))
        if exact.dtype != np.float64:
            return exact[()]
        return np.where(exact == np.round(exact), exact, np.nextafter(exact, np.inf))[()]

    return wrong


def main() -> None:
    """Print the hashes."""
    from included import included_games

    for name, found in included_games().items():
        game = found.load()()
        game.begin()
        pages = len(getattr(game, "pages", ()))
        for level in range(max(1, len(game.levels), pages)):
            np.random.seed(1)  # noqa: NPY002 - a game may use it
            if pages:
                game.turn_to(level)
            else:
                game.level_number = level
                game.begin()
            for _ in range(FRAMES):
                game.advance(game.autopilot())
            print(name, level, game.sim.state_hash())
        game.close()


if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
    if sys.argv[1] == "1":
        for each in FUNCTIONS:
            setattr(np, each, inexact(getattr(np, each)))
    main()
