"""Saves: kept from one start to the next, whole after any crash,
and damaged files are put aside.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ecs_softbody.files import write_atomically
from ecs_softbody.play import Saves
from ecs_softbody.play.save_data import values
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
    "value",
    [
        0,
        -3,
        1.5,
        True,
        None,
        "",
        "größer",
        [1, [2]],
        {"a": {"b": 1}},
        (1, 2),
        np.float64(2.5),
        np.arange(3),
    ],
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
    with pytest.raises(ValueError, match="expected finite numbers"):
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


@pytest.mark.parametrize(
    ("better", "results", "best"), [("higher", [3, 5, 4, 5], 5), ("lower", [3, 5, 2.5, 4], 2.5)]
)
def test_the_best_result_is_kept(
    tmp_path: Path, better: str, results: list[float], best: float
) -> None:
    saves = opened(tmp_path)
    news = [saves.keep_best("result", result, better=better) for result in results]  # type: ignore[arg-type]
    assert news == [index == 0 or news_of(results, index, better) for index in range(len(results))]
    assert opened(tmp_path)["result"] == best


@pytest.mark.parametrize("result", ["x", float("nan"), float("inf"), None, [1], 10**400])
def test_a_result_that_is_no_number_is_refused_by_name(tmp_path: Path, result: Any) -> None:
    saves = opened(tmp_path)
    with pytest.raises(
        ValueError,
        match=r"^saves\.keep_best\.result of 'a': .* is not allowed; expected a finite number",
    ):
        saves.keep_best("a", result)
    assert "a" not in saves


ODD = [
    "x", "", None, True, False, [], [1], {}, {"a": 1}, "\ud800", -1, 101, 1e300, 2.5, [[1]], "NaN",
    "Infinity", "1e999",
]  # fmt: skip
"""Those that are none from 0 to 100, beside 2.5. The last three are written without their marks."""


def as_written(value: object) -> str:
    return str(value) if value in ("NaN", "Infinity", "1e999") else json.dumps(value)


@pytest.mark.parametrize("odd", [*ODD, "1" + "0" * 400, "1" + "0" * 5000], ids=str)
def test_a_value_of_another_kind_counts_as_none(tmp_path: Path, odd: Any) -> None:
    text = odd if str(odd).startswith("10") else as_written(odd)
    (tmp_path / "game.json").write_text(f'{{"it": {text}, "good": 7}}')
    saves = opened(tmp_path)
    assert (saves.notice, saves.whole("good", 0)) == ("", 7)
    assert saves.number("it", None, 0, 100) == (2.5 if odd == 2.5 else None)
    assert saves.whole("it", None, 0, 100) is None
    assert saves.flag("it", True) is (odd if isinstance(odd, bool) else True)
    assert saves.text("it", "none") == ("x" if odd == "x" else "" if odd == "" else "none")
    assert saves.texts("it") == []
    assert saves.table("it") == ({"a": 1} if odd == {"a": 1} else {})
    assert saves.keep_best("it", 3, low=0, high=100)
    assert saves.get("it") == 3
    assert opened(tmp_path).as_dict() == {"it": 3, "good": 7}


def test_getters_return_what_is_there_and_a_copy_of_it(tmp_path: Path) -> None:
    saves = opened(tmp_path)
    for key, value in {
        "n": 3,
        "r": 3.0,
        "f": 2.5,
        "t": "größer",
        "l": ["a", 1, "b"],
        "d": {"a": [1]},
        "b": False,
    }.items():
        saves[key] = value
    assert [saves.number(key, -1) for key in "nrf"] == [3, 3.0, 2.5]
    assert [saves.whole(key, -1) for key in "nrf"] == [3, 3, -1]
    assert (saves.text("t"), saves.texts("l"), saves.flag("b", True)) == (
        "größer",
        ["a", "b"],
        False,
    )
    saves.table("d")["a"].append(2)
    assert saves.table("d") == {"a": [1]}
    assert (saves.number("gone", None), saves.text("gone"), saves.table("gone")) == (None, "", {})


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\udc80.toml"])
def test_half_surrogates_come_back_and_stop_nothing(tmp_path: Path, text: str) -> None:
    saves = opened(tmp_path)
    saves["it"] = [text]
    saves[text] = 1
    saves["other"] = 2
    assert saves.notice == ""
    assert opened(tmp_path).as_dict() == {"it": [text], text: 1, "other": 2}
    assert saves.texts("it") == []


@pytest.mark.parametrize("kind", ["large", "larger", "in a list", "deep"])
def test_what_cannot_be_read_again_is_not_kept(tmp_path: Path, kind: str) -> None:
    deep: list[Any] = functools.reduce(lambda inner, _: [inner], range(70), [1])
    value: Any = {"large": 10**400, "larger": -(10**5000), "in a list": [10**400], "deep": deep}[
        kind
    ]
    saves = opened(tmp_path)
    with pytest.raises(
        ValueError, match=r"^saves\['it'\]: .* is not allowed; expected finite numbers"
    ) as refused:
        saves["it"] = value
    assert len(str(refused.value)) < 300
    assert "it" not in saves


def test_a_deep_list_can_be_asked_for_from_a_deep_call(tmp_path: Path) -> None:
    (tmp_path / "game.json").write_text('{"it": ' + "[" * 800 + "]" * 800 + "}")
    saves = opened(tmp_path)

    def ask(depth: int) -> object:
        return ask(depth - 1) if depth else saves.get("it")

    assert ask(500) == saves.get("it")
    saves["other"] = 1
    assert opened(tmp_path)["other"] == 1


def test_true_and_1_are_two_values(tmp_path: Path) -> None:
    (tmp_path / "game.json").write_text('{"level": true}')
    saves = opened(tmp_path)
    saves["level"] = 1
    assert opened(tmp_path).whole("level", 0) == 1


def test_a_mark_of_an_editor_at_the_beginning_is_no_damage(tmp_path: Path) -> None:
    (tmp_path / "game.json").write_bytes(b'\xef\xbb\xbf{"level": 3}')
    assert opened(tmp_path)["level"] == 3


@pytest.mark.skipif(os.name == "nt", reason="a pipe in a folder")
@pytest.mark.parametrize("kind", ["pipe", "folder", "large"])
def test_what_is_no_file_of_values_is_neither_read_nor_written_over(
    tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "game.json"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        with path.open("wb") as file:
            file.truncate(1 << 40)
    before = path.stat()
    saves = Saves("game")
    assert not saves.open(tmp_path)
    assert "cannot be read" in saves.notice
    saves["level"] = 1
    assert path.stat() == before


def test_more_than_can_be_read_again_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of 54 million bytes took six seconds at each start, and a game cannot read what is
    larger than allowed.
    """
    monkeypatch.setattr(values, "LARGEST_FILE", 16_000)
    saves = opened(tmp_path)
    saves["level"] = 2
    saves["film"] = [0.25] * 4_000
    assert "cannot be saved" in saves.notice
    assert "20026 bytes are more than 16000" in saves.notice
    assert len(saves["film"]) == 4_000
    assert opened(tmp_path).as_dict() == {"level": 2}
    saves["coins"] = 7  # what fits is kept, whatever does not
    saves["text"] = "long" * 5_000
    saves.change("level", lambda old: old + 1)
    assert opened(tmp_path).as_dict() == {"level": 3, "coins": 7}
    saves["film"] = [0.25] * 200
    assert opened(tmp_path).as_dict() == {"level": 3, "coins": 7, "film": [0.25] * 200}
    del saves["film"]
    del saves["text"]
    assert opened(tmp_path).as_dict() == {"level": 3, "coins": 7}

    (tmp_path / "game.json").write_text('{"long": [' + ",".join(["1e15"] * 3_000) + "]}")
    compact = opened(tmp_path)
    assert compact.notice == ""
    # larger as Python writes it: the game goes on, and the file stays
    compact["level"] = 3
    assert "cannot be saved" in compact.notice
    assert "level" not in opened(tmp_path)


