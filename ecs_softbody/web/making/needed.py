"""Needed: finds the modules of Python, numpy and Pillow that a page needs, by following imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+\(?([\w, \t]+)|import[ \t]+([\w., \t]+))",
    re.MULTILINE,
)
"""Finds imports in a source that this Python cannot parse, if the page's Python is newer."""

SHALLOW = {"numpy/__init__.py"}
"""Files whose functions import lazily: the attributes used in games' sources name the modules they
import.
"""


def module_of(name: str) -> str:
    """Return the dotted name of the module in a file, or "" for another file."""
    stem = name.removesuffix(".py") if name.endswith(".py") else name.partition(".")[0]
    if stem == name or not name.endswith((".py", ".so")):
        return ""
    return stem.removesuffix("/__init__").replace("/", ".")


def needed(
    files: Mapping[str, bytes], ours: Iterable[str], roots: Iterable[str], never: Iterable[str]
) -> set[str]:
    """Return the names of the files of all modules that are imported, directly or by others.

    Args:
        files: content by name, of all available files.
        ours: names of files whose attributes count as imports as well: `numpy.random` needs no
            separate import.
        roots: dotted names that are always needed.
        never: dotted names left out with their submodules: no page can use them.
    """
    file_of = {module: name for name in files if (module := module_of(name))}
    mine = set(ours)
    unwanted = tuple(never)
    wanted = [*roots, *(module_of(name) for name in mine)]
    found: set[str] = set()
    while wanted:
        parts = wanted.pop().split(".")
        for length in range(1, len(parts) + 1):
            module = ".".join(parts[:length])
            name = file_of.get(module, "")
            if (
                not name
                or name in found
                or any(f"{module}.".startswith(f"{each}.") for each in unwanted)
            ):
                continue
            found.add(name)
            if name.endswith(".py"):
                wanted += imported(
                    name,
                    files[name],
                    with_attributes=name in mine,
                    into_functions=name not in SHALLOW,
                )
    return found


@lru_cache(maxsize=4096)
def imported(
    name: str, source: bytes, *, with_attributes: bool = False, into_functions: bool = True
) -> frozenset[str]:
    """Return the dotted names that a source may import; some are names inside a module.

    Args:
        name: of its file, to resolve relative imports.
        source: its text.
        with_attributes: whether `numpy.random`, an attribute of an imported module, counts.
        into_functions: whether imports in functions count.
    """
    parts = module_of(name).split(".")
    package = parts if name.endswith("__init__.py") else parts[:-1]
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return frozenset(_imported_by_text(source, package))
    found: set[str] = set()
    alias: dict[str, str] = {}
    for node in _nodes(tree, into_functions=into_functions):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
            alias |= {each.asname or each.name: each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = _base("." * node.level + (node.module or ""), package)
            found |= {base, *(f"{base}.{each.name}" for each in node.names)}
            alias |= {each.asname or each.name: f"{base}.{each.name}" for each in node.names}
    if with_attributes:
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in alias
            ):
                found.add(f"{alias[node.value.id]}.{node.attr}")
    return frozenset(found)


def _nodes(tree: ast.AST, *, into_functions: bool) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        yield node
        if into_functions or not isinstance(node, ast.FunctionDef):
            yield from _nodes(node, into_functions=into_functions)


def _imported_by_text(source: bytes, package: list[str]) -> Iterator[str]:
    for match in IMPORT.finditer(source):
        origin, names, plain = (part.decode() if part else "" for part in match.groups())
        for each in (names or plain).split(","):
            name = each.split(" as ")[0].strip()
            yield f"{_base(origin, package)}.{name}" if origin else name


def _base(origin: str, package: list[str]) -> str:
    """Return the dotted name of a `from` import's module; leading dots are relative to a
    package.
    """
    name = origin.lstrip(".")
    level = len(origin) - len(name)
    above = package[: len(package) - level + 1] if level else []
    return ".".join([*above, *([name] if name else [])])
