"""Saves and settings of two windows: each keeps what it changes, and what the other one has changed
stays.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ecs_softbody.play import BestRun, Saves, Settings
from tests.play.jumper import Jumper

COUNT = 15
WRITER = """
import sys
from ecs_softbody.play import Saves
saves, mine, count = Saves("game"), sys.argv[2], int(sys.argv[3])
saves.open(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for number in range(count):
    saves[f"{mine} {number}"] = number
    saves.keep_best("best", number + len(mine))
    saves.change("all", lambda found: [*(found or []), f"{mine} {number}"])
"""


def opened(folder: Path, name: str = "game") -> Saves:
    saves = Saves(name)
    saves.open(folder)
    return saves


def in_file(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "game.json").read_text()))


def test_each_keeps_what_it_changes(tmp_path: Path) -> None:
    opened(tmp_path)["old"] = 1
    one = opened(tmp_path)
    other = opened(tmp_path)
    one["level"] = 2
    other["coins"] = 3
    one["lives"] = 4
    assert in_file(tmp_path) == {"old": 1, "level": 2, "coins": 3, "lives": 4}
    assert one.as_dict() == in_file(tmp_path)
    other["x"] = 1
    assert other.as_dict() == in_file(tmp_path)


def test_of_one_value_the_last_change_stays(tmp_path: Path) -> None:
    one = opened(tmp_path)
    other = opened(tmp_path)
    one["level"] = 2
    other["level"] = 3
    assert in_file(tmp_path) == {"level": 3}
    one["level"] = 4
    assert in_file(tmp_path) == {"level": 4}


def test_what_one_forgets_the_other_does_not_bring_back(tmp_path: Path) -> None:
    one = opened(tmp_path)
    one["level"] = 1
    one["coins"] = 2
    other = opened(tmp_path)
    del one["level"]
    other["lives"] = 3
    assert in_file(tmp_path) == {"coins": 2, "lives": 3}
    assert "level" not in other
    del other["coins"]
    one["x"] = 1
    assert in_file(tmp_path) == {"lives": 3, "x": 1}


def test_forgetting_everything_takes_what_the_other_has_kept_and_not_what_it_keeps_then(
    tmp_path: Path,
) -> None:
    one = opened(tmp_path)
    other = opened(tmp_path)
    one["level"] = 1
    other["coins"] = 2
    one.clear()
    assert in_file(tmp_path) == {}
    other["lives"] = 3
    assert in_file(tmp_path) == {"lives": 3}
    assert other.as_dict() == {"lives": 3}


@pytest.mark.parametrize(
    ("better", "first", "second", "best"), [("higher", 9, 5, 9), ("lower", 2.5, 4, 2.5)]
)
def test_the_best_result_of_both_stays(
    tmp_path: Path, better: Any, first: float, second: float, best: float
) -> None:
    one = opened(tmp_path)
    other = opened(tmp_path)
    assert one.keep_best("result", first, better=better)
    assert not other.keep_best("result", second, better=better)
    assert in_file(tmp_path)["result"] == other["result"] == best


def test_a_change_is_made_of_what_the_other_has_kept(tmp_path: Path) -> None:
    one = opened(tmp_path)
    other = opened(tmp_path)
    for saves, number in ((one, 1), (other, 2), (one, 3)):
        saves.change("found", lambda found, number=number: [*(found or []), number])
    assert in_file(tmp_path) == {"found": [1, 2, 3]}


def test_a_change_that_can_do_nothing_with_the_value_stops_no_other_one(tmp_path: Path) -> None:
    one = opened(tmp_path)
    other = opened(tmp_path)
    one["coins"] = "many"
    with pytest.raises(TypeError):
        other.change("coins", lambda coins: (coins or 0) + 1)
    other["level"] = 1
    assert in_file(tmp_path) == {"coins": "many", "level": 1}


def test_what_could_not_be_written_is_written_with_the_next_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = opened(tmp_path)
    other = opened(tmp_path)

    def full(*asked: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("ecs_softbody.play.saves.write_atomically", full)
        one["level"] = 2
        one.keep_best("best", 5)
        del one["level"]
        one["level"] = 3
    assert "No space left" in one.notice
    assert one["level"] == 3
    other.keep_best("best", 9)
    other["coins"] = 1
    one["x"] = 1
    assert in_file(tmp_path) == {"best": 9, "coins": 1, "level": 3, "x": 1}
    with monkeypatch.context() as patch:
        patch.setattr("ecs_softbody.play.saves.write_atomically", full)
        one.clear()
        one["y"] = 1
    one.open(tmp_path)
    assert one.as_dict() == {"y": 1}


@pytest.mark.parametrize("damage", ["", "{", "[]"])
def test_a_file_that_goes_or_is_damaged_in_a_game_is_written_anew(
    tmp_path: Path, damage: str
) -> None:
    saves = opened(tmp_path)
    saves["level"] = 2
    (tmp_path / "game.json").write_text(damage)
    saves["coins"] = 3
    assert in_file(tmp_path) == {"level": 2, "coins": 3}
    (aside,) = tmp_path.glob("game-damaged-*.json")
    assert aside.read_text() == damage
    (tmp_path / "game.json").unlink()
    saves["lives"] = 4
    assert in_file(tmp_path) == {"level": 2, "coins": 3, "lives": 4}


def test_what_is_played_untouched_is_not_written_later(tmp_path: Path) -> None:
    saves = opened(tmp_path)
    with saves.untouched():
        saves["level"] = 9
        saves.clear()
    saves["coins"] = 1
    assert in_file(tmp_path) == {"coins": 1}


def test_two_games_share_the_settings(tmp_path: Path) -> None:
    one = Settings()
    other = Settings()
    first = Jumper()
    second = Jumper()
    first.name, second.name = "first", "second"  # type: ignore[misc]
    for settings, game in ((one, first), (other, second)):
        settings.saves.open(tmp_path)
        settings.apply(game)
    one.note_played("first")
    other.note_played("second")
    first.bindings.choose("jump", "j")
    one.keep(first)
    second.bindings.choose("jump", "k")
    other.keep(second)
    one.choose("shake", False)
    first.sounds.volume = 0.5
    one.keep(first)
    second.sounds.muted = True
    other.keep(second)
    one.keep(first)
    found = Settings()
    found.saves.open(tmp_path)
    assert found.played == ["second", "first"]
    assert found.saves["keys"] == {
        "first": first.bindings.saved(),
        "second": second.bindings.saved(),
    }
    assert (found.get("shake"), found.saves["volume"], found.saves["muted"]) == (False, 0.5, True)
    assert "music volume" not in found.saves


@pytest.mark.parametrize("better_first", [True, False])
def test_the_ghost_of_the_faster_window_stays(tmp_path: Path, better_first: bool) -> None:
    saves = opened(tmp_path)
    saves["x"] = 1
    runs = [BestRun(saves, "hills"), BestRun(saves, "hills")]
    times = [20.0, 30.0] if better_first else [30.0, 20.0]
    assert [run.finish(time) for run, time in zip(runs, times, strict=True)] == [
        True,
        not better_first,
    ]
    assert BestRun(saves, "hills").time == 20.0
    assert runs[1].time == 20.0


@pytest.mark.slow
def test_two_processes_that_write_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    writers = [
        subprocess.Popen([*command, name, str(COUNT)], text=True, **pipes) for name in ("a", "bcd")
    ]  # type: ignore[call-overload]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=120.0)
        assert writer.returncode == 0
    found = in_file(tmp_path)
    assert found.pop("best") == COUNT - 1 + len("bcd")
    assert len(found.pop("all")) == 2 * COUNT
    assert found == {f"{name} {number}": number for name in ("a", "bcd") for number in range(COUNT)}
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]
