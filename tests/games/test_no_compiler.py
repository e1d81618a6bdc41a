"""After an install, no game compiles anything: numba is not even loaded while it plays."""

import os
import subprocess
import sys

import pytest

from ecs_softbody.parallel import compiling
from included import included_games

PLAY = """
import sys
from ecs_softbody.cli.main import main
status = main(["record", sys.argv[1], "--out", sys.argv[2], "--seconds", "1.5", "--size", "160x90", "--rate", "5"])
print(status, "numba" in sys.modules)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    compiling.LIBRARY is None, reason="kernels come from elsewhere, or none is built"
)
@pytest.mark.parametrize("name", included_games())
def test_no_game_loads_a_compiler(name, tmp_path):
    surroundings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    answer = subprocess.run(
        [sys.executable, "-c", PLAY, name, str(tmp_path / "film.gif")],
        env=surroundings, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert answer.stdout.splitlines()[-1:] == ["0 False"], answer.stderr
    assert not (tmp_path / "cache").exists()
