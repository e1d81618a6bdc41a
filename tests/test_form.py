"""The form of the sources: statements that are not packed, few parameters, no circle of imports."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.helpers.sources import tree_of

ROOT = Path(__file__).parents[1]
PACKAGES = {
    "ecs_softbody": ROOT / "ecs_softbody",
    "ecs_softbody_games": ROOT / "games" / "ecs_softbody_games",
}

MOST_PARAMETERS = 12
MOST_PARAMETERS_OF_95_IN_100 = 8
KEYWORDS_ARE_OPTIONS = {"blueprints", "components"}
"""Rooms whose keyword-only parameters are options of what a user makes: they are not counted."""

MOST_PACKED = 0.03
"""Share of assignments that are several packed into one: a swap is one, three constants are none."""

COMPILED = {"kernel", "inline", "template", "entry"}
SAY_NOTHING = {
    "apply",
    "do",
    "go",
    "handle",
    "iterate",
    "loop",
    "main",
    "move",
    "process",
    "run",
    "turn",
    "work",
}
"""Names of kernels that would not tell what is computed."""

FILES_AT_THE_ROOT = {
    ".gitignore", ".pre-commit-config.yaml", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE",
    "README.md", "mkdocs.yml", "pyproject.toml",
}  # fmt: skip

Function = ast.FunctionDef | ast.AsyncFunctionDef


def sources(package: Path) -> list[Path]:
    return sorted(package.rglob("*.py"))


def functions(package: Path) -> Iterator[tuple[str, Function]]:
    """Yield (file below the package, function) for every function and method, nested ones too."""
    for path in sources(package):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, Function):
                yield path.relative_to(package).as_posix(), node


def parameters(file: str, function: Function) -> int:
    """Return how many parameters a function has, `self` and keyword-only ones counted."""
    asked = function.args
    options = 0 if file.split("/", maxsplit=1)[0] in KEYWORDS_ARE_OPTIONS else len(asked.kwonlyargs)
    return len(asked.posonlyargs) + len(asked.args) + options


def long_parameter_lists(package: Path) -> list[str]:
    found = []
    for file, function in functions(package):
        count = parameters(file, function)
        if count > MOST_PARAMETERS:
            found.append(f"{file}:{function.lineno}: {function.name} has {count} parameters")
    return found


def parameters_of_95_in_100(package: Path) -> int:
    counts = sorted(parameters(*found) for found in functions(package))
    return counts[int(0.95 * len(counts))]


def is_compiled(function: Function) -> bool:
    """Tell whether numba compiles the function: a decorator of `parallel/compiling.py` says so."""
    decorators = [
        node.func if isinstance(node, ast.Call) else node for node in function.decorator_list
    ]
    return any(ast.unparse(node).split(".")[-1] in COMPILED for node in decorators)


def packed_share(package: Path) -> float:
    """Return the share of assignments of several values to several names in all assignments."""
    found = [
        node
        for path in sources(package)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Assign)
    ]
    packed = [
        isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple)
        for node in found
    ]
    return sum(packed) / max(len(found), 1)


def names_that_say_nothing(package: Path) -> list[str]:
    return [
        f"{file}:{function.lineno}: a kernel called {function.name}"
        for file, function in functions(package)
        if is_compiled(function) and function.name.strip("_") in SAY_NOTHING
    ]


def arrows(package: Path) -> dict[str, set[str]]:
    """Return what each module of a package imports of that package, inside functions and under
    TYPE_CHECKING too.

    A name that is a module counts as that module, any other name as the module (or the `__init__`)
    that holds it.
    """
    files = {}
    for path in sources(package):
        parts = path.relative_to(package.parent).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    found: dict[str, set[str]] = {}
    for module, path in files.items():
        targets = set()
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Import):
                targets |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                whole = [f"{node.module}.{alias.name}" for alias in node.names]
                targets |= {name if name in files else node.module for name in whole}
        found[module] = {target for target in targets if target in files and target != module}
    return found


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the modules that reach themselves, those of one circle (or of several that touch)
    together.
    """
    reached = {module: reachable(graph, module) for module in graph}
    found = {
        tuple(sorted(other for other in reached[module] if module in reached[other]))
        for module in graph
    }
    return sorted(list(circle) for circle in found if circle)


def reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    ahead = list(graph[start])
    while ahead:
        module = ahead.pop()
        if module not in found:
            found.add(module)
            ahead += graph[module]
    return found


def stray_files(tracked: list[str]) -> list[str]:
    return [name for name in tracked if "/" not in name and name not in FILES_AT_THE_ROOT]


Check = Callable[[Path], list[str]]
CHECKS: list[Check] = [long_parameter_lists, names_that_say_nothing]


