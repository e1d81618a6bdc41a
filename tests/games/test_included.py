"""Tests and benchmarks take the included games, whatever else is installed: others have no golden
picture.
"""

from __future__ import annotations

import importlib.metadata
import re
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import included
from ecs_softbody.cli.games import GROUP

ROOT = Path(__file__).parents[2]
MAY = {
    "included.py", "test_included.py", "test_main.py", "test_bench.py", "test_command.py",
    "in_the_page.py", "web_play.py",
}  # fmt: skip
"""Files that may take all games: three test the command, the last two look one up in a page, which
has ours alone.
"""


def test_games_of_others_are_not_among_the_included_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = included.included_games()
    assert "jelly-car" in ours
    assert list(ours) == sorted(ours)
    found = [
        EntryPoint("volley", "volley.game:Volley", GROUP),
        *importlib.metadata.entry_points(group=GROUP),
        EntryPoint("jelly-car", "ecs_softbody_games_of_mine:Car", GROUP),
    ]
    monkeypatch.setattr(included, "entry_points", lambda group: found)
    assert included.included_games() == ours


def test_no_other_test_takes_all_games_that_are_installed() -> None:
    takes_all = re.compile(r"\bfind_games\b|\bentry_points\b.*games")
    files = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
    found = {path.name for path in files if takes_all.search(path.read_text(encoding="utf-8"))}
    assert found <= MAY
