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
from ecs_softbody.parallel.library import FOLDER

PACKAGE = Path(ecs_softbody.__file__).parent
needs_library = pytest.mark.skipif(compiling.LIBRARY is None, reason="kernels come from elsewhere, or none is built")
CALL = """
import sys
import numpy as np
from ecs_softbody.kernels.forces.gravity import Weighed, accumulate_gravity
force = np.zeros((1, 2))
particles = Weighed(np.ones(1), np.ones(1), np.zeros(1, np.uint32), force)
accumulate_gravity(np.array([(0, 1)]), particles, np.ones(1), 0.0, -9.81)
print(force[0, 1], "numba" in sys.modules)
"""


def run(home: Path, code: str = CALL, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own that finds the package under `home`."""
    asked = ("NUMBA_DISABLE_JIT", "ECS_SOFTBODY_KERNELS", "ECS_SOFTBODY_CPU")
    inherited = {name: value for name, value in os.environ.items() if name not in asked}
    surroundings = {**inherited, "PYTHONPATH": str(home), "PYTHONDONTWRITEBYTECODE": "1", **environment}
    return subprocess.run(
        [sys.executable, "-c", code], env=surroundings, cwd=home, capture_output=True, text=True, check=False
    )


@pytest.fixture
def copy_of_package(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "copy" / "ecs_softbody", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "copy"


def weigh(**changes: object) -> np.ndarray:
    """Call a kernel with arrays that fit, but for the changes; return the force."""
    given = {
        "spans": np.array([(0, 2)]),
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
    assert run(copy_of_package, code, ECS_SOFTBODY_CPU=level).stdout.strip() == f"kernels-{level}.bin"


@pytest.mark.slow
def test_kernels_whose_sources_changed_are_compiled_anew(copy_of_package, tmp_path):
    """And those of others are not: a maker who changes one kernel waits for that one."""
    source = copy_of_package / "ecs_softbody" / "kernels" / "forces" / "gravity.py"
    before = source.read_text()
    source.write_text(before.replace("gravity_scale[0] * gravity_y", "2.0 * gravity_scale[0] * gravity_y"))
    assert source.read_text() != before
    code = CALL + "from ecs_softbody.parallel.compiling import MISSING; print(*MISSING)"
    answer = run(copy_of_package, code, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert answer.stdout.split()[:2] == ["-19.62", "True"], answer.stderr
    if compiling.LIBRARY is not None:
        missing = answer.stdout.split()[2:]
        assert "ecs_softbody.kernels.forces.gravity:accumulate_gravity" in missing
        assert len(missing) < 10  # it, and those that call what is in its file


@pytest.mark.slow
def test_without_library_and_numba_one_sentence_says_what_to_install(copy_of_package):
    shutil.rmtree(copy_of_package / "ecs_softbody" / "compiled")
    (copy_of_package / "numba.py").write_text("raise ImportError('none here', name='numba')")
    answer = run(copy_of_package)
    assert answer.returncode == 1
    assert answer.stderr.splitlines()[-1].endswith('numba is not installed: pip install "ecs-softbody[kernels]"')


@pytest.mark.slow
def test_a_library_that_is_damaged_is_not_used(copy_of_package, tmp_path):
    compiled = copy_of_package / "ecs_softbody" / "compiled"
    for library in compiled.glob("kernels-*"):
        library.write_bytes(b"no library")
    answer = run(copy_of_package, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert answer.stdout.split() == ["-9.81", "True"], answer.stderr


@pytest.mark.slow
def test_a_second_process_finds_the_machine_code_of_the_first(tmp_path):
    """numba alone keeps an index, which two processes that start together can spoil."""
    surroundings = {"ECS_SOFTBODY_KERNELS": "numba", "NUMBA_CACHE_DIR": str(tmp_path)}
    assert run(PACKAGE.parent, **surroundings).stdout.split() == ["-9.81", "True"]
    files = sorted(path.name for path in (tmp_path / "ecs_softbody" / "kernels").iterdir())
    assert any(name.startswith("accumulate_gravity-") for name in files)
    said = run(
        PACKAGE.parent, CALL + "print(sum(accumulate_gravity.compiled.stats.cache_misses.values()))", **surroundings
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
    nowhere = {name: str(blocked) for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA", "HOME")}
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


def test_a_bound_kernel_keeps_its_arrays_alive():
    force = np.zeros((2, 2))
    bound = compiling.bind(
        accumulate_gravity, np.array([(0, 2)]), Weighed(np.full(2, 2.0), np.ones(2), np.zeros(2, np.uint32), force)
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
