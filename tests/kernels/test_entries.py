"""The kernels that Python calls are exactly those marked as entries,
and each says what it takes.
"""

import ast
import functools
from pathlib import Path

import numpy as np
import pytest

import ecs_softbody
from ecs_softbody.arrays import Floats1, Floats2
from ecs_softbody.building.signatures import signature_of
from ecs_softbody.building.units import find_units
from ecs_softbody.kernels.groups import Motion
from tests.helpers.sources import tree_of

PACKAGE = Path(ecs_softbody.__file__).parent
DECORATORS = {"entry", "kernel", "inline", "template"}


def decorator_of(node: ast.AST) -> str:
    """Return how a function is compiled, "" for plain Python."""
    names = [name.id for name in getattr(node, "decorator_list", ()) if isinstance(name, ast.Name)]
    return next((name for name in names if name in DECORATORS), "")


@functools.cache
def find_kernels() -> tuple[dict[str, str], set[str]]:
    """Return the decorator of every kernel by "module:name", and the kernels that plain Python
    mentions.
    """
    trees = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): tree_of(path)
        for path in PACKAGE.rglob("*.py")
        if path.parent.name != "building"
    }
    kernels = {
        f"{module}:{node.name}": decorator_of(node)
        for module, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and decorator_of(node)
    }
    mentioned = set()
    for module, tree in trees.items():
        of_modules = {}
        known = {name.partition(":")[2]: name for name in kernels if name.startswith(f"{module}:")}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if f"{node.module}:{alias.name}" in kernels:
                        known[alias.asname or alias.name] = f"{node.module}:{alias.name}"
                    # a module, whose kernels are mentioned as module.kernel
                    whole = f"{node.module}.{alias.name}:"
                    of_modules |= {
                        name.partition(":")[2]: name for name in kernels if name.startswith(whole)
                    }
        for top in tree.body:
            if not decorator_of(top):
                names = {node.id for node in ast.walk(top) if isinstance(node, ast.Name)}
                names |= {
                    node.attr for node in ast.walk(top) if isinstance(node, ast.Attribute)
                } & set(of_modules)
                mentioned |= {
                    (known | of_modules)[name] for name in names & set(known | of_modules)
                }
    return kernels, mentioned


@pytest.mark.slow
def test_entries_are_what_python_calls() -> None:
    kernels, mentioned = find_kernels()
    entries = {name for name, kind in kernels.items() if kind == "entry"}
    assert sorted(mentioned - entries) == []  # called, and no entry
    assert sorted(entries - mentioned) == []  # an entry that nobody calls
    assert len(entries) > 100


@pytest.mark.slow
def test_every_entry_is_in_a_unit() -> None:
    kernels, _ = find_kernels()
    listed = {f"{unit.module}:{name}" for unit in find_units() for name in unit.entries}
    assert listed == {name for name, kind in kernels.items() if kind == "entry"}
    assert len({symbol for unit in find_units() for symbol in unit.symbols.values()}) == len(listed)


def test_a_signature_is_what_the_annotations_say() -> None:
    def move(
        motion: Motion, mass: Floats1, count: int, dt: float, is_last: bool
    ) -> tuple[int, float]:
        return 0, 0.0

    assert signature_of(move) == "( f8:2 f8:2 f8:1 f8:2 ) f8:1 i8 f8 b1 > ( i8 f8 )"


def test_annotations_that_say_too_little_are_refused() -> None:
    def no_dimensions(array: np.ndarray) -> None:
        pass

    def returns_array(array: Floats2) -> Floats2:
        return array

    with pytest.raises(TypeError, match=r"no_dimensions: .*ndarray.* no array with a Layout"):
        signature_of(no_dimensions)
    with pytest.raises(TypeError, match=r"returns_array: it returns .* no number"):
        signature_of(returns_array)
