"""The linker: links objects to libraries with a C compiler of this machine, or else of the package
`ziglang`.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ecs_softbody.building.targets import Target

SOURCES = Path(__file__).parent
FLAGS = (
    "-O2",
    "-shared",
    "-fPIC",
    "-fvisibility=hidden",
    "-ffp-contract=off",
    *(() if sys.platform == "darwin" else ("-s",)),
)
SIDE_MODULE = (
    "-shared", "--experimental-pic", "--import-memory", "--no-entry",
    "--unresolved-symbols=import-dynamic", "--stack-first", "--strip-all", "--no-check-features",
    "--features=mutable-globals,bulk-memory,sign-ext,nontrapping-fptoint"
    ",reference-types,multivalue,simd128",
)  # fmt: skip
"""Options for a WebAssembly side module, loaded into another module's memory: an extension for
browsers' Python.
"""
UNPACKER = "unpack.wasm"
WASM_EXTENSION = "_calls.abi3.so"
PYTHON_NAMES = re.compile(r"\b(?:Py(?!Init)[A-Z]\w*_\w+|_Py_NoneStruct|Py_(?:Inc|Dec)Ref)\b")
"""The names of Python's stable ABI in the source of the extension."""


def find_compiler() -> list[str]:
    """Return the command of a C compiler; RuntimeError if there is none."""
    for command in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        if command and shutil.which(shlex.split(command)[0]):
            return shlex.split(command)
    return zig_compiler()


def zig_compiler() -> list[str]:
    """Return the command of the C compiler in the package `ziglang`, which links for
    all systems.
    """
    if importlib.util.find_spec("ziglang") is None:
        raise RuntimeError("there is no C compiler: install one, or the package ziglang")
    return [sys.executable, "-m", "ziglang", "cc"]


def link(compiler: Sequence[str], objects: Sequence[Path], target: Target, library: Path) -> None:
    """Link objects to a library; RuntimeError with the compiler's message on failure."""
    if target.is_wasm:
        with tempfile.TemporaryDirectory() as folder:
            support = compile_for_wasm(compiler, "support.c", Path(folder))
            run(
                [
                    *compiler[:-1],
                    "wasm-ld",
                    *SIDE_MODULE,
                    "--export-all",
                    *map(str, objects),
                    support,
                ],
                library,
            )
        return
    for_target = ["-target", target.linker] if "ziglang" in compiler else []
    run([*compiler, *for_target, *FLAGS, str(SOURCES / "support.c"), *map(str, objects)], library)


def link_extension(compiler: Sequence[str], target: Target, folder: Path) -> str:
    """Compile the extension that calls a library, and return its name; Python's symbols are
    resolved on loading.
    """
    for_target = ["-target", target.linker] if "ziglang" in compiler else []
    source = SOURCES / "calls.c"
    with tempfile.TemporaryDirectory() as scratch:
        if target.is_wasm:
            calls = compile_for_wasm(compiler, source.name, Path(scratch))
            exported = "--export-if-defined=PyInit__calls"
            run([*compiler[:-1], "wasm-ld", *SIDE_MODULE, exported, calls], folder / WASM_EXTENSION)
            return WASM_EXTENSION
        if "windows" in target.triple:
            python = [str(import_library(compiler, source, Path(scratch)))]
        else:
            python = ["-undefined", "dynamic_lookup"] if "apple" in target.triple else []
        name = "_calls.pyd" if "windows" in target.triple else "_calls.abi3.so"
        run([*compiler, *for_target, *FLAGS, str(source), *python], folder / name)
    return name


def link_unpacker(compiler: Sequence[str], folder: Path) -> str:
    """Compile the unpacker of a page's files, a self-contained WebAssembly module; return its
    name.
    """
    alone = (
        "-target",
        "wasm32-freestanding",
        "-O3",
        "-nostdlib",
        "-Wl,--no-entry,--export=__heap_base,--strip-all",
    )
    run([*compiler, *alone, str(SOURCES / "unpack.c")], folder / UNPACKER)
    return UNPACKER


def compile_for_wasm(compiler: Sequence[str], source: str, folder: Path) -> str:
    """Compile a source of this folder to an object of WebAssembly, and return its path."""
    made = folder / f"{source}.o"
    flags = ("-O2", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off")
    run([*compiler, "-target", "wasm32-wasi", *flags, "-c", str(SOURCES / source)], made)
    return str(made)


def import_library(compiler: Sequence[str], source: Path, folder: Path) -> Path:
    """Return the import library of python3.dll for Windows' linker: made here, or the one beside
    Python.
    """
    if "ziglang" not in compiler:
        return Path(sys.base_prefix) / "libs" / "python3.lib"
    names = sorted(set(PYTHON_NAMES.findall(source.read_text(encoding="utf-8"))))
    listed = [f"{name} DATA" if name.startswith(("PyExc_", "_Py_")) else name for name in names]
    definitions = folder / "python3.def"
    definitions.write_text("\n".join(["LIBRARY python3.dll", "EXPORTS", *listed]), encoding="utf-8")
    run(
        [
            *compiler[:-1],
            "dlltool",
            "-m",
            "i386:x86-64",
            "-d",
            str(definitions),
            "-D",
            "python3.dll",
        ],
        folder / "libpython3.a",
    )
    return folder / "libpython3.a"


def run(command: Sequence[str], output: Path) -> None:
    """Run a compiler; its output file is written atomically."""
    with tempfile.TemporaryDirectory(dir=output.parent) as folder:
        written = Path(folder) / output.name
        says = "-l" if "dlltool" in command else "-o"
        ended = subprocess.run(
            [*command, says, str(written)], capture_output=True, text=True, check=False
        )
        if ended.returncode:
            raise RuntimeError(f"{' '.join(command[:3])} failed:\n{ended.stderr[-2000:]}")
        os.replace(written, output)
