"""The fuzz, briefly: no fault in some inputs of each kind; and it finds the faults that it looks
for.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.fuzzing import ROOT
from tests.fuzzing.changes import chunks, markup, raw, trees
from tests.fuzzing.report import described, faults, table
from tests.fuzzing.running import run, surroundings
from tests.imports.samples import SVG, a_map, pictures, png
from tests.scenes.samples import FULL

forks = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="processes are forked, which this system does not"
)
SEED = 34
COUNTS = {
    "sounds": 150, "ghosts": 300, "snapshots": 150, "replays": 150, "scenes-toml": 150,
    "scenes-json": 150, "tiled": 150, "tmx": 150, "ldtk": 150, "svg": 150, "pictures": 200,
    "saves": 60, "settings": 60,
}  # fmt: skip
FOUND = {
    "nothing": ("taken", []), "one line": ("refused", []),
    "another exception": ("failed", ["KeyError"]), "many letters": ("failed", ["a long message"]),
    "two lines": ("failed", ["a message of several lines"]),
    "no words": ("failed", ["says nothing"]),
    "half a letter": ("failed", ["a message that cannot be printed"]),
    "a crash": ("failed", ["SIGSEGV"]), "an end": ("failed", ["SIGTERM"]),
    "no end": ("failed", ["too much processor time"]),
    "no end and no work": ("failed", ["nothing for 15 s"]),
    "much memory": ("failed", ["more than 300 MB"]), "endless memory": ("failed", ["MemoryError"]),
    "a file elsewhere": ("failed", ["writes '../../../../elsewhere'"]),
    "a file that is not its own": ("failed", ["reads '../secret.txt'"]),
    "a module of its own": ("failed", ["imports 'stranger'", "imports 'stranger'"]),
    "another program": ("failed", ["does subprocess.Popen"]),
    "another world": ("failed", ["the world is another one, when it was taken"]),
}  # fmt: skip


@forks
@pytest.mark.brief(len(COUNTS))
@pytest.mark.parametrize("kind", COUNTS)
def test_damaged_files_are_refused_or_taken(kind: str) -> None:
    """Here some of each kind; docs/reliability.md has the figures of many."""
    sums = run([kind], SEED, COUNTS[kind])
    assert not faults(sums), "\n".join(
        line for fault in faults(sums) for line in described(fault, SEED)
    )
    did = sums[kind].did
    assert sum(did.values()) == COUNTS[kind], table(sums)
    assert did["taken"] > COUNTS[kind] // 50, "nothing is tried of what follows"
    assert did["refused"] > COUNTS[kind] // 10 or kind in ("saves", "settings"), (
        "there is no damage"
    )


@forks
@pytest.mark.slow
def test_the_fuzz_finds_what_no_door_may_do(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "tests.fuzzing.planted", str(tmp_path / "s")],
        cwd=ROOT,
        env=surroundings(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert told.returncode == 0, told.stderr
    found = {way: (did, what) for way, did, what in map(json.loads, told.stdout.splitlines())}
    assert found == FOUND


@forks
@pytest.mark.slow
def test_one_input_again_becomes_what_it_became(tmp_path: Path) -> None:
    """The program's own temporary files, which an import makes, are no fault."""
    again = subprocess.run(
        [sys.executable, "-m", "tests.fuzzing", "--reproduce", "tiled", "7", "3"], cwd=ROOT,
        env=surroundings(tmp_path), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert again.returncode == 0, again.stdout + again.stderr
    assert again.stdout.splitlines()[-1].startswith("refused")


def test_a_number_always_makes_the_same_changes() -> None:
    tree = tomllib.loads(FULL)
    for number in range(5):
        made = []
        for _ in range(2):
            dice = random.Random(f"same {number}")
            own = json.loads(json.dumps(tree))
            said = trees.changed(own, dice, ["blob"])
            root = markup.parsed(SVG.encode())
            said += markup.changed(root, dice, ["path"])
            made.append(
                (
                    said,
                    trees.toml_text(own, dice),
                    markup.xml_text(root, dice),
                    raw.changed(SVG.encode(), dice),
                )
            )
        assert made[0] == made[1]


def test_what_is_written_without_a_change_is_the_same() -> None:
    dice = random.Random(1)
    tree = tomllib.loads(FULL)
    assert tomllib.loads(trees.toml_text(tree, dice).decode()) == tree
    assert json.loads(trees.json_text(a_map(), dice)) == a_map()
    picture = png(pictures()["star"].resize((8, 8)))
    always = random.Random()
    always.random = lambda: 0.5  # type: ignore[method-assign]  # no wrong lengths and sums
    assert chunks.png(chunks.read_png(picture), always) == picture


def test_odd_values_are_written_as_the_formats_have_them() -> None:
    dice = random.Random(2)
    deep = trees.json_text({"a": trees.Written("[" * 50 + "]" * 50), "b": 1e400}, dice)
    assert b"[" * 50 + b"]" * 50 in deep
    assert b"Infinity" in deep
    assert b"\\ud800" in trees.json_text(
        ["\ud800"], random.Random(3)
    ) or b"\xed\xa0\x80" in trees.json_text(["\ud800"], dice)
    assert (
        trees.toml_text({"a": [float("nan"), 1], "b": {"c d": True}}, dice)
        == b'a = [nan, 1]\n[b]\n"c d" = true\n'
    )
