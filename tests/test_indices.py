"""Indices and counts have 64 bits on every machine: nobody asks numpy for those of the machine's
addresses.

Where addresses have 32 bits, as in a browser, whole numbers of numpy's own choice have 32, too, and
kernels and columns refuse them. `ecs_softbody.indices` has the same functions with 64 bits. What is
not seen in the text of a call, `tests/on_32_bits.sh` finds.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ecs_softbody import indices
from tests.helpers.sources import tree_of

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "ecs_softbody"
GAMES = ROOT / "games" / "ecs_softbody_games"
OWN = {PACKAGE / "indices.py", PACKAGE / "arrays.py"}
PHYSICS = (
    "blueprints", "collision", "components", "crowding.py", "elementary", "fracture", "geometry",
    "kernels", "parallel", "processors", "simulation", "state", "storage",
)  # fmt: skip
"""Rooms in which every array that is written out names its type, unless it shows a number with a
point.
"""
KERNELS = re.compile(
    r"^from ecs_softbody\.(collision|elementary|geometry|kernels|parallel)\b", re.MULTILINE
)
"""What a test imports that hands arrays to kernels itself."""
COMPILED = {"entry", "kernel", "inline", "template"}
"""What decorates kernels: they make no arrays, and numba knows the functions of numpy."""

FINDERS = {
    "flatnonzero",
    "nonzero",
    "argwhere",
    "argsort",
    "lexsort",
    "searchsorted",
    "bincount",
    "repeat",
    "reduceat",
}
ALONG_AN_AXIS = {"argmax", "argmin", "count_nonzero"}
"""Without an axis they return one number."""
UNTYPED = {"arange", "cumsum"}
"""Their type has to be named."""
MAKERS = {
    "array": 0,
    "asarray": 0,
    "ascontiguousarray": 0,
    "fromiter": 0,
    "full": 1,
    "full_like": 1,
}
"""Their type has to be named where whole numbers are given, by this argument; it follows it."""
CURE = "numbers have as many bits as the machine's addresses:"


class Calls:
    """Finds the calls of a file that make numbers of as many bits as addresses, or that take only
    these.

    Args:
        whole: names of constants that are whole numbers.
        strict: whether arrays that are written out have to name their type.
    """

    def __init__(self, whole: frozenset[str] = frozenset(), *, strict: bool = False) -> None:
        self.whole = whole
        self.strict = strict

    def complaints(self, tree: ast.Module) -> Iterator[tuple[int, str]]:
        """Yield (line, what is wrong and the cure)."""
        kernels = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef) and is_compiled(node)
        ]
        compiled = {id(node) for kernel in kernels for node in ast.walk(kernel)}
        for call in ast.walk(tree):
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and id(call) not in compiled
            ):
                yield from ((call.lineno, complaint) for complaint in self.about(call, call.func))

    def about(self, call: ast.Call, function: ast.Attribute) -> Iterator[str]:
        """Yield what is wrong with the call of an attribute."""
        name = function.attr
        owner = ast.unparse(function.value)
        is_numpy = owner == "np"
        said = f"np.{name}" if is_numpy else f".{name}"
        keywords = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        given = call.args[int(is_numpy) :]
        if (is_numpy or name == "astype") and any(map(is_int, (*call.args, *keywords.values()))):
            yield f"{said}: int has as many bits as the machine's addresses; say np.int64"
        elif owner != "itertools" and (
            name in FINDERS or (is_numpy and name == "unique" and returns_more(keywords))
        ):
            yield f"{said}: {CURE} take {name} of ecs_softbody.indices"
        elif name == "take" and (is_numpy or "axis" in keywords):
            yield (
                f"{said}: some versions of numpy take no places of 64 bits there: take taken of "
                "ecs_softbody.indices"
            )
        elif name in ALONG_AN_AXIS and (given or "axis" in keywords):
            yield f"{said} along an axis: {CURE} take {name} of ecs_softbody.indices"
        elif name in UNTYPED and "dtype" not in keywords and not any(map(has_float, call.args)):
            yield f"{said}: {CURE} name its type, or take arange of ecs_softbody.indices"
        elif is_numpy and name == "dtype" and "align" in keywords:
            yield (
                f"{said}: fields lie where the machine's C puts them; take record of "
                "ecs_softbody.arrays"
            )
        elif is_numpy and "dtype" not in keywords and self.makes_whole(name, call.args):
            yield f"{said}: {CURE} name its type, np.int64 where they are whole"

    def makes_whole(self, name: str, given: list[ast.expr]) -> bool:
        """Return whether a function of numpy makes whole numbers of what it is given,
        or may do so.
        """
        if name == "where":
            return len(given) == 3 and all(map(self.is_whole, given[1:]))
        if name not in MAKERS or len(given) != MAKERS[name] + 1:
            return False
        written = isinstance(given[-1], ast.List | ast.Tuple | ast.ListComp) or name == "full"
        return self.is_whole(given[-1]) or (self.strict and written and not has_float(given[-1]))

    def is_whole(self, node: ast.expr) -> bool:
        """Return whether an expression is seen to be a whole number, or several."""
        found = False
        match node:
            case ast.Constant(value=value):
                found = type(value) is int
            case ast.Name(id=name) | ast.Attribute(attr=name):
                found = name in self.whole
            case ast.UnaryOp(operand=one) | ast.ListComp(elt=one) | ast.GeneratorExp(elt=one):
                found = self.is_whole(one)
            case ast.BinOp(left=one, op=op, right=other):
                found = not isinstance(op, ast.Div) and self.is_whole(one) and self.is_whole(other)
            case ast.IfExp(body=one, orelse=other):
                found = self.is_whole(one) and self.is_whole(other)
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                found = bool(parts) and all(map(self.is_whole, parts))
            case ast.Call(func=ast.Name(id=name)):
                found = name in ("len", "int", "range")
        return found


def is_compiled(function: ast.FunctionDef) -> bool:
    return any(ast.unparse(made).split("(")[0] in COMPILED for made in function.decorator_list)


def is_int(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "int"


def returns_more(keywords: dict[str, ast.expr]) -> bool:
    return any(name.startswith("return_") for name in keywords)


def has_float(node: ast.expr) -> bool:
    """Return whether an expression shows a number with a point, or one of numpy's that is none or
    endless.
    """
    return any(
        (isinstance(part, ast.Constant) and isinstance(part.value, float))
        or (isinstance(part, ast.Attribute) and part.attr in ("inf", "nan", "pi"))
        for part in ast.walk(node)
    )


@functools.cache
def whole_constants() -> frozenset[str]:
    """Return the names of all constants of modules that are whole numbers wherever they are set."""
    found: dict[str, bool] = {}
    for path in (*PACKAGE.rglob("*.py"), *GAMES.rglob("*.py")):
        for node in tree_of(path).body:
            for name, value in constants_of(node):
                found[name] = found.get(name, True) and Calls().is_whole(value)
    return frozenset(name for name, is_one in found.items() if is_one)


def constants_of(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Yield each name in capital letters that a statement sets, and its value."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        node = ast.Assign([node.target], node.value)
    for target in node.targets if isinstance(node, ast.Assign) else ():
        assert isinstance(node, ast.Assign)
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value] * len(names)
        for name, value in zip(names, values, strict=False):
            if isinstance(name, ast.Name) and name.id.isupper():
                yield name.id, value


def test_numbers_have_64_bits_on_every_machine() -> None:
    found = []
    tests = [
        path
        for path in (ROOT / "tests").rglob("*.py")
        if KERNELS.search(path.read_text(encoding="utf-8"))
    ]
    for path in sorted((*PACKAGE.rglob("*.py"), *GAMES.rglob("*.py"), *tests)):
        strict = path.is_relative_to(PACKAGE) and path.relative_to(PACKAGE).parts[0] in PHYSICS
        complaints = (
            Calls(whole_constants(), strict=strict).complaints(tree_of(path))
            if path not in OWN
            else ()
        )
        found += [f"{path.relative_to(ROOT)}:{line}: {complaint}" for line, complaint in complaints]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "source",
    [
        "np.flatnonzero(values > 0.0)",
        "values.nonzero()[0]",
        "np.argwhere(values)",
        "np.argsort(values)",
        "values.argsort()",
        "np.lexsort((a, b))",
        "np.searchsorted(a, b)",
        "np.bincount(a, minlength=3)",
        "np.repeat(a, counts)",
        "a.repeat(counts)",
        "np.add.reduceat(a, first)",
        "a.take(places, axis=0)",
        "np.take(a, places)",
        "np.unique(a, return_counts=True)",
        "np.argmin(a, axis=1)",
        "np.argmin(a, 1)",
        "a.argmax(1)",
        "np.count_nonzero(a, axis=0)",
        "np.arange(count)",
        "np.cumsum(counts)",
        "counts.cumsum()",
        "a.astype(int)",
        "np.zeros(3, int)",
        "np.zeros(3, dtype=int)",
        "np.array([1, 2])",
        "np.array((FIRST, -FIRST + 2))",
        "np.asarray([len(a) for a in b])",
        "np.full(3, -1)",
        "np.full((3, 2), FIRST)",
        "np.fromiter((int(a) for a in b))",
        "np.where(a, 1, 2)",
        "np.where(a, FIRST, 2 if b else 3)",
        "np.dtype([('a', np.bool_)], align=True)",
        "def f():\n    return np.arange(3)",
    ],
)
def test_a_bare_call_is_found(source: str) -> None:
    tree = ast.parse(source)
    (found,) = Calls(frozenset({"FIRST"})).complaints(tree)
    assert found[0] == len(source.splitlines())
    assert "np.int64" in found[1] or "of ecs_softbody." in found[1]


@pytest.mark.parametrize(
    "source", ["np.array([a, b])", "np.full(3, a)", "np.asarray([f(a) for a in b])"]
)
def test_the_physics_names_the_types_of_what_it_writes_out(source: str) -> None:
    assert not list(Calls().complaints(ast.parse(source)))
    assert len(list(Calls(strict=True).complaints(ast.parse(source)))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "flatnonzero(values)",
        "np.arange(3, dtype=np.int64)",
        "np.arange(0.0, 1.0, 0.1)",
        "np.cumsum(a, dtype=np.float64)",
        "np.array([1, 2], np.int64)",
        "np.array([0.5, 2])",
        "np.array(rows)",
        "np.full(3, np.inf)",
        "np.where(a, 1.0, 2.0)",
        "np.where(a, rows, 0)",
        "np.argmax(a)",
        "np.unique(a)",
        "np.zeros(3, float)",
        "isinstance(a, int)",
        "itertools.repeat(a)",
        "@inline\ndef f(a):\n    return a.argsort()",
    ],
)
def test_other_calls_are_left_alone(source: str) -> None:
    assert not list(Calls(strict=True).complaints(ast.parse(source)))


def test_indices_are_those_of_numpy_with_64_bits() -> None:
    values = np.array([3, 0, 2, 0, 3], np.int32)
    for found, numpys in (
        (indices.arange(2, 9, 3), np.arange(2, 9, 3)),
        (indices.full(3, 7), np.full(3, 7)),
        (indices.flatnonzero(values), np.flatnonzero(values)),
        (indices.nonzero(values)[0], np.nonzero(values)[0]),
        (indices.argwhere(values), np.argwhere(values)),
        (indices.argsort(values, kind="stable"), np.argsort(values, kind="stable")),
        (indices.lexsort((values,)), np.lexsort((values,))),
        (
            indices.searchsorted([1, 2], values, side="right"),
            np.searchsorted([1, 2], values, side="right"),
        ),
        (indices.unique(values, return_counts=True)[1], np.unique(values, return_counts=True)[1]),
        (indices.bincount(values, minlength=6), np.bincount(values, minlength=6)),
        (indices.argmax(values.reshape(1, 5), axis=1), np.argmax(values.reshape(1, 5), axis=1)),
        (indices.argmin(values.reshape(1, 5), axis=1), np.argmin(values.reshape(1, 5), axis=1)),
    ):
        assert found.dtype == np.int64
        assert found.tolist() == numpys.tolist()


def test_counts_and_places_of_64_bits_are_taken() -> None:
    counts = np.array([1, 2], np.int64)
    assert indices.repeat([0.5, 1.5], counts).tolist() == [0.5, 1.5, 1.5]
    assert indices.sums_at(counts, [0.5, 1.5], 4).tolist() == [0.0, 0.5, 1.5, 0.0]
    assert indices.taken(np.eye(3), counts).tolist() == [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert indices.reduceat(np.add, np.ones(4), counts).tolist() == [1.0, 2.0]