@pytest.mark.brief(2)
@pytest.mark.parametrize("name", PACKAGES)
@pytest.mark.parametrize("check", CHECKS)
def test_the_sources_keep_the_form(check: Check, name: str) -> None:
    found = check(PACKAGES[name])
    assert not found, "\n".join(found)


@pytest.mark.brief(2)
@pytest.mark.parametrize("name", PACKAGES)
def test_few_functions_have_many_parameters(name: str) -> None:
    assert parameters_of_95_in_100(PACKAGES[name]) <= MOST_PARAMETERS_OF_95_IN_100


@pytest.mark.parametrize("name", PACKAGES)
def test_statements_are_not_packed(name: str) -> None:
    assert packed_share(PACKAGES[name]) < MOST_PACKED


@pytest.mark.brief(2)
@pytest.mark.parametrize("name", PACKAGES)
def test_no_file_imports_itself_by_way_of_others(name: str) -> None:
    found = [" <-> ".join(circle) for circle in circles(arrows(PACKAGES[name]))]
    assert not found, "\n".join(found)


def test_no_stray_files_at_the_root() -> None:
    told = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if told.returncode:
        pytest.skip("not a git checkout")
    assert stray_files(told.stdout.splitlines()) == []


def asks_for(count: int) -> str:
    return ", ".join(f"a{k}" for k in range(count))


@pytest.mark.parametrize(
    ("check", "file", "good", "bad", "complaint"),
    [
        (
            long_parameter_lists,
            "a.py",
            f"def f({asks_for(12)}): ...",
            f"def f({asks_for(13)}): ...",
            "13 parameters",
        ),
        (
            long_parameter_lists,
            "a.py",
            "def f(a, *, b): ...",
            f"def f(self, *, {asks_for(12)}): ...",
            "13 parameters",
        ),
        (
            long_parameter_lists,
            "components/a.py",
            f"def f(*, {asks_for(9)}): ...",
            f"def f({asks_for(13)}): ...",
            "13",
        ),
        (
            names_that_say_nothing,
            "a.py",
            "@kernel\ndef add_gravity(): ...",
            "@kernel\ndef _run(): ...",
            "called _run",
        ),
        (
            names_that_say_nothing,
            "a.py",
            "def run(): ...",
            "@inline(cache=True)\ndef move(): ...",
            "called move",
        ),
    ],
)
def test_the_checks_find_what_they_look_for(
    tmp_path: Path, check: Check, file: str, good: str, bad: str, complaint: str
) -> None:
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(good)
    assert check(tmp_path) == []
    path.write_text(bad)
    (found,) = check(tmp_path)
    assert complaint in found


def test_the_check_finds_packed_assignments(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\nb = 2\nc, d = 3, 4\ne, f = a\n")
    assert packed_share(tmp_path) == 0.25


def test_the_check_finds_many_parameters(tmp_path: Path) -> None:
    few = "def f(a): ...\n"
    many = f"def f({asks_for(9)}): ...\n"
    (tmp_path / "a.py").write_text(96 * few + 4 * many)
    assert parameters_of_95_in_100(tmp_path) == 1
    (tmp_path / "a.py").write_text(94 * few + 6 * many)
    assert parameters_of_95_in_100(tmp_path) == 9


@pytest.mark.parametrize(
    "back",
    [
        "from p.room.a import f",
        "import p.room.a",
        "from p.room import a",
        "def g():\n    from p.room.a import f",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.room.a import f",
    ],
)
def test_the_check_finds_a_circle(tmp_path: Path, back: str) -> None:
    room = tmp_path / "p" / "room"
    room.mkdir(parents=True)
    for name, source in {
        "a": "from p.room.b import g",
        "b": "from p.room.c import h",
        "c": "",
        "__init__": "",
    }.items():
        (room / f"{name}.py").write_text(source)
    assert circles(arrows(tmp_path / "p")) == []
    (room / "c.py").write_text(back)
    assert circles(arrows(tmp_path / "p")) == [["p.room.a", "p.room.b", "p.room.c"]]


def test_the_check_finds_a_file_that_imports_from_the_init_that_imports_it(tmp_path: Path) -> None:
    room = tmp_path / "p" / "room"
    room.mkdir(parents=True)
    (room / "__init__.py").write_text("from p.room.a import f")
    (room / "a.py").write_text("from p.room import g")
    assert circles(arrows(tmp_path / "p")) == [["p.room", "p.room.a"]]


def test_the_check_finds_a_stray_file() -> None:
    assert stray_files(["README.md", "docs/stars.png", "stars.png"]) == ["stars.png"]
