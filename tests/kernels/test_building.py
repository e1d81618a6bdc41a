"""The build: for which processors, and for other systems."""

import ast
import contextlib
import importlib
import importlib.util
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from operator import attrgetter
from pathlib import Path
from zipfile import ZipFile

import llvmlite.binding
import pytest

from ecs_softbody.building import build as building
from ecs_softbody.building.targets import SYSTEMS, V3, best_of, system_here
from ecs_softbody.building.units import Unit, find_units
from ecs_softbody.parallel import jit
from ecs_softbody.parallel.compiling import ENTRIES, IS_PYTHON

MAGIC = {
    "windows-x86_64": b"MZ",
    "linux-aarch64": b"\x7fELF",
    "macos-arm64": b"\xcf\xfa\xed\xfe",
    "macos-x86_64": b"\xcf\xfa\xed\xfe",
}
"""First bytes of a library."""
IMPORTS = """
import gc, sys
from importlib import import_module
sys.modules |= dict.fromkeys(sys.argv[1:])
from ecs_softbody.building import __main__, leaner, units, worker
leaner.make_leaner()
for unit in units.find_units():
    import_module(unit.module)
from ecs_softbody.parallel.compiling import Kernel
called = [kernel.function for kernel in gc.get_objects() if isinstance(kernel, Kernel) and kernel._compiled]
sys.exit(f"called where a module is imported: {called}" if called else 0)
"""
"""Imports all that the build imports, without some packages. A kernel that numba compiles meanwhile
is not compiled as the build does it: where its code came from the files of another process, a unit
lacked what that calls.
"""


@pytest.mark.parametrize(
    ("missing", "best"), [("", "x86-64-v3"), ("avx2", "x86-64-v2"), ("bmi2", "x86-64-v2")]
)
def test_an_install_that_stays_here_has_the_best_level_of_the_processor(monkeypatch, missing, best):
    found = {feature: feature != missing for feature in V3}
    monkeypatch.setattr(llvmlite.binding, "get_host_cpu_features", lambda: found)
    assert [target.name for target in best_of(SYSTEMS["linux-x86_64"])] == [best]
    assert best_of(SYSTEMS["linux-aarch64"]) == SYSTEMS["linux-aarch64"]


@pytest.mark.slow
def test_modules_with_kernels_import_what_the_build_has_and_nothing_else(monkeypatch):
    root = Path(__file__).parents[2]
    hook = (root / "ecs_softbody" / "building" / "backend" / "hatch_build.py").read_text()
    imported = ast.literal_eval(re.search("^IMPORTED = (.*)", hook, re.MULTILINE)[1])
    names = [
        re.match(r"\w+", line)[0]
        for line in tomllib.loads((root / "pyproject.toml").read_text())["project"]["dependencies"]
    ]
    assert set(imported) < set(names)
    monkeypatch.setenv("ECS_SOFTBODY_KERNELS", "numba")
    subprocess.run([sys.executable, "-c", IMPORTS, *(set(names) - set(imported))], check=True)


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("system", MAGIC)
def test_a_library_for_another_system_is_linked_here(system, monkeypatch, tmp_path):
    pytest.importorskip("ziglang", reason="needs the dependency group dev")
    unit = next(
        unit for unit in find_units() if unit.module == "ecs_softbody.kernels.forces.gravity"
    )
    monkeypatch.setattr(building, "find_units", lambda: [unit])
    building.build(system, tmp_path / "dist", tmp_path / "objects")
    listed = json.loads((tmp_path / "dist" / "kernels.json").read_text())
    assert list(listed["entries"]) == ["ecs_softbody.kernels.forces.gravity:accumulate_gravity"]
    extension = tmp_path / "dist" / ("_calls.pyd" if "windows" in system else "_calls.abi3.so")
    assert extension.read_bytes().startswith(MAGIC[system])
    for name in listed["libraries"].values():
        library = (tmp_path / "dist" / name).read_bytes()
        assert library.startswith(MAGIC[system])
        assert b"kernels_forces_gravity__accumulate_gravity" in library


