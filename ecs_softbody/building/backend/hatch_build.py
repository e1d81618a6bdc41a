"""Builds the library of kernels when the package is installed or made into a wheel.

Build requirements are requested only if the build is possible. Otherwise, or if it fails, the
package is installed without the library, and numba compiles the kernels when a game starts.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from stamp import is_built, note_build

COMPILER = ["numba==0.68.1", "llvmlite==0.50.0"]
IMPORTED = ("numpy", "esper")
"""Packages imported by modules with kernels; a first installation waits for each additional one."""
BROUGHT = ("numba", "llvmlite", "ziglang", *IMPORTED)
"""Prefixes of the packages the build brings."""
PACKAGE = Path(__file__).parents[2]
WASM = "ecs_softbody/compiled/wasm"
"""Folder of the kernels for pages, used by `ecs-softbody web`; a wheel includes them if built
before.
"""
WASM_TAG = "cp311-abi3-pyodide_2024_0_wasm32"
"""Tag of a wheel for a browser's Python: ECS_SOFTBODY_BUILD=wasm makes one."""
PROCESSORS = {"x86_64", "amd64", "aarch64", "arm64"}


class KernelBuildHook(BuildHookInterface[Any]):  # type: ignore[misc]
    """Runs `python -m ecs_softbody.building` before files are collected."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return the build requirements of this machine."""
        if reason_against():
            return []
        needed = [
            *COMPILER,
            *["ziglang>=0.13,<1"] * is_for_pages(),
            *(each for each in self.metadata.core.dependencies if each.startswith(IMPORTED)),
        ]
        compilers = (os.environ.get("CC", "").split(" ")[0], "cc", "gcc", "clang")
        return (
            needed
            if any(name and shutil.which(name) for name in compilers)
            else [*needed, "ziglang>=0.13,<1"]
        )

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the library; a wheel without it fits every machine.

        An editable install stays on this machine.
        """
        stays_here = version == "editable"
        if is_for_pages() and not stays_here:
            self._build_for_pages(build_data)
            return
        options = ["--only-best"] if stays_here else []
        reason = (
            "" if stays_here and is_built(PACKAGE) else reason_against() or self._build(*options)
        )
        if reason:
            print(
                f"There are no compiled kernels, so games need the extra `kernels`: {reason}",
                file=sys.stderr,
            )
            return
        system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        note_build(PACKAGE)
        built = json.loads((PACKAGE / "compiled" / "kernels.json").read_text(encoding="utf-8"))
        build_data["artifacts"] += [
            f"/ecs_softbody/compiled/{name}" for name in ("kernels.json", *built["files"])
        ]
        if (PACKAGE.parent / WASM / "kernels.json").exists():
            build_data["artifacts"].append(f"/{WASM}/*")
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{system}"

    def _build_for_pages(self, build_data: dict[str, Any]) -> None:
        """Replace the kernels for this machine by kernels for browsers; RuntimeError on failure."""
        folder = PACKAGE.parent / WASM
        if problem := self._build("--system", "wasm", "--folder", str(folder)):
            raise RuntimeError(f"there are no kernels for browsers: {problem}")
        for path in folder.iterdir():
            build_data["force_include"][str(path)] = f"ecs_softbody/compiled/{path.name}"
        build_data["pure_python"] = False
        build_data["tag"] = WASM_TAG

    def _build(self, *options: str) -> str:
        """Return the reason of a failure, "" on success."""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([self.root, *sys.path])}
        command = [sys.executable, "-m", "ecs_softbody.building", *options]
        ended = subprocess.run(
            command, env=environment, stderr=subprocess.PIPE, text=True, check=False
        )
        print(ended.stderr, file=sys.stderr)
        return (
            ""
            if ended.returncode == 0
            else (ended.stderr.strip().splitlines() or ["the build failed"])[-1]
        )


def is_for_pages() -> bool:
    """Return whether the wheel is for a browser's Python."""
    return os.environ.get("ECS_SOFTBODY_BUILD") == "wasm"


def reason_against() -> str:
    """Return the reason why the kernels cannot be built here, "" if they can."""
    if os.environ.get("ECS_SOFTBODY_BUILD") == "0":
        return "ECS_SOFTBODY_BUILD is 0"
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return f"there is no build for this kind of Python ({sys.version})"
    if (
        sys.version_info >= (3, 15)
        or sys.maxsize < 2**32
        or platform.machine().lower() not in PROCESSORS
    ):
        return f"there is no build for Python {platform.python_version()} on {platform.machine()}"
    return "" if PACKAGE.name == "ecs_softbody" else "the sources are not here"
