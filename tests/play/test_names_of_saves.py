"""Names of files: no two games have the same one, nor two runs of them, on any system."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ecs_softbody.play import BestRun, Ghost, Saves
from included import included_games

NAMES = [
    "a/b", "a-b", "a\\b", "a b", "A-B", "a-B", "../up", "..", ".", "...", "", "-", "--", "game",
    "Game", "ä ö", "Привет", "Приветы", "汉字", "漢字", "con", "CON", "con.x", "nul", "aux", "com1",
    "COM1", "lpt9.json", "con:x", "settings", "Settings", "settings.json", "x" * 300, "x" * 301,
    "x" * 80, "x" * 81, "game-damaged-20260101-000000", "a\0b", "a\nb", "\udc80", "\udc81", "a.",
    "a", "a ", " a", "~", "game~1", ".hidden", "ß", "ss", "ı", "i", "I", "\u0130", "é", "e\u0301",
    "a+b", "a+",
]  # fmt: skip


def test_no_two_games_have_the_same_file(tmp_path: Path) -> None:
    for number, name in enumerate(NAMES):
        saves = opened_as(name, tmp_path)
        assert saves.as_dict() == {}, name
        saves["number"] = number
    assert [opened_as(name, tmp_path).get("number") for name in NAMES] == list(range(len(NAMES)))
    files = [path.name for path in tmp_path.iterdir()]
    assert len({file.casefold() for file in files}) == len(NAMES)
    assert "settings.json" not in files
    for file in files:
        assert re.fullmatch(r"[a-z0-9][a-z0-9._~-]{0,100}\.json", file)
        assert file.split(".")[0] not in ("con", "nul", "aux", "prn", "com1", "lpt9")


def opened_as(name: str, folder: Path) -> Saves:
    saves = Saves(name)
    assert saves.open(folder)
    return saves


@pytest.mark.parametrize("name", list(included_games()))
def test_the_included_games_have_the_files_that_they_always_had(tmp_path: Path, name: str) -> None:
    assert opened_as(name, tmp_path).path == tmp_path / f"{name}.json"


def test_no_two_runs_have_the_same_ghost_and_old_ones_are_found(tmp_path: Path) -> None:
    pairs = [
        ("a", "b-c"),
        ("a-b", "c"),
        ("A", "b-c"),
        ("a", "B-C"),
        ("a", "b c"),
        ("a", "../b-c"),
        ("a", ""),
    ]
    for number, (name, run) in enumerate(pairs):
        best = BestRun(opened_as(name, tmp_path), run)
        assert best.time is None
        best.finish(1.0 + number)
    assert [BestRun(opened_as(*pair[:1], tmp_path), pair[1]).time for pair in pairs] == [
        1.0 + number for number in range(len(pairs))
    ]
    ghost = Ghost()
    ghost.finish(12.0)
    ghost.save(tmp_path / "jelly-car-ghost-1.ghost")
    for _ in range(2):
        assert BestRun(opened_as("jelly-car", tmp_path), "ghost 1").time == 12.0
