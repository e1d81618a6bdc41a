"""The library: machine code that was compiled with the package, and how Python calls it."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import ecs_softbody
from ecs_softbody.kernels.forces.gravity import Weighed, accumulate_gravity
from ecs_softbody.parallel import compiling
from ecs_softbody.parallel.library import (
    EXTENSION,
    FOLDER,
    LIST,
    Library,
    Unusable,
    read_list,
    sealed,
)

PACKAGE = Path(ecs_softbody.__file__).parent
needs_library = pytest.mark.skipif(
    compiling.LIBRARY is None, reason="kernels come from elsewhere, or none is built"
)
CALL = """
import sys
import numpy as np
from ecs_softbody.kernels.forces.gravity import Weighed, accumulate_gravity
force = np.zeros((1, 2))
particles = Weighed(np.ones(1), np.ones(1), np.zeros(1, np.uint32), force)
accumulate_gravity(np.array([(0, 1)]), particles, np.ones(1), 0.0, -9.81)
print(force[0, 1], "numba" in sys.modules)
"""
SECOND_INTERPRETER = """
import sys
if sys.version_info < (3, 13):
    import _xxsubinterpreters as interpreters
else:
    import _interpreters as interpreters
from ecs_softbody.parallel.library import EXTENSION, FOLDER, MODULE
loading = f'''
import sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec
sys.modules["numpy"] = None
path = {str(FOLDER / EXTENSION)!r}
try:
    ExtensionFileLoader({MODULE!r}, path).create_module(ModuleSpec({MODULE!r}, None, origin=path))
except ImportError:
    pass
'''
interpreters.run_string(interpreters.create(), loading)
"""
NO_NUMBA = "raise ImportError('none here', name='numba')"
GAME = """
from ecs_softbody import Simulation
from ecs_softbody.play import Game
class Still(Game):
    def start(self):
        self.sim = Simulation()
"""
DAMAGE = """
import sys
from pathlib import Path
from random import Random
from ecs_softbody.parallel.library import Library, Unusable

def is_refused():
    try:
        Library(folder)
    except Unusable:
        return True
    return False

