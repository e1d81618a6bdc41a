"""One concept has one stem in each room, up to its test: every file of kernels has a test that
imports it.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.helpers.sources import tree_of

ROOT = Path(__file__).parents[1]
ROOMS_OF_KERNELS = ("kernels", "geometry", "elementary", "parallel")
COMPILED = {"kernel", "inline", "template", "entry"}

TESTED_THROUGH = {
    # the steps of one solver: what it finds as a whole is checked against closed forms
    "kernels/joints": "joints",
    # Archimedes' law, for whole bodies
    "kernels/fluids/buoyancy.py": "simulation/test_water.py",
    # one call for each explosion, not for each step
    "kernels/forces/explosion.py": "simulation/test_explosions.py",
}
"""Files or folders whose kernels are tested by way of what calls them, and where in `tests`."""


def kernel_files(package: Path) -> list[str]:
    """Return the files, below the package,
    of the rooms of kernels that hold a compiled function.
    """
    found = []
    for room in ROOMS_OF_KERNELS:
        for path in sorted((package / room).rglob("*.py")):
            tree = tree_of(path)
            functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
            if any(
                ast.unparse(made).split("(")[0] in COMPILED
                for node in functions
                for made in node.decorator_list
            ):
                found.append(path.relative_to(package).as_posix())
    return found


def modules_of_tests(tests: Path) -> set[str]:
    """Return everything that tests import with `from ... import ...`: modules,
    and names in them.
    """
    found = set()
    for path in tests.rglob("*.py"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module)
                found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def untested(package: Path, tests: Path, through: dict[str, str]) -> list[str]:
    """Return the kernel files that no test imports,
    and that are in no file or folder of `through`.
    """
    known = modules_of_tests(tests)
    found = []
    for file in kernel_files(package):
        module = ".".join((package.name, *Path(file).with_suffix("").parts))
        if module not in known and not any(
            file == way or file.startswith(f"{way}/") for way in through
        ):
            found.append(file)
    return found


@pytest.mark.slow
def test_every_file_of_kernels_has_a_test() -> None:
    assert untested(ROOT / "ecs_softbody", ROOT / "tests", TESTED_THROUGH) == []


@pytest.mark.slow
@pytest.mark.parametrize("way", TESTED_THROUGH)
def test_the_exceptions_are_needed_and_are_tested(way: str) -> None:
    others = {other: where for other, where in TESTED_THROUGH.items() if other != way}
    assert untested(ROOT / "ecs_softbody", ROOT / "tests", others)
    assert (ROOT / "tests" / TESTED_THROUGH[way]).exists()


def test_the_check_finds_a_file_without_a_test(tmp_path: Path) -> None:
    package = tmp_path / "p"
    tests = tmp_path / "tests"
    for folder in (package / "kernels" / "forces", tests):
        folder.mkdir(parents=True)
    (package / "kernels" / "forces" / "wind.py").write_text("@kernel\ndef accumulate_wind(): ...")
    (package / "kernels" / "forces" / "groups.py").write_text("WIND = 1")
    assert untested(package, tests, {}) == ["kernels/forces/wind.py"]
    assert untested(package, tests, {"kernels/forces": "x"}) == []
    assert untested(package, tests, {"kernels/force": "x"}) == ["kernels/forces/wind.py"]
    (tests / "test_wind.py").write_text("from p.kernels.forces.wind import accumulate_wind")
    assert untested(package, tests, {}) == []
    (tests / "test_wind.py").write_text("from p.kernels.forces import wind")
    assert untested(package, tests, {}) == []
