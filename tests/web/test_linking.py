"""The extension is linked for browsers' Python from the same source, and wants nothing but Python
of it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ecs_softbody.building.linker import PYTHON_NAMES, SOURCES, link_extension, zig_compiler
from ecs_softbody.building.targets import SYSTEMS

pytest.importorskip("ziglang", reason="needs the dependency group dev")
wasmtime = pytest.importorskip("wasmtime", reason="needs the dependency group dev")
C_LIBRARY = {
    "memcpy",
    "memset",
    "memcmp",
    "strlen",
    "strcmp",
    "malloc",
    "free",
    "calloc",
    "realloc",
    "snprintf",
    "sscanf",
    "strdup",
    "strstr",
}


def test_the_extension_is_linked_for_browsers(tmp_path: Path) -> None:
    name = link_extension(zig_compiler(), SYSTEMS["wasm"][0], tmp_path)
    assert name == "_calls.abi3.so"
    module = wasmtime.Module.from_file(wasmtime.Engine(), str(tmp_path / name))
    assert "PyInit__calls" in {item.name for item in module.exports}
    functions = {item.name for item in module.imports if isinstance(item.type, wasmtime.FuncType)}
    of_python = set(PYTHON_NAMES.findall((SOURCES / "calls.c").read_text()))
    strange = {
        each
        for each in functions
        if each not in of_python | C_LIBRARY and not re.match(r"_?Py", each)
    }
    assert not strange
    assert functions & of_python