def test_two_windows_that_keep_too_much_together_keep_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "LARGEST_FILE", 16_000)
    one = opened(tmp_path)
    other = opened(tmp_path)
    one["film"] = "a" * 9_000
    other["story"] = "b" * 9_000
    for score in range(1, 4):
        assert other.keep_best("score", score)
        one.change("rounds", lambda old: (old or 0) + 1)
    assert opened(tmp_path).as_dict() == {"film": "a" * 9_000, "score": 3, "rounds": 3}
    assert other["story"] == "b" * 9_000
    del one["film"]
    other["score"] = 4
    assert opened(tmp_path).as_dict() == {"score": 4, "rounds": 3, "story": "b" * 9_000}


def test_a_file_that_somebody_deleted_is_written_as_it_was_known(tmp_path: Path) -> None:
    saves = opened(tmp_path)
    for _ in range(3):
        saves.change("rounds", lambda old: (old or 0) + 1)
    saves["name"] = "Ada"
    (tmp_path / "game.json").unlink()
    saves.change("rounds", lambda old: old + 1)
    assert opened(tmp_path).as_dict() == {"rounds": 4, "name": "Ada"}


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Let the disk be full, or work again."""
    works = os.fsync

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    return lambda is_full: monkeypatch.setattr(os, "fsync", full if is_full else works)


def add_one(old: Any) -> Any:
    return old + 1


@pytest.mark.parametrize("wound", ["deleted", "damaged"])
def test_a_change_that_waits_is_made_of_what_it_was_made_of(
    tmp_path: Path, disk: Callable[[bool], None], wound: str
) -> None:
    """The file went, could not be written, and another window wrote a new one."""
    saves = opened(tmp_path)
    other = opened(tmp_path)
    saves["rounds"] = 4
    saves["found"] = ["a"]
    (tmp_path / "game.json").unlink() if wound == "deleted" else (
        tmp_path / "game.json"
    ).write_text("{")
    disk(True)
    saves.change("rounds", add_one)
    saves.change("found", lambda old: [*old, "b"])
    (tmp_path / "game.json").unlink(missing_ok=True)
    saves.open(tmp_path)
    disk(False)
    other["music"] = True
    saves["level"] = 2
    kept = opened(tmp_path).as_dict()
    assert (kept["rounds"], kept["found"], kept["music"], kept["level"]) == (5, ["a", "b"], True, 2)


def test_changes_that_wait_are_all_made_in_their_order(
    tmp_path: Path, disk: Callable[[bool], None]
) -> None:
    saves = opened(tmp_path)
    other = opened(tmp_path)
    saves["coins"] = 7
    saves["best"] = 10
    saves["rounds"] = 1
    disk(True)
    saves["coins"] = 0
    for _ in range(300):
        saves.change("coins", add_one)
    del saves["best"]
    assert saves.keep_best("best", 5)
    saves.change("rounds", add_one)
    disk(False)
    other["rounds"] = 10
    saves["level"] = 2
    assert (
        opened(tmp_path).as_dict()
        == saves.as_dict()
        == {"coins": 300, "best": 5, "rounds": 11, "level": 2}
    )


@pytest.mark.parametrize("theirs", ["a text", [1], None])
def test_a_change_that_waits_and_can_do_nothing_with_their_value_stops_no_other(
    tmp_path: Path, disk: Callable[[bool], None], theirs: Any
) -> None:
    saves = opened(tmp_path)
    other = opened(tmp_path)
    saves["rounds"] = 1
    saves["number"] = 1
    disk(True)
    saves.change("rounds", add_one)
    saves.change("number", lambda old: int(old) + 1)
    disk(False)
    other["rounds"] = other["number"] = theirs
    saves["level"] = 2
    assert saves.open(tmp_path)
    assert opened(tmp_path).as_dict() == {"rounds": 2, "number": 2, "level": 2}


def test_what_waits_is_written_when_it_is_kept_or_opened_again(
    tmp_path: Path, disk: Callable[[bool], None]
) -> None:
    saves = opened(tmp_path)
    for again in (lambda: saves.__setitem__("level", 3), lambda: saves.open(tmp_path)):
        saves.clear()
        disk(True)
        saves["level"] = 3
        disk(False)
        again()
        assert opened(tmp_path).as_dict() == {"level": 3}


def test_what_became_smaller_is_not_left_out_for_what_became_larger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "LARGEST_FILE", 300)
    saves = opened(tmp_path)
    saves["a"] = "a" * 200
    saves["b"] = "b" * 150
    saves["k" * 400] = 1
    saves["a"] = "a" * 160
    assert opened(tmp_path).as_dict() == {"a": "a" * 160}


def test_two_damaged_files_of_one_second_are_both_kept(tmp_path: Path) -> None:
    for text in ("{1", "{2"):
        (tmp_path / "game.json").write_text(text)
        assert not Saves("game").open(tmp_path)
    assert sorted(path.read_text() for path in tmp_path.glob("game-damaged-*.json")) == ["{1", "{2"]


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


@pytest.mark.parametrize(
    "text", ["", "{", '{"level": 3', "[1, 2]", "null", "\x00\x00", "[" * 100_000, '{"a": NaN,']
)
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


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)
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


def test_a_write_that_fails_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.json"
    write_atomically(path, b"old")
    monkeypatch.setattr(
        os, "fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, b"new")
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["game.json"]


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.02, 0.05, 0.11])
def test_a_process_killed_while_it_writes_leaves_a_whole_file(tmp_path: Path, delay: float) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        # on a busy machine the first one takes a while
        while not (tmp_path / "game.json").exists():
            assert writer.poll() is None
            time.sleep(0.01)
        time.sleep(0.2 + delay)
        writer.kill()
    numbers = json.loads((tmp_path / "game.json").read_text())["numbers"]
    assert len(numbers) == 3000
    assert len(set(numbers)) == 1
