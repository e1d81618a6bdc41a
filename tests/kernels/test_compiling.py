"""Machine code is kept in a folder that belongs to exactly these sources, wherever something can be written."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core import config

import ecs_softbody
from ecs_softbody.parallel.compiling import cache_directory, source_digest

PACKAGE = Path(ecs_softbody.__file__).parent
CALL = """
import numpy as np
from ecs_softbody.parallel.compiling import cache_directory
from ecs_softbody.kernels.forces.gravity import Weighed, accumulate_gravity
force = np.zeros((1, 2))
particles = Weighed(np.ones(1), np.ones(1), np.zeros(1, np.uint32), force)
accumulate_gravity(np.array([(0, 1)]), particles, np.ones(1), 0.0, -9.81)
stats = accumulate_gravity.stats
print(cache_directory(), sum(stats.cache_hits.values()), sum(stats.cache_misses.values()), force[0, 1])
"""

needs_numba = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="compiles nothing")


def run(home: Path, **environment: str) -> list[str]:
    """Call a kernel in a process of its own that finds the package under `home`; return what it prints."""
    inherited = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    surroundings = {**inherited, "PYTHONPATH": str(home), "PYTHONDONTWRITEBYTECODE": "1", **environment}
    answer = subprocess.run(
        [sys.executable, "-c", CALL], env=surroundings, cwd=home, capture_output=True, text=True, check=True
    )
    return answer.stdout.split()


@pytest.fixture
def copy_of_package(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "copy" / "ecs_softbody", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "copy"


@needs_numba
def test_a_second_process_finds_the_machine_code_of_the_first(copy_of_package, tmp_path):
    first = run(copy_of_package, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    second = run(copy_of_package, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert Path(first[0]).parent == tmp_path / "cache" / "ecs_softbody"
    assert first == [first[0], "0", "1", "-9.81"]
    assert second == [first[0], "1", "0", "-9.81"]


@needs_numba
def test_a_change_in_any_kernel_file_starts_a_new_folder(copy_of_package, tmp_path):
    """numba by itself would not see it where one kernel calls a function of another file."""
    first = run(copy_of_package, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    source = copy_of_package / "ecs_softbody" / "collision" / "solve" / "ccd.py"
    source.write_text(source.read_text() + "\n# changed\n")
    second = run(copy_of_package, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert second[0] != first[0]
    assert second[1:3] == ["0", "1"]


@needs_numba
def test_where_no_cache_can_be_written_a_temporary_folder_serves(copy_of_package, tmp_path):
    """A read-only installation and home: numba alone would refuse at import."""
    not_a_folder = tmp_path / "file"
    not_a_folder.write_text("")
    blocked = str(not_a_folder)
    answer = run(copy_of_package, XDG_CACHE_HOME=blocked, LOCALAPPDATA=blocked, HOME=blocked)
    assert answer[1:] == ["0", "1", "-9.81"]
    assert not Path(answer[0]).is_relative_to(not_a_folder)
    shutil.rmtree(answer[0], ignore_errors=True)


def test_the_folder_is_named_after_the_digest():
    assert cache_directory().is_dir()
    assert source_digest() in cache_directory().name
