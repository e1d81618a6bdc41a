"""Runs the kernels of the WebAssembly module in wasmtime."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import wasmtime

from tests.helpers.foreign import Call, ForeignLibrary

DATA, STACK, SLOTS, ARRAYS = 0x100000, 0x100000, 0x300000, 0x301000
"""Where in memory the constants begin, the stack ends, and the arguments of a call are."""
PAGE = 0x10000


class WasmLibrary(ForeignLibrary):
    """Has the entries of a module."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._store = wasmtime.Store()
        module = wasmtime.Module.from_file(self._store.engine, str(self._library))
        self._memory = wasmtime.Memory(
            self._store, wasmtime.MemoryType(wasmtime.Limits(2048, None))
        )
        provided = [self._provide(item) for item in module.imports]
        self._exports = wasmtime.Instance(self._store, module, provided).exports(self._store)
        for name in ("__wasm_apply_data_relocs", "__wasm_call_ctors"):
            if name in self._exports:
                self._exports[name](self._store)

    def _provide(self, item: Any) -> Any:
        """Return what the module wants from its host: memory, where things are, and functions of
        the C library.
        """
        if isinstance(item.type, wasmtime.MemoryType):
            return self._memory
        if isinstance(item.type, wasmtime.TableType):
            return wasmtime.Table(self._store, item.type, None)
        if isinstance(item.type, wasmtime.GlobalType):
            place = {"__stack_pointer": STACK, "__memory_base": DATA}.get(item.name, 0)
            return wasmtime.Global(self._store, item.type, wasmtime.Val.i32(place))
        return wasmtime.Func(self._store, item.type, getattr(math, item.name))

    def run(self, call: Call) -> tuple[bytes, bytes]:
        """Run a call, and return the slots of its results and the arrays as they are then."""
        slots = np.array(call.slots, np.int64)
        slots[call.pointers] += ARRAYS
        self._write(ARRAYS, call.content)
        self._write(SLOTS, slots.tobytes())
        assert self._exports[call.symbol](self._store, SLOTS) == 0
        behind = SLOTS + slots.nbytes
        return (
            bytes(self._memory.read(self._store, behind, behind + 8 * call.results)),
            bytes(self._memory.read(self._store, ARRAYS, ARRAYS + len(call.content))),
        )

    def _write(self, place: int, content: bytes) -> None:
        missing = place + len(content) - self._memory.data_len(self._store)
        if missing > 0:
            self._memory.grow(self._store, missing // PAGE + 1)
        self._memory.write(self._store, content, place)