def test_sources_that_change_during_a_build_leave_no_objects(monkeypatch, tmp_path):
    source = tmp_path / "gravity.py"
    source.write_text("before")
    objects = tmp_path / "objects"

    class Edited(contextlib.nullcontext):
        def __enter__(self):
            return self

        def compile(self, unit, orders):
            for path in orders:
                Path(path).write_bytes(b"of before")
            source.write_text("after")
            return {"gravity": ""}

    monkeypatch.setattr(building, "Worker", Edited)
    unit = Unit("ecs_softbody.gravity", ("gravity",), (source,))
    with pytest.raises(RuntimeError, match=r"ecs_softbody\.gravity: its sources changed meanwhile"):
        building.compile_units([unit], SYSTEMS["wasm"], objects, building.say_nothing)
    assert list(objects.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(IS_PYTHON, reason="nothing is compiled")
def test_an_entry_that_calls_itself_is_compiled_before_all_others(tmp_path):
    """Which one a process of the build begins with depends on how busy the machine is."""
    units = [
        unit
        for unit in find_units()
        if any(calls_itself(unit.module, name) for name in unit.entries)
    ]
    assert units
    for unit in units:
        signatures = building.compile_units(
            [unit], best_of(SYSTEMS[system_here()]), tmp_path, building.say_nothing
        )
        assert signatures.keys() == {f"{unit.module}:{name}" for name in unit.entries}


def calls_itself(module: str, name: str) -> bool:
    """Return whether a kernel has its own name among those that it uses."""
    importlib.import_module(module)
    return name in ENTRIES[f"{module}:{name}"].__code__.co_names


@pytest.mark.skipif(IS_PYTHON, reason="nothing is compiled")
def test_a_kernel_stays_a_function_whoever_calls_it_first(monkeypatch):
    """Loops over arrays become loops of vectors only while the arrays are arguments."""

    monkeypatch.setattr(jit, "KEEPS_FILES", False)

    def double(x):
        return 2.0 * x

    def use(x):
        return called(x) + 1.0

    called = jit.compile_kernel(double)
    assert jit.compile_kernel(use, forceinline=True)(3.0) == 7.0
    (code,) = called.inspect_llvm().values()
    assert "define" in code
    assert "alwaysinline" not in code


BUILT = """
import json
from pathlib import Path
compiled = Path(__file__).parents[1] / "compiled"
(compiled / "kernels-new.bin").write_text("code")
(compiled / "kernels.json").write_text(json.dumps({"files": {"kernels-new.bin": ""}}))
"""
"""Stands for a build."""
LOWERED = """
import hashlib, sys
from importlib import import_module
from ecs_softbody.building import leaner, lowering, quicker, targets, units
if sys.argv[1] == "quicker":
    quicker.make_quicker()
if sys.argv[1] == "leaner":
    leaner.make_leaner()
target = targets.SYSTEMS["linux-x86_64"][0]
lowering.prepare(target)
for unit in units.find_units():
    if unit.module.rpartition(".")[2] in ("grid", "margins"):
        module = import_module(unit.module)
        code = lowering.lower({symbol: getattr(module, name) for name, symbol in unit.symbols.items()})
        print(len(code), hashlib.sha256(lowering.emit(code, target)).hexdigest())
"""
PATCHED = {
    "numba.np.arrayobj:make_array": ["array_type"],
    "numba.np.arrayobj:fix_integer_index": ["context", "builder", "idxty", "idx", "size"],
    "numba.core.lowering:Lower._find_singly_assigned_variable": ["self"],
    "numba.core.lowering:Lower.storevar": ["self", "value", "name", "argidx"],
    "llvmlite.ir:IRBuilder.extract_value": ["self", "agg", "idx", "name"],
    "numba.core.postproc:PostProcessor.run": ["self", "emit_dels", "extend_lifetimes"],
    "numba.core.typed_passes:NopythonRewrites.run_pass": ["self", "state"],
    "numba.core.types.functions:BaseFunction.get_call_type": ["self", "context", "args", "kws"],
    "numba.core.base:BaseContext.get_abi_sizeof": ["self", "ty"],
    "numba.core.ir:Inst._rec_list_vars": ["self", "val"],
    "numba.core.targetconfig:TargetConfig.values": ["self"],
}
"""What leaner.py and quicker.py replace in numba, and its parameters."""


def test_objects_of_a_module_that_moved_are_its_own():
    unit = find_units()[0]
    moved = Unit(f"{unit.module}_moved", unit.entries, unit.sources)
    assert moved.key("signatures") != unit.key("signatures")


@pytest.mark.parametrize("name", PATCHED)
def test_what_the_build_replaces_in_numba_is_there_and_called_alike(name):
    module, _, path = name.partition(":")
    replaced = attrgetter(path)(pytest.importorskip(module))
    assert list(inspect.signature(replaced).parameters) == PATCHED[name]


@pytest.mark.slow
def test_what_makes_the_build_quicker_changes_no_byte_and_what_makes_it_leaner_takes_code_away(
    monkeypatch,
):
    monkeypatch.setenv("ECS_SOFTBODY_KERNELS", "numba")
    plain, quicker, leaner = (
        subprocess.run(
            [sys.executable, "-c", LOWERED, way], capture_output=True, text=True, check=True
        ).stdout
        for way in ("plain", "quicker", "leaner")
    )
    assert len(plain.splitlines()) == 2
    assert quicker == plain
    for lean, full in zip(leaner.splitlines(), plain.splitlines(), strict=True):
        assert int(lean.split()[0]) < 0.8 * int(full.split()[0])


def test_what_is_built_is_built_again_only_after_a_change(tmp_path):
    folder = Path(__file__).parents[2] / "ecs_softbody" / "building" / "backend"
    spec = importlib.util.spec_from_file_location("stamp", folder / "stamp.py")
    stamp = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stamp)
    package = tmp_path / "ecs_softbody"
    files = [
        package / name
        for name in ("one.py", "room/two.py", "building/calls.c", "compiled/kernels.bin")
    ]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("as it was")
    assert not stamp.is_built(package)
    for file in files:
        stamp.note_build(package)
        assert stamp.is_built(package)
        file.write_text("another")
        assert not stamp.is_built(package)
    stamp.note_build(package)
    files[-1].unlink()
    assert not stamp.is_built(package)