folder, name = Path(sys.argv[1]), sys.argv[2]
whole, rng = (folder / name).read_bytes(), Random(name)
assert not is_refused()
cuts = [0, 1, len(whole) - 1, *(rng.randrange(len(whole)) for _ in range(100))]
damaged = [whole[:length] for length in cuts] + [whole + b" "]
for place in (rng.randrange(8 * len(whole)) for _ in range(300)):
    flipped = bytearray(whole)
    flipped[place // 8] ^= 1 << place % 8
    damaged.append(bytes(flipped))
damaged += [b"[]", b"{}", b"null", b"no library", bytes(len(whole)), *(path.read_bytes() for path in folder.iterdir())]
for content in damaged:
    (folder / "damaged").write_bytes(content)
    (folder / "damaged").replace(folder / name)  # the old one is loaded: nobody may write to it
    assert is_refused() != (content == whole), content[:80]
print(len(damaged))
"""
"""Damages one file of a library in a few hundred ways, and loads each."""


def run(
    home: Path, code: str = CALL, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own that finds the package under `home`."""
    asked = ("NUMBA_DISABLE_JIT", "ECS_SOFTBODY_KERNELS", "ECS_SOFTBODY_CPU", "ECS_SOFTBODY_TOLD")
    inherited = {name: value for name, value in os.environ.items() if name not in asked}
    surroundings = {
        **inherited,
        "PYTHONPATH": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
        **environment,
    }
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=surroundings,
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy_of_package(tmp_path):
    shutil.copytree(
        PACKAGE, tmp_path / "copy" / "ecs_softbody", ignore=shutil.ignore_patterns("__pycache__")
    )
    return tmp_path / "copy"


def weigh(**changes: object) -> np.ndarray:
    """Call a kernel with arrays that fit, but for the changes; return the force."""
    given = {
        "spans": np.array([(0, 2)], np.int64),
        "mass": np.ones(2),
        "force": np.zeros((2, 2)),
        "scale": np.ones(1),
        "g": -9.81,
    }
    given |= changes
    particles = Weighed(given["mass"], np.ones(2), np.zeros(2, np.uint32), given["force"])
    accumulate_gravity(given["spans"], particles, given["scale"], 0.0, given["g"])
    return given["force"]


@pytest.mark.slow
@needs_library
def test_no_compiler_is_loaded(copy_of_package):
    answer = run(copy_of_package)
    assert answer.stdout.split() == ["-9.81", "False"], answer.stderr


@pytest.mark.brief(2)
@needs_library
@pytest.mark.parametrize("level", ["x86-64-v2", "x86-64-v3"])
def test_a_level_can_be_asked_for(copy_of_package, level):
    if level not in json.loads((FOLDER / "kernels.json").read_text())["libraries"]:
        pytest.skip("another family of processors")
    code = "from ecs_softbody.parallel.compiling import LIBRARY; print(LIBRARY.path.name)"
    assert (
        run(copy_of_package, code, ECS_SOFTBODY_CPU=level).stdout.strip() == f"kernels-{level}.bin"
    )


@pytest.mark.slow
def test_kernels_whose_sources_changed_are_compiled_anew(copy_of_package, tmp_path):
    """And those of others are not: a maker who changes one kernel waits for that one."""
    source = copy_of_package / "ecs_softbody" / "kernels" / "forces" / "gravity.py"
    before = source.read_text()
    source.write_text(
        before.replace("gravity_scale[0] * gravity_y", "2.0 * gravity_scale[0] * gravity_y")
    )
    assert source.read_text() != before
    code = CALL + "from ecs_softbody.parallel.compiling import MISSING; print(*MISSING)"
    answer = run(copy_of_package, code, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert answer.stdout.split()[:2] == ["-19.62", "True"], answer.stderr
    if compiling.LIBRARY is not None:
        missing = answer.stdout.split()[2:]
        assert "ecs_softbody.kernels.forces.gravity:accumulate_gravity" in missing
        assert len(missing) < 10  # it, and those that call what is in its file
        assert answer.stderr.startswith("ecs_softbody: ")
        assert "kernels have changed since they were built. numba compiles" in answer.stderr


@pytest.fixture
def copy_of_library(tmp_path):
    return Path(
        shutil.copytree(
            FOLDER,
            tmp_path / "compiled",
            ignore=shutil.ignore_patterns("*.py", "__pycache__", "wasm"),
        )
    )


@pytest.mark.slow
@needs_library
@pytest.mark.parametrize("name", ["kernels.json", EXTENSION, "kernels-*.bin"])
def test_a_file_that_is_not_as_it_was_built_is_not_loaded(copy_of_library, name):
    name = Path(compiling.LIBRARY.path).name if "*" in name else name
    answer = run(PACKAGE.parent, DAMAGE, str(copy_of_library), name)
    assert answer.returncode == 0, answer.stderr
    assert int(answer.stdout) > 400


@needs_library
def test_files_of_different_builds_are_not_loaded_together(copy_of_library):
    listed = read_list(copy_of_library)
    assert sealed(listed) == (copy_of_library / LIST).read_bytes()
    listed["files"][compiling.LIBRARY.path.name] = "0" * 64
    (copy_of_library / LIST).write_bytes(sealed(listed))
    with pytest.raises(Unusable, match=r"^kernels-.*bin is damaged, or of another build$"):
        Library(copy_of_library)


@needs_library
def test_a_library_for_another_machine_is_not_used(copy_of_library):
    """Its digests are right, but the system cannot load it, or the processor has none of its
    levels.
    """
    listed = read_list(copy_of_library)
    extension = (copy_of_library / EXTENSION).read_bytes()
    (copy_of_library / EXTENSION).write_bytes(b"MZ")
    (copy_of_library / LIST).write_bytes(sealed(listed | {"files": {}}))
    with pytest.raises(Unusable, match=f"^{EXTENSION} is for another machine"):
        Library(copy_of_library)
    (copy_of_library / EXTENSION).write_bytes(extension)
    (copy_of_library / LIST).write_bytes(
        sealed(listed | {"libraries": {"riscv": "kernels-riscv.bin"}})
    )
    # Where there are no levels, what is built is for this machine or not at all.
    with pytest.raises(
        Unusable, match=r"built for other processors \(riscv\)|kernels-riscv.bin is missing"
    ):
        Library(copy_of_library)


@needs_library
def test_a_file_that_is_missing_or_cannot_be_read_is_told(copy_of_library):
    (copy_of_library / EXTENSION).rename(copy_of_library / "elsewhere")
    with pytest.raises(Unusable, match=f"^{EXTENSION} is missing$"):
        Library(copy_of_library)
    (copy_of_library / EXTENSION).mkdir()
    with pytest.raises(Unusable, match=f"^{EXTENSION} cannot be read: "):
        Library(copy_of_library)


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["removed", "damaged"])
def test_without_library_and_numba_a_simulation_says_what_to_install(copy_of_package, damage):
    if damage == "removed":
        shutil.rmtree(copy_of_package / "ecs_softbody" / "compiled")
        said = "there is no usable library of kernels: kernels.json is missing; "
    else:
        (copy_of_package / "ecs_softbody" / "compiled" / LIST).write_bytes(b"[]")
        said = (
            "there is no usable library of kernels: kernels.json is damaged, or of another "
            "version; "
        )
    said += (
        "and numba, which would compile, cannot be loaded (none here). Install "
        "ecs_softbody again, or: "
    )
    said += 'pip install "ecs-softbody[kernels]"'
    (copy_of_package / "numba.py").write_text(NO_NUMBA)
    making = "import esper, ecs_softbody\ntry:\n    ecs_softbody.Simulation(world='new')\n"
    answer = run(
        copy_of_package,
        making + "except RuntimeError as error:\n    print(error, esper.list_worlds())",
    )
    assert answer.stdout == f"{said} ['default']\n"
    assert answer.stderr == ""
    assert run(copy_of_package).stderr.splitlines()[-1] == f"RuntimeError: {said}"
    for command in ("play", "record"):
        code = f"from ecs_softbody.cli.main import main; main(['{command}', 'game.py'])"
        (copy_of_package / "game.py").write_text(GAME)
        answer = run(copy_of_package, code, DISPLAY="")
        assert answer.stderr == f"ecs-softbody: {said}\n"


@pytest.mark.slow
def test_where_numba_compiles_instead_of_the_library_one_line_says_so(copy_of_package, tmp_path):
    """The processes that this one starts do not repeat it."""
    for library in (copy_of_package / "ecs_softbody" / "compiled").glob("*.*"):
        library.write_bytes(b"no library")
    twice = (
        CALL + "import subprocess; subprocess.run([sys.executable, '-c', sys.argv[1]], check=True)"
    )
    answer = run(copy_of_package, twice, CALL, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert answer.stdout.split() == 2 * ["-9.81", "True"], answer.stderr
    [line] = answer.stderr.splitlines()
    assert line.startswith(
        "ecs_softbody: there is no usable library of kernels: kernels.json is damaged, or of "
    )
    assert "takes a minute or more" in line
    assert "python -m ecs_softbody.building" in line


@needs_library
def test_a_level_that_is_not_there_is_refused():
    answer = run(PACKAGE.parent, "import ecs_softbody", ECS_SOFTBODY_CPU="nonsense")
    assert (
        "ECS_SOFTBODY_CPU is 'nonsense'; the levels that are built here"
        in answer.stderr.splitlines()[-1]
    )
    assert compiling.LIBRARY.path.stem.removeprefix("kernels-") in answer.stderr.splitlines()[-1]


@pytest.mark.slow
def test_a_second_process_finds_the_machine_code_of_the_first(tmp_path):
    """numba alone keeps an index, which two processes that start together can spoil."""
    surroundings = {"ECS_SOFTBODY_KERNELS": "numba", "NUMBA_CACHE_DIR": str(tmp_path)}
    assert run(PACKAGE.parent, **surroundings).stdout.split() == ["-9.81", "True"]
    files = sorted(path.name for path in (tmp_path / "ecs_softbody" / "kernels").iterdir())
    assert any(name.startswith("accumulate_gravity-") for name in files)
    said = run(
        PACKAGE.parent,
        CALL + "print(sum(accumulate_gravity.compiled.stats.cache_misses.values()))",
        **surroundings,
    )
    assert said.stdout.split() == ["-9.81", "True", "0"], said.stderr
    assert sorted(path.name for path in (tmp_path / "ecs_softbody" / "kernels").iterdir()) == files


@pytest.mark.slow
def test_machine_code_that_nobody_uses_is_removed_in_the_end(tmp_path):
    folder = tmp_path / "ecs_softbody" / "kernels"
    folder.mkdir(parents=True)
    for name, days in (("old", 61), ("young", 59)):
        (folder / name).write_bytes(b"code")
        used = time.time() - 86400 * days
        os.utime(folder / name, (used, used))
    answer = run(PACKAGE.parent, ECS_SOFTBODY_KERNELS="numba", NUMBA_CACHE_DIR=str(tmp_path))
    assert answer.stdout.split() == ["-9.81", "True"], answer.stderr
    left = {path.name for path in folder.iterdir()}
    assert "young" in left
    assert "old" not in left


@pytest.mark.slow
def test_where_no_file_can_be_written_a_temporary_folder_serves(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    nowhere = {
        name: str(blocked) for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA", "HOME")
    }
    answer = run(PACKAGE.parent, ECS_SOFTBODY_KERNELS="numba", **nowhere)
    assert answer.stdout.split() == ["-9.81", "True"], answer.stderr


def test_an_unknown_way_is_refused():
    answer = run(PACKAGE.parent, "import ecs_softbody", ECS_SOFTBODY_KERNELS="fortran")
    assert answer.stderr.splitlines()[-1].endswith("is 'fortran'; it can be library, numba, python")


@needs_library
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"mass": np.ones(2, np.float32)}, r"argument 2 .* type f8 with 1 dimension"),
        ({"mass": np.ones((2, 1))}, r"argument 2 .* type f8 with 1 dimension"),
        ({"mass": np.ones(4)[::2]}, r"argument 2 .* C-contiguous, of type f8"),
        ({"mass": np.ones(2, ">f8")}, r"argument 2 .* type f8"),
        ({"mass": [1.0, 1.0]}, r"argument 2"),
        ({"spans": np.array([(0, 2)], np.int32)}, r"argument 1 .* type i8 with 2 dimension"),
        ({"g": "9.81"}, r"real number"),
        ({"g": None}, r"real number"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(changes, said):
    with pytest.raises(TypeError, match=said):
        weigh(**changes)


def test_arguments_that_fit_are_taken():
    read_only = np.ones(2)
    read_only.flags.writeable = False
    assert weigh(mass=read_only)[:, 1].tolist() == [-9.81, -9.81]
    assert weigh(g=-2)[:, 1].tolist() == [-2.0, -2.0]
    assert weigh(g=np.float32(-0.5))[:, 1].tolist() == [-0.5, -0.5]
    nothing = weigh(spans=np.zeros((0, 2), np.int64), mass=np.ones(0), force=np.zeros((0, 2)))
    assert nothing.shape == (0, 2)


@needs_library
def test_the_number_of_arguments_is_checked():
    with pytest.raises(TypeError, match=r"accumulate_gravity\(\) takes 5 arguments, got 1"):
        accumulate_gravity(np.zeros((1, 2), np.int64))
    bound = compiling.bind(accumulate_gravity, np.zeros((1, 2), np.int64))
    with pytest.raises(TypeError, match=r"takes 4 more arguments, got 0"):
        bound()


@needs_library
@pytest.mark.parametrize("value", [None, 3, len, weigh, "accumulate_gravity"])
def test_what_is_no_kernel_is_not_bound(value):
    with pytest.raises(TypeError, match=r"bind\(entry, \*arguments\)"):
        compiling.LIBRARY.bind(value)


@needs_library
@pytest.mark.parametrize("signature", ["( " * 17 + "f8 " + ") " * 17 + ">", ") f8 >"])
def test_brackets_that_do_not_fit_are_refused(signature):
    with pytest.raises(ValueError, match="wrong brackets"):
        compiling.LIBRARY.function("entry")(1, "name", signature)


@pytest.mark.slow
@needs_library
def test_a_second_interpreter_without_numpy_takes_nothing_from_the_first():
    pytest.importorskip("_xxsubinterpreters" if sys.version_info < (3, 13) else "_interpreters")
    answer = run(PACKAGE.parent, SECOND_INTERPRETER + CALL)
    assert answer.stdout.split() == ["-9.81", "False"], answer.stderr


def test_a_bound_kernel_keeps_its_arrays_alive():
    force = np.zeros((2, 2))
    bound = compiling.bind(
        accumulate_gravity,
        np.array([(0, 2)], np.int64),
        Weighed(np.full(2, 2.0), np.ones(2), np.zeros(2, np.uint32), force),
    )
    junk = [np.full(2, float(k)) for k in range(1000)]
    bound(np.ones(1), 0.0, -1.0)
    assert force[:, 1].tolist() == [-2.0, -2.0]
    assert len(junk) == 1000


@pytest.mark.slow
def test_a_kernel_of_the_user_calls_one_of_the_library():
    code = """
import numpy as np
from ecs_softbody.geometry.polygon import is_inside
from ecs_softbody.parallel.compiling import kernel
@kernel
def count(points, ring, rows):
    found = 0
    for k in range(len(points)):
        found += is_inside(points[k, 0], points[k, 1], ring, rows, 0, len(rows))
    return found
square = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
print(count(np.array([(0.5, 0.5), (2.0, 0.5), (0.1, 0.9)]), square, np.arange(4, dtype=np.uint32)))
"""
    answer = run(PACKAGE.parent, code)
    assert answer.stdout.split() == ["2"], answer.stderr
