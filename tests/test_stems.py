"""Every file of kernels has a test: one that imports it, or one named here that tests what calls it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS_OF_KERNELS = ("kernels", "geometry", "elementary", "parallel", "collision", "rendering")
COMPILED = re.compile(r"^@(kernel|inline|template|entry)\b", re.MULTILINE)
IMPORTED = re.compile(r"^\s*from ([\w.]+) import (\([^)]*\)|.*)", re.MULTILINE)

TESTED_THROUGH = {
    # the steps of one solver: what it finds as a whole is checked against closed forms
    "kernels/joints": "joints",
    # Archimedes' law, for whole bodies
    "kernels/fluids/buoyancy.py": "simulation/test_water.py",
    # one call for each explosion, not for each step
    "kernels/forces/explosion.py": "simulation/test_explosions.py",
    # a search as a whole, against one that compares everything with everything
    "collision/detect": "collision/test_finding.py",
    "collision/query": "collision/test_queries.py",
    # contacts as a whole, by momentum, energy, rest and Coulomb's law
    "collision/impacts": "collision/test_impacts.py",
    "collision/recover": "collision/test_recovery.py",
    "collision/reflection": "collision/test_reflections.py",
    "collision/seams": "collision/test_seams.py",
    "collision/solve": "collision/test_momentum.py",
    # pictures as a whole, against recorded ones
    "rendering/backend": "rendering/test_backend.py",
    "rendering/mesh": "rendering/test_body_mesh.py",
}
"""Files or folders whose kernels are tested by way of what calls them, and where in `tests`."""


def kernel_files(package: Path) -> list[str]:
    """Return the files, below the package, that hold a compiled function."""
    return [
        path.relative_to(package).as_posix()
        for room in ROOMS_OF_KERNELS
        for path in sorted((package / room).rglob("*.py"))
        if COMPILED.search(path.read_text(encoding="utf-8"))
    ]


def modules_of_tests(tests: Path) -> set[str]:
    """Return the modules and names that tests import with `from ... import ...`."""
    found = set()
    for path in tests.rglob("*.py"):
        for module, names in IMPORTED.findall(path.read_text(encoding="utf-8")):
            found.add(module)
            found |= {f"{module}.{name}" for name in re.findall(r"\w+", names)}
    return found


def untested(package: Path, tests: Path, through: dict[str, str]) -> list[str]:
    """Return the kernel files that no test imports and that `through` does not have."""
    known = modules_of_tests(tests)
    found = []
    for file in kernel_files(package):
        module = ".".join((package.name, *Path(file).with_suffix("").parts))
        if module not in known and not any(
            file == way or file.startswith(f"{way}/") for way in through
        ):
            found.append(file)
    return found


def test_every_file_of_kernels_has_a_test() -> None:
    assert untested(ROOT / "ecs_softbody", ROOT / "tests", TESTED_THROUGH) == []


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
