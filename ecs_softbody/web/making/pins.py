"""Pins: the version of Pyodide used by pages, with digests of its files, or a complete Pyodide in a
folder.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

from ecs_softbody.errors import FieldError

PYODIDE = "0.27.7"
ADDRESS = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE}/full/"
"""Address of the official Pyodide."""
ROLES = {
    "loader": "pyodide.mjs", "script": "pyodide.asm.js", "wasm": "pyodide.asm.wasm",
    "stdlib": "python_stdlib.zip",
}  # fmt: skip
"""Roles and names of Pyodide's files."""
PACKAGES = ("numpy", "pillow")
"""Packages taken from Pyodide besides Python, by their names in its lock file."""
LOCK = "pyodide-lock.json"


class File(NamedTuple):
    """A file of Pyodide."""

    name: str
    sha256: str
    bytes: int


PINNED = {
    "loader": File(
        "pyodide.mjs", "04c052c815abb0bf2981fa38c2dfa58e3120ee5288c956df2b2a15e301782c5f", 13931
    ),
    "script": File(
        "pyodide.asm.js",
        "6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51",
        1255688,
    ),
    "wasm": File(
        "pyodide.asm.wasm",
        "a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f",
        10105545,
    ),
    "stdlib": File(
        "python_stdlib.zip",
        "16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16",
        2360737,
    ),
    "numpy": File(
        "numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl",
        "ebb61241d962b98b21597d7ce43b67668a6d5bab3acec4fbe958657320d7cd08",
        3061133,
    ),
    "pillow": File(
        "pillow-10.2.0-cp312-cp312-pyodide_2024_0_wasm32.whl",
        "43eab147a9355385a99eeac18fb577d4af2fe4bd0bbd23d3ba3ddb92e72c2815",
        987254,
    ),
}
"""The files of that version: from the npm package `pyodide`, and the packages as in its lock
file.
"""
INFO = {
    "abi_version": "2024_0", "arch": "wasm32", "platform": "emscripten_3_1_58", "python": "3.12.7",
    "version": PYODIDE,
}  # fmt: skip
"""The metadata in its lock file."""


class Runtime(NamedTuple):
    """A Pyodide: its lock file's metadata, its files by role or package, and their folder or
    address.
    """

    info: dict[str, str]
    files: dict[str, File]
    folder: Path | None
    address: str = ""

    @property
    def site(self) -> str:
        """The folder of its Python's packages."""
        major, minor, *_ = self.info["python"].split(".")
        return f"/lib/python{major}.{minor}/site-packages"

    @property
    def library(self) -> str:
        """The archive of its Python's standard library."""
        major, minor, *_ = self.info["python"].split(".")
        return f"/lib/python{major}{minor}.zip"

    @property
    def tag(self) -> str:
        """Tag in the names of its bytecode files, before the suffix."""
        major, minor, *_ = self.info["python"].split(".")
        return f"cpython-{major}{minor}"


def runtime_of(place: str) -> Runtime:
    """Return the Pyodide at an address or in a folder; the official one for an empty text.

    Raises:
        ValueError: if a folder has an incomplete or modified Pyodide.
    """
    if "://" in place and not place.startswith(("https://", "http://")):
        raise FieldError("--pyodide", "", place, "a folder, or an address with https://")
    if not place or "://" in place:
        address = place or ADDRESS
        return Runtime(INFO, PINNED, None, address if address.endswith("/") else f"{address}/")
    folder = Path(place)
    try:
        lock: dict[str, Any] = json.loads((folder / LOCK).read_bytes())
        packages = {name: lock["packages"][name] for name in PACKAGES}
        info = {name: str(lock["info"][name]) for name in INFO}
        files = {role: _file(folder, name) for role, name in ROLES.items()}
        files |= {name: _file(folder, packages[name]["file_name"]) for name in PACKAGES}
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ValueError(
            f"--pyodide: {place} has no whole Pyodide with numpy and Pillow: {error}"
        ) from None
    expected = {name: packages[name]["sha256"] for name in PACKAGES}
    if info["version"] == PYODIDE:
        expected = {role: file.sha256 for role, file in PINNED.items()}
    for role, digest in expected.items():
        if files[role].sha256 != digest:
            raise ValueError(
                f"--pyodide: {folder / files[role].name} is damaged: its digest is not that of "
                "its makers"
            )
    return Runtime(info, files, folder)


def _file(folder: Path, name: str) -> File:
    content = (folder / name).read_bytes()
    return File(name, hashlib.sha256(content).hexdigest(), len(content))
