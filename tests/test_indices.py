"""Indices and counts have 64 bits on every machine: nobody asks numpy for those of the machine's addresses.

Where addresses have 32 bits, as in a browser, whole numbers of numpy's own choice have 32, too, and kernels and columns
refuse them. `ecs_softbody.indices` has the same functions with 64 bits.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

from tests.helpers.sources import tree_of

ROOT = Path(__file__).parents[1]
PLACES = (ROOT / "ecs_softbody", ROOT / "games" / "ecs_softbody_games")
ALLOWED = ROOT / "ecs_softbody" / "indices.py"
COMPILED = {"entry", "kernel", "inline", "template"}
"""What decorates kernels: they make no arrays, and numba knows the functions of numpy."""

FINDERS = {"flatnonzero", "nonzero", "argwhere", "argsort", "lexsort", "searchsorted", "bincount", "repeat", "reduceat"}
ALONG_AN_AXIS = {"argmax", "argmin", "count_nonzero"}
"""Without an axis they return one number."""
UNTYPED = {"arange": 3, "cumsum": 2}
"""Their type has to be named: how many arguments may stand before it."""
MAKERS = {"array": 0, "asarray": 0, "ascontiguousarray": 0, "full": 1, "full_like": 1, "fromiter": 0}
"""Their type has to be named where whole numbers are given: by which argument. The type follows it."""
CURE = "has as many bits as the machine's addresses:"


def bare_calls(tree: ast.Module, whole: frozenset[str] = frozenset()) -> Iterator[tuple[int, str]]:
    """Yield (line, complaint) of each call that makes numbers of as many bits as addresses, or takes only these.

    whole: names of constants that are whole numbers.
    """
    kernels = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and is_compiled(node)]
    compiled = {id(node) for kernel in kernels for node in ast.walk(kernel)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and id(node) not in compiled:
            complaint = complaint_about(node, node.func, whole)
            if complaint:
                yield node.lineno, complaint


def is_compiled(function: ast.FunctionDef) -> bool:
    return any(ast.unparse(made).split("(")[0] in COMPILED for made in function.decorator_list)


def complaint_about(call: ast.Call, function: ast.Attribute, whole: frozenset[str]) -> str:
    """Return what is wrong with a call of an attribute, and the cure; "" for nothing."""
    name, owner = function.attr, ast.unparse(function.value)
    is_numpy = owner == "np"
    said = f"np.{name}" if is_numpy else f".{name}"
    keywords = {keyword.arg or "": keyword.value for keyword in call.keywords}
    if (is_numpy or name in ("astype", "view")) and any(
        isinstance(given, ast.Name) and given.id == "int" for given in (*call.args, *keywords.values())
    ):
        return f"{said} of the type int {CURE} say np.int64"
    if owner == "itertools":
        return ""
    if name in FINDERS or (is_numpy and name == "unique" and any(key.startswith("return_") for key in keywords)):
        return f"{said} {CURE} take {name} of ecs_softbody.indices"
    if name in ALONG_AN_AXIS and ("axis" in keywords or len(call.args) > int(is_numpy)):
        return f"{said} along an axis {CURE} take {name} of ecs_softbody.indices"
    if (is_numpy or name == "cumsum") and name in UNTYPED and "dtype" not in keywords:
        if len(call.args) <= UNTYPED[name] and not any(has_float(given) for given in call.args):
            return f"{said} {CURE} name its type, or take arange of ecs_softbody.indices"
    if is_numpy and name in MAKERS and "dtype" not in keywords:
        given = call.args[MAKERS[name] :]
        if len(given) == 1 and is_whole(given[0], whole):
            return f"{said} of whole numbers {CURE} say np.int64"
    if is_numpy and name == "where" and len(call.args) == 3 and all(is_whole(given, whole) for given in call.args[1:]):
        return f"{said} of two whole numbers {CURE} say np.int64"
    return ""


def has_float(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Constant) and isinstance(part.value, float) for part in ast.walk(node))


def is_whole(node: ast.expr, whole: frozenset[str]) -> bool:
    """Return whether an expression is seen to be a whole number, or several."""
    match node:
        case ast.Constant(value=value):
            return type(value) is int
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in whole
        case ast.UnaryOp(operand=one):
            return is_whole(one, whole)
        case ast.BinOp(left=left, op=op, right=right):
            return not isinstance(op, ast.Div) and is_whole(left, whole) and is_whole(right, whole)
        case ast.IfExp(body=one, orelse=other):
            return is_whole(one, whole) and is_whole(other, whole)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return bool(parts) and all(is_whole(part, whole) for part in parts)
        case ast.ListComp(elt=one) | ast.GeneratorExp(elt=one):
            return is_whole(one, whole)
        case ast.Call(func=ast.Name(id=name)):
            return name in ("len", "int", "range")
    return False


@functools.cache
def whole_constants() -> frozenset[str]:
    """Return the names of all constants of modules that are whole numbers wherever they are set."""
    found: dict[str, bool] = {}
    for place in PLACES:
        for path in place.rglob("*.py"):
            for node in tree_of(path).body:
                for name, value in constants_of(node):
                    found[name] = found.get(name, True) and is_whole(value, frozenset())
    return frozenset(name for name, is_one in found.items() if is_one)


def constants_of(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Yield each name in capital letters that a statement sets, and its value."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        node = ast.Assign([node.target], node.value)
    if not isinstance(node, ast.Assign):
        return
    for target in node.targets:
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value] * len(names)
        for name, value in zip(names, values, strict=len(names) > 1):
            if isinstance(name, ast.Name) and name.id.isupper():
                yield name.id, value


def test_numbers_have_64_bits_on_every_machine() -> None:
    files = [path for place in PLACES for path in sorted(place.rglob("*.py")) if path != ALLOWED]
    found = [
        f"{path.relative_to(ROOT)}:{line}: {complaint}"
        for path in files
        for line, complaint in bare_calls(tree_of(path), whole_constants())
    ]
    assert not found, "\n".join(found)