@pytest.mark.slow
@pytest.mark.parametrize("outcome", ["not built", "failed", "built"])
def test_a_wheel_has_what_its_own_build_made_and_nothing_from_before(
    outcome, monkeypatch, tmp_path
):
    """A library from before is in every folder whose editable install was built."""
    pytest.importorskip("hatchling", reason="needs the dependency group dev")
    root = Path(__file__).parents[2]
    copy = tmp_path / "copy"
    for name in ("ecs_softbody", "games"):
        shutil.copytree(
            root / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "wasm")
        )
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(root / name, copy / name)
    package = copy / "ecs_softbody"
    before = ("kernels.json", "_calls.abi3.so", "kernels-old.bin")
    for name in before:
        (package / "compiled" / name).write_text("from before")
    building = {"failed": "import sys\nsys.exit('no compiler')", "built": BUILT}.get(outcome, "")
    (package / "building" / "__main__.py").write_text(building)
    (tmp_path / "dist").mkdir()
    monkeypatch.syspath_prepend(package / "building" / "backend")
    places = os.pathsep.join(map(str, sys.path))
    environment = {
        **os.environ,
        "PYTHONPATH": places,
        "ECS_SOFTBODY_BUILD": "0" if outcome == "not built" else "",
    }
    command = [
        sys.executable,
        "-c",
        f"import kernels_backend; kernels_backend.build_wheel({str(tmp_path / 'dist')!r})",
    ]
    ended = subprocess.run(
        command, cwd=copy, env=environment, check=False, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    [wheel] = (tmp_path / "dist").iterdir()
    with ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if name.startswith("ecs_softbody/compiled/")}
    names = {"kernels.json", "kernels-new.bin"} if outcome == "built" else set()
    assert found == {f"ecs_softbody/compiled/{name}" for name in ("__init__.py", *names)}
    assert ("-py3-none-any" in wheel.name) == (outcome != "built")
    assert all((package / "compiled" / name).exists() for name in before)
