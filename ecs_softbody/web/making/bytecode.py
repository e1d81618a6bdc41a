"""Bytecode: modules compiled ahead of time by a Python of the page's version, which saves browsers
seconds.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ecs_softbody.web.making.archive import opened, packed
from ecs_softbody.web.making.cache import kept
from ecs_softbody.web.making.pins import Runtime

COMPILE = """
import json, py_compile
for path, shown, optimize in json.load(open("list.json")):
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(path, path + "c", shown, quiet=2, optimize=optimize, invalidation_mode=mode)
"""
"""Run in a folder with the sources."""
IN_NODE = """
const {pathToFileURL} = require("node:url"), path = require("node:path");
import(pathToFileURL(path.join(process.argv[1], "pyodide.mjs"))).then(async ({loadPyodide}) => {
  const py = await loadPyodide({indexURL: process.argv[1]});
  py.FS.mkdirTree("/sources");
  py.FS.mount(py.FS.filesystems.NODEFS, {root: process.argv[2]}, "/sources");
  py.FS.chdir("/sources");
  py.runPython(process.argv[3]);
  process.exit(0);
}).catch(error => {
  console.error(error.message);
  process.exit(1);
});
"""
PATIENCE = 600.0
"""Timeout [s] of the compilation: a page with all of its Python needs 10 on a quiet machine."""


class Source(NamedTuple):
    """A module to compile."""

    content: bytes
    shown: str
    """The path in tracebacks."""
    strip: bool
    """Whether assertions and docstrings are left out."""


def compiled(sources: Mapping[str, Source], runtime: Runtime) -> dict[str, bytes]:
    """Return bytecode by source name, for all sources that compile; empty if the page's Python
    version is not available here.

    Bytecode is kept in the user's cache, since most of it is the same in each page.

    Raises:
        RuntimeError: if the page's Python cannot be run.
    """
    command = _compiler_of(runtime)
    if not command or not sources:
        return {}
    archive = kept(_digest_of(sources, runtime), lambda: packed(_compile(command, sources)))
    return opened(archive)


def _compiler_of(runtime: Runtime) -> list[str]:
    """Return the start of a command line that runs the page's version of Python, or nothing.

    That is this Python, or node with the page's Python if that is in a folder.
    """
    if runtime.info["python"].startswith(f"{sys.version_info.major}.{sys.version_info.minor}."):
        return [sys.executable, "-c"]
    node = shutil.which("node")
    if node is None or runtime.folder is None:
        return []
    return [node, "-e", IN_NODE, str(runtime.folder.absolute())]


def _digest_of(sources: Mapping[str, Source], runtime: Runtime) -> str:
    digest = hashlib.sha256(f"{runtime.info['python']} {COMPILE}".encode())
    for name, source in sorted(sources.items()):
        digest.update(f"{name} {source.shown} {source.strip} {len(source.content)}\n".encode())
        digest.update(source.content)
    return digest.hexdigest()


def _compile(command: list[str], sources: Mapping[str, Source]) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, source in sources.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(source.content)
        listed = [
            (name, source.shown, 2 if source.strip else 0) for name, source in sources.items()
        ]
        (folder / "list.json").write_text(json.dumps(listed), encoding="utf-8")
        words = [str(folder), COMPILE] if IN_NODE in command else [COMPILE]
        ended = subprocess.run(
            [*command, *words],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        if ended.returncode:
            message = (ended.stderr.strip().splitlines() or ["no word"])[-1]
            raise RuntimeError(f"the page's Python could not be run to compile modules: {message}")
        made = ((name, folder / f"{name}c") for name in sources)
        return {name: path.read_bytes() for name, path in made if path.exists()}
