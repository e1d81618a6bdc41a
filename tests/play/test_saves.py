"""Saves: kept from one start to the next, whole after any crash, and damaged files are put aside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from ecs_softbody.files import write_atomically
from ecs_softbody.play import Saves
from ecs_softbody.play.saves import data_folder

WRITER = """
import sys
from ecs_softbody.play.saves import Saves
saves = Saves("game")
saves.open(sys.argv[1])
print("ready", flush=True)
number = 0
while True:
    number += 1
    saves["numbers"] = [number] * 3000
"""


def opened(folder: Path) -> Saves:
    saves = Saves("game")
    saves.open(folder)
    return saves


@pytest.mark.parametrize(
    "value", [0, -3, 1.5, True, None, "", "größer", [1, [2]], {"a": {"b": 1}}, (1, 2), np.float64(2.5), np.arange(3)]
)
def test_what_is_kept_comes_back(tmp_path: Path, value: object) -> None:
    opened(tmp_path)["it"] = value
    found = opened(tmp_path)["it"]
    plain = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    assert found == (list(plain) if isinstance(plain, tuple) else plain)


@pytest.mark.parametrize("value", [object(), {1, 2}, print, b"bytes", 1j])
def test_what_a_file_cannot_hold_is_refused(tmp_path: Path, value: object) -> None:
    saves = opened(tmp_path)
    with pytest.raises(TypeError, match=r"saves\['it'\]"):
        saves["it"] = value
    assert "it" not in opened(tmp_path)


@pytest.mark.parametrize("value", [float("nan"), [float("inf")]])
def test_numbers_that_are_none_are_refused(tmp_path: Path, value: object) -> None:
    with pytest.raises(ValueError, match="numbers must be finite"):
        opened(tmp_path)["it"] = value


def test_a_name_is_a_text_and_a_missing_one_is_told(tmp_path: Path) -> None:
    saves = opened(tmp_path)
    with pytest.raises(TypeError, match="the name 3"):
        saves[3] = 1  # type: ignore[index]
    saves["level"] = 1
    with pytest.raises(KeyError, match="nothing is kept as 'levle'; there is level"):
        saves["levle"]
    del saves["level"]
    assert opened(tmp_path).get("level", 7) == 7


def test_changing_what_was_returned_changes_nothing(tmp_path: Path) -> None:
    saves = opened(tmp_path)
    saves["list"] = [1]
    saves["list"].append(2)
    assert saves["list"] == [1]


@pytest.mark.parametrize(("better", "results", "best"), [("higher", [3, 5, 4, 5], 5), ("lower", [3, 5, 2.5, 4], 2.5)])
def test_the_best_result_is_kept(tmp_path: Path, better: str, results: list[float], best: float) -> None:
    saves = opened(tmp_path)
    news = [saves.keep_best("result", result, better=better) for result in results]  # type: ignore[arg-type]
    assert news == [index == 0 or news_of(results, index, better) for index in range(len(results))]
    assert opened(tmp_path)["result"] == best


def news_of(results: list[float], index: int, better: str) -> bool:
    before = results[:index]
    return results[index] > max(before) if better == "higher" else results[index] < min(before)


def test_before_open_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ECS_SOFTBODY_DATA", str(tmp_path))
    saves = Saves("game")
    saves["level"] = 3
    assert saves["level"] == 3
    assert list(tmp_path.iterdir()) == []
    saves.open()
    assert saves.path == tmp_path / "game.json"


def test_the_folder_is_that_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ECS_SOFTBODY_DATA")
    assert data_folder().name == "ecs_softbody"
    assert data_folder().is_absolute()


@pytest.mark.parametrize("text", ["", "{", '{"level": 3', "[1, 2]", "null", "\x00\x00", "[" * 100_000, '{"a": NaN,'])
def test_a_damaged_file_is_kept_aside_and_said_in_one_sentence(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "game.json").write_text(text)
    saves = Saves("game")
    assert not saves.open(tmp_path)
    assert saves.notice.count(".") >= 1
    assert "\n" not in saves.notice
    assert saves.notice in capsys.readouterr().err
    (aside,) = tmp_path.glob("game-damaged-*.json")
    assert aside.read_text() == text
    saves["level"] = 1
    assert opened(tmp_path)["level"] == 1


def test_bytes_that_are_no_text_are_damage_too(tmp_path: Path) -> None:
    (tmp_path / "game.json").write_bytes(b"\xff\xfe{}")
    assert not Saves("game").open(tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_does_not_stop_the_game(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    saves = opened(tmp_path)
    saves["level"] = 2
    assert "cannot be saved" in saves.notice
    assert saves["level"] == 2
    tmp_path.chmod(0o700)


def test_a_file_in_the_way_of_the_folder_does_not_stop_the_game(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    saves = Saves("game")
    saves.open(tmp_path / "data")
    saves["level"] = 2
    assert saves["level"] == 2
    assert "saved" in saves.notice


@pytest.mark.parametrize("name", ["a/b", "../up", "", "ä ö", "con:x"])
def test_any_name_of_a_game_makes_a_file_in_the_folder(tmp_path: Path, name: str) -> None:
    saves = Saves(name)
    saves.open(tmp_path)
    saves["x"] = 1
    assert saves.path is not None
    assert saves.path.parent == tmp_path
    assert saves.path.is_file()


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.json"
    write_atomically(path, b"old")
    monkeypatch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, b"new")
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["game.json"]


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.02, 0.05, 0.11])
def test_a_process_killed_while_it_writes_leaves_a_whole_file(tmp_path: Path, delay: float) -> None:
    with subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        time.sleep(0.2 + delay)
        writer.kill()
    numbers = json.loads((tmp_path / "game.json").read_text())["numbers"]
    assert len(numbers) == 3000
    assert len(set(numbers)) == 1
