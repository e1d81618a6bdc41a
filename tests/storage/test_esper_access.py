"""Names that are private to esper: used in one file, there in esper, and listed by the decision
about dependencies.
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import esper
import pytest

from tests.helpers.sources import tree_of

ROOT = Path(__file__).parents[2]
ACCESS = ROOT / "ecs_softbody" / "storage" / "esper_access.py"
DECISION = ROOT / "docs" / "decisions" / "0004-dependencies.md"
SOURCES = [
    path
    for room in ("ecs_softbody", "games", "benchmarks", "tests")
    for path in (ROOT / room).rglob("*.py")
]


def private_names(tree: ast.AST) -> set[str]:
    """Return the private names of esper that a source uses: as an attribute, by getattr, or
    imported.
    """
    nodes = list(ast.walk(tree))
    imports = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    called = {alias.asname or alias.name for alias in imports if alias.name == "esper"}
    found = set()
    for node in nodes:
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in called
        ):
            found.add(node.attr)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in (
            "getattr",
            "setattr",
            "hasattr",
            "vars",
        ):
            owner, *rest = [*node.args, ast.Constant("_any")]
            if isinstance(owner, ast.Name) and owner.id in called:
                found.add(str(rest[0].value) if isinstance(rest[0], ast.Constant) else "_any")
        elif isinstance(node, ast.ImportFrom) and node.module == "esper":
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.startswith("_") and not name.startswith("__")}


@pytest.mark.parametrize(
    "source",
    [
        "import esper\nesper._name.clear()",
        "import esper as ecs\nwith ecs._name: pass",
        "import esper\ngetattr(esper, '_name', None)",
        "from esper import _name",
    ],
)
def test_a_private_name_is_found(source: str) -> None:
    assert private_names(ast.parse(source)) == {"_name"}
    assert not private_names(ast.parse(source.replace("_name", "name")))


@pytest.mark.slow
def test_private_names_are_used_in_one_file() -> None:
    using = [path for path in SOURCES if "esper" in path.read_text(encoding="utf-8")]
    assert [path for path in using if private_names(tree_of(path))] == [ACCESS]


def test_the_private_names_are_there_and_listed() -> None:
    used = private_names(tree_of(ACCESS))
    assert used - set(dir(esper)) == set()
    listed = re.search(r"private to esper(.*)", DECISION.read_text(encoding="utf-8"), re.DOTALL)
    assert listed is not None
    assert set(re.findall(r"`(_\w+)`", listed[1])) == used


def test_the_next_major_version_of_esper_is_not_taken() -> None:
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "dependencies"
    ]
    [bounds] = [each for each in asked if each.startswith("esper")]
    assert f"<{int(esper.version.split('.')[0]) + 1}" in bounds
