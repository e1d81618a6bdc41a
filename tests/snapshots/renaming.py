"""A copy of the package in which private attributes of stages and helpers have other names."""

from __future__ import annotations

import ast
import json
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

import esper

import ecs_softbody
from ecs_softbody.parallel.library import LIST, digest_of, read_list, sealed

PACKAGE = Path(ecs_softbody.__file__).parent
ROOMS = "storage", "components", "collision", "fracture", "processors", "simulation", "state"
"""Those of the engine that have objects with attributes."""
OTHERS = {"_replace", "_asdict", "_fields", "_make", *dir(esper)}
"""Names of tuples, and of a package that is not ours."""
SUFFIX = "_by_another_name"


def sources() -> list[Path]:
    """Return the sources of the engine's rooms, relative to the package."""
    return [
        path.relative_to(PACKAGE)
        for room in ROOMS
        for path in sorted((PACKAGE / room).rglob("*.py"))
    ]


def private_attributes() -> list[str]:
    """Return the names of all private attributes that the engine's objects give themselves."""
    found = set()
    for source in sources():
        for node in ast.walk(ast.parse((PACKAGE / source).read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.ctx, ast.Store)
                and is_self(node.value)
            ):
                found.add(node.attr)
            elif isinstance(node, ast.ClassDef):
                found |= {each.target.id for each in node.body if isinstance(each, ast.AnnAssign)
                          and isinstance(each.target, ast.Name)}  # fmt: skip
    return sorted(
        name for name in found - OTHERS if name.startswith("_") and not name.startswith("__")
    )


def is_self(node: ast.expr) -> bool:
    """Return whether an expression is the object itself."""
    return isinstance(node, ast.Name) and node.id == "self"


def renamed(text: str, names: Collection[str]) -> str:
    """Return a source in which these attributes have other names, also where a text names them."""
    lines = text.encode().splitlines(keepends=True)
    for line, column, name in sorted(set(places(ast.parse(text), names)), reverse=True):
        content = lines[line - 1]
        at = content.index(name.encode(), column)
        lines[line - 1] = content[: at + len(name)] + SUFFIX.encode() + content[at + len(name) :]
    return b"".join(lines).decode()


def places(tree: ast.Module, names: Collection[str]) -> Iterator[tuple[int, int, str]]:
    """Yield line, column and name of all that has one of these names; the name stands there or
    behind.
    """
    parts = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        if id(node) in parts:
            continue  # a piece of a longer text
        if isinstance(node, ast.Attribute) and node.attr in names:
            yield node.end_lineno or 0, (node.end_col_offset or 0) - len(node.attr), node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not is_doc(node):
            for part in node.value.split("."):
                if part in names and node.value.replace(".", "").isidentifier():
                    yield node.lineno, node.col_offset, part
        elif isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.FunctionDef) and each.name in names:
                    yield each.lineno, each.col_offset, each.name
                target = (
                    each.targets[0]
                    if isinstance(each, ast.Assign)
                    else getattr(each, "target", None)
                )
                if isinstance(target, ast.Name) and target.id in names:
                    yield target.lineno, target.col_offset, target.id


def is_doc(node: ast.Constant) -> bool:
    """Return whether a text is longer than a name could be."""
    return len(node.value) > 100 or " " in node.value


class Copy:
    """A copy of the package: kernels stay as they were built, for they know no attributes of
    objects.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(
            PACKAGE, folder / "ecs_softbody", ignore=shutil.ignore_patterns("__pycache__")
        )
        self._package = folder / "ecs_softbody"

    def rename(self, names: Collection[str]) -> int:
        """Have these attributes renamed, and no others; return in how many files."""
        changed = 0
        for source in sources():
            text = (PACKAGE / source).read_text(encoding="utf-8")
            new = renamed(text, names) if any(name in text for name in names) else text
            changed += new != text
            (self._package / source).write_text(new, encoding="utf-8")
        self._take_for_built()
        return changed

    def _take_for_built(self) -> None:
        listed = read_list(PACKAGE / "compiled")
        for name, built in listed["sources"].items():
            if digest_of(PACKAGE / name) == built:
                listed["sources"][name] = digest_of(self._package / name)
        (self._package / "compiled" / LIST).write_bytes(sealed(json.loads(json.dumps(listed))))
