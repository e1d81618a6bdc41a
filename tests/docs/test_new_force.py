"""The force on the page on processors is one: it is added to a copy of the library, which accepts
it, runs it, saves it and shows it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "write_a_processor.md"
TITLED = re.compile(r'^```(\w+) title="(.+?)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^ *print\(.*\)  # (.*)$", re.MULTILINE)
TRIAL = "try_vortex.py"
MOST_EDITS = 3

THE_CHECKS = [
    "tests/kernels/test_vortex.py",
    "tests/docs/test_tables.py::test_a_page_shows_every_column_of_a_component_with_shape_and_unit[Vortex]",
    "tests/docs/test_tables.py::test_the_page_of_the_order_is_as_declared",
    "tests/docs/test_tables.py::test_no_two_processors_of_a_simulation_have_one_number",
    "tests/docs/test_snapshot_format.py::test_the_page_is_as_declared",
    "tests/processors/test_reads_and_writes.py::test_what_a_stage_declares_is_there[VortexProcessor]",
    "tests/processors/test_reads_and_writes.py::test_examples_and_rare_events_read_and_write_what_is_declared",
    "tests/rendering/test_fields.py::test_the_overlay_shows_and_names_the_example_of_every_force_with_a_field[VortexProcessor]",
    "tests/test_stems.py",
    "tests/test_layers.py::test_rooms_import_downwards_only",
    "tests/components/test_odd_values.py::test_odd_values_are_taken_or_refused_by_name[Vortex]",
]
"""Tests that go by lists of components, forces, kernels and pages."""


def titled_blocks() -> dict[str, tuple[str, str]]:
    """Return (language, text) of each block on the page that names its file."""
    blocks = TITLED.findall(PAGE.read_text(encoding="utf-8"))
    found = {title: (language, text) for language, title, text in blocks}
    assert len(found) == len(blocks), "each file is shown once"
    return found


def new_files() -> dict[str, str]:
    return {
        title: text
        for title, (language, text) in titled_blocks().items()
        if language == "py" and title != TRIAL
    }


def edits() -> dict[str, tuple[str, str]]:
    """Return for each file that changes the text before and after."""
    found = {}
    for title, (language, text) in titled_blocks().items():
        if language == "diff":
            lines = text.splitlines(keepends=True)
            assert all(line[0] in " +" for line in lines), "nothing is taken away"
            old = "".join(line[1:] for line in lines if line[0] == " ")
            found[title] = (old, "".join(line[1:] for line in lines))
    return found


def runs_of_new_lines(diff: str) -> int:
    return len(re.findall(r"^(?:\+.*\n)+", diff, re.MULTILINE))


def test_a_new_force_edits_three_files_in_one_place_each() -> None:
    assert len(edits()) <= MOST_EDITS
    for title, (old, _) in edits().items():
        assert (ROOT / title).read_text(encoding="utf-8").count(old) == 1, title
        assert runs_of_new_lines(titled_blocks()[title][1]) == 1, title
    assert len(new_files()) == 4
    for title in new_files():
        assert not (ROOT / title).exists(), f"{title} is there already: the example is none"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the library with the force of the page."""
    root = tmp_path_factory.mktemp("library")
    away = shutil.ignore_patterns("__pycache__", "images", "wasm")
    for name in ("ecs_softbody", "tests", "docs", "games", "benchmarks"):
        shutil.copytree(ROOT / name, root / name, ignore=away)
    for file in ROOT.iterdir():
        if file.is_file():
            shutil.copy(file, root)
    for title, text in new_files().items():
        (root / title).write_text(text, encoding="utf-8")
    for title, (old, new) in edits().items():
        before = (root / title).read_text(encoding="utf-8")
        (root / title).write_text(before.replace(old, new), encoding="utf-8")
    (root / "docs" / "images").symlink_to(ROOT / "docs" / "images")
    run(root, "-m", "tests.docs")
    return root


def run(root: Path, *words: str) -> str:
    """Run Python with the copy; return what it prints."""
    path = os.pathsep.join(str(root / folder) for folder in ("", "games", "benchmarks"))
    environment = {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(root / "cache")}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_force_acts_and_is_saved_and_shown_as_the_page_says(copy: Path) -> None:
    trial = titled_blocks()[TRIAL][1]
    (copy / TRIAL).write_text(trial, encoding="utf-8")
    assert run(copy, TRIAL).splitlines() == PRINTED.findall(trial)


@pytest.mark.slow
def test_the_copy_has_the_force_wherever_forces_are_listed(copy: Path) -> None:
    assert "| `VORTEX` | `VortexProcessor` |" in (copy / "docs" / "order.md").read_text("utf-8")
    assert "### Vortex" in (copy / "docs" / "snapshot_format.md").read_text("utf-8")
    asked = "from ecs_softbody import scenes\nprint('Vortex' in str(scenes.schema()))"
    assert run(copy, "-c", asked) == "True\n"
    asked = "from ecs_softbody.building.units import find_units\nprint([one.entries for one in find_units()])"
    assert "accumulate_vortex" in run(copy, "-c", asked)


@pytest.mark.slow
def test_the_tests_of_the_library_accept_the_force(copy: Path) -> None:
    options = ["-q", "-p", "no:cacheprovider", "-n", "0", "-m", "slow or not slow"]
    run(copy, "-m", "pytest", *options, *THE_CHECKS)
