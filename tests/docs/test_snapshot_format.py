"""docs/snapshot_format.md is as declared, and enough to read a file: with numpy and the standard
library alone.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ecs_softbody import Simulation
from ecs_softbody.processors import SOLVERS
from ecs_softbody.state.tables import is_found_again
from ecs_softbody.storage import Component, declared_columns, declared_values
from ecs_softbody.storage.resource import Array, Field, Members, Part, Row
from tests.docs.snapshot_format import PAGE, page, sections
from tests.docs.test_snippets import blocks
from tests.helpers.internals import stages_of
from tests.snapshots.full_world import run, spawn_everything

AS_A_STRANGER = """
import pickle, sys

class NoPackage:
    def find_spec(self, name, path=None, target=None):
        assert not name.startswith("ecs_softbody"), "a stranger has no such package"

sys.meta_path.insert(0, NoPackage())
exec(compile(sys.stdin.read().partition("\\nworld = ")[0], "page", "exec"))
with open(sys.argv[1], "rb") as file:
    world = read(file.read())
sys.stdout.buffer.write(pickle.dumps(world))
"""


def read_as_a_stranger(path: Path) -> Any:
    """Return what a file says to the program on the page, in a process that cannot import the
    package.
    """
    program = next(source for _, source in blocks(PAGE) if "def read(" in source)
    command = [sys.executable, "-I", "-c", AS_A_STRANGER, str(path)]
    done = subprocess.run(
        command, input=program.encode(), capture_output=True, check=True, timeout=60
    )
    return pickle.loads(done.stdout)


def test_the_page_is_as_declared() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tests.docs writes it anew"


def test_every_field_says_what_it_is() -> None:
    bare = [
        f"{path}.{field.name}"
        for path, _, fields in sections()
        for field in fields
        if not field.doc
    ]
    assert bare == []


def test_declared_attributes_are_public() -> None:
    private = [
        f"{path}.{field.name}" for path, _, fields in sections() for field in fields
        if any(part.startswith("_") for part in field.path.split("."))
    ]  # fmt: skip
    assert private == []


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_stranger_reads_all_that_is_in_a_file(solver: str, tmp_path: Path) -> None:
    sim = Simulation(world="written", substeps=2, solver=solver)
    run(sim, spawn_everything(sim), range(42))
    sim.snapshot().save(tmp_path / "world.snapshot")
    world = read_as_a_stranger(tmp_path / "world.snapshot")
    check_components(sim, world)
    described = {path: fields for path, _, fields in sections()}
    pipeline = world["pipeline"]
    assert set(pipeline["stages"]) == set(stages_of(sim).saved_stages())
    assert set(pipeline) == {field.name for field in described["pipeline"]} | {"contacts", "stages"}
    names = {
        line.split("`")[1]
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    }
    assert set(world) <= names
    check_fields("buffers", described["buffers"], world["buffers"])
    check_fields(
        "pipeline",
        described["pipeline"],
        {name: pipeline[name] for name in pipeline if name != "stages"},
    )
    check_fields("contacts", described["pipeline.contacts"], pipeline["contacts"])
    for name, content in pipeline["stages"].items():
        check_fields(name, described[f"pipeline.stages.{name}"], content)
    assert pipeline["clock"]["frame"] == 42
    sim.close()


def check_components(sim: Simulation, world: Any) -> None:
    """Compare the columns of all tables, by the rows of each component, with those of a world."""
    tables = dict(world["tables"])
    seen = 0
    kinds = {kind.__name__: kind for kind in Component.types}
    for number, components in world["entities"]:
        for name, (first, last, slot), _ in components:
            component = sim.get(number, kinds[name])
            rows, values = (tables[name][store]["columns"] for store in ("rows", "values"))
            table = sim.buffers[kinds[name]]
            if tables[name]["rows"]["count"]:
                assert set(rows) == with_twins(declared_columns(kinds[name]), table.written_columns)
            assert set(values) == with_twins(declared_values(kinds[name]), table.written_values) | {
                "serial"
            }
            for column, array in rows.items():
                live = component.row_arrays[column][component.row_start : component.row_stop]
                np.testing.assert_array_equal(array[first:last], live)
                seen += 1
            for value, array in values.items():
                np.testing.assert_array_equal(
                    array[slot], component.value_arrays[value][component.slot]
                )
    assert seen > 500


def with_twins(declared: Iterable[str], written: Iterable[str]) -> set[str]:
    """Return what a file has of some columns: those that follow from no others, and what they were
    before sleep.
    """
    return {each for each in declared if not is_found_again(each)} | {
        f"kept_{each}" for each in written
    }


def check_fields(path: str, fields: tuple[Field, ...], content: Any) -> None:
    """Compare what is in a part of a file with what is said of it: names, types, shapes,
    lengths.
    """
    assert {field.name for field in fields if not field.optional} <= set(content), path
    lengths: dict[str, int] = {}
    for field in fields:
        if content.get(field.name) is not None:
            check_field(f"{path}.{field.name}", field, content[field.name], lengths)


def check_field(path: str, field: Field, value: Any, lengths: dict[str, int]) -> None:
    """Compare a value with what is said of it."""
    if isinstance(field, Part):
        check_fields(path, field.fields, value)
    elif isinstance(field, Row):
        assert len(value) == len(field.fields), path
        for each, part in zip(field.fields, value, strict=True):
            check_field(path, each, part, lengths)
    elif isinstance(field, Members):
        for part in value:
            check_field(path, field.field, part, lengths)
    elif isinstance(field, Array):
        assert value.dtype == field.dtype, path
        assert len(value.shape) == len(field.lengths), path
        if value.size:
            wanted = [lengths.setdefault(each, n) if isinstance(each, str) else each
                      for each, n in zip(field.lengths, value.shape, strict=True)]  # fmt: skip
            assert list(value.shape) == wanted, path
    elif field.form:
        kinds = {"flag": bool, "whole number, not below -1": int, "number": (int, float)}
        assert isinstance(value, kinds.get(field.form, str)), path
