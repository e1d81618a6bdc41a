"""No game lets numbers into its world that another machine would round differently."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "helpers" / "inexact.py"


def hashes(mode: str) -> list[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, mode], capture_output=True, text=True, check=True
    ).stdout.split("\n")


@pytest.mark.slow
def test_the_states_of_games_do_not_depend_on_functions_of_numpy() -> None:
    """Every level of every game is played with functions that are one unit in
    the last place off.
    """
    exact = hashes("0")
    off = hashes("1")
    assert len(exact) > 60
    assert exact == off
