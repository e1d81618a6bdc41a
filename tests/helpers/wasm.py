"""Runs the kernels of the WebAssembly module in wasmtime, on copies of arrays of numpy."""

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import wasmtime

DATA, STACK, SLOTS, ARRAYS = 0x100000, 0x100000, 0x300000, 0x301000
"""Where in memory the constants begin, the stack ends, and the arguments of a call are."""
PAGE = 0x10000


class WasmLibrary:
    """Has the entries of a module, as the library has."""

    def __init__(self, folder: Path) -> None:
        listed = json.loads((folder / "kernels.json").read_text(encoding="utf-8"))
        self._entries: dict[str, dict[str, str]] = listed["entries"]
        self._store = wasmtime.Store()
        module = wasmtime.Module.from_file(self._store.engine, str(folder / listed["libraries"]["wasm32"]))
        self._memory = wasmtime.Memory(self._store, wasmtime.MemoryType(wasmtime.Limits(2048, None)))
        provided = [self._provide(item) for item in module.imports]
        self._exports = wasmtime.Instance(self._store, module, provided).exports(self._store)
        for name in ("__wasm_apply_data_relocs", "__wasm_call_ctors"):
            if name in self._exports:
                self._exports[name](self._store)

    def _provide(self, item: Any) -> Any:
        """Return what the module wants from its host: memory, where things are, and functions of the C library."""
        if isinstance(item.type, wasmtime.MemoryType):
            return self._memory
        if isinstance(item.type, wasmtime.TableType):
            return wasmtime.Table(self._store, item.type, None)
        if isinstance(item.type, wasmtime.GlobalType):
            place = {"__stack_pointer": STACK, "__memory_base": DATA}.get(item.name, 0)
            return wasmtime.Global(self._store, item.type, wasmtime.Val.i32(place))
        return wasmtime.Func(self._store, item.type, getattr(math, item.name))

    def find(self, name: str) -> Callable[..., Any]:
        """Return the entry of a kernel, "module:function"."""
        entry = self._entries[name]
        words = entry["signature"].partition(">")[2].split()

        def call(*arguments: Any) -> Any:
            slots, place, used = list[int](), ARRAYS, list[tuple[np.ndarray, int]]()
            for value in leaves(arguments):
                if isinstance(value, np.ndarray):
                    place += -place % 16
                    self._write(place, value.tobytes())
                    used.append((value, place))
                    slots += [place, *value.shape]
                    place += value.nbytes
                else:
                    number = np.float64(value) if isinstance(value, (float, np.floating)) else np.int64(value)
                    slots.append(int(number.view(np.int64)))
            self._write(SLOTS, np.array(slots, np.int64).tobytes())
            assert self._exports[entry["symbol"]](self._store, SLOTS) == 0
            for array, at in used:
                read = np.frombuffer(self._memory.read(self._store, at, at + array.nbytes), array.dtype)
                array[...] = read.reshape(array.shape)
            return self._results(words, SLOTS + 8 * len(slots))

        return call

    def _write(self, place: int, content: bytes) -> None:
        missing = place + len(content) - self._memory.data_len(self._store)
        if missing > 0:
            self._memory.grow(self._store, missing // PAGE + 1)
        self._memory.write(self._store, content, place)

    def _results(self, words: list[str], place: int) -> Any:
        kinds = [word for word in words if word not in "()"]
        raw = np.frombuffer(self._memory.read(self._store, place, place + 8 * len(kinds)), np.int64)
        numbers = [{"f8": number.view(np.float64), "i8": number, "b1": number != 0}[kind].item()
                   for kind, number in zip(kinds, raw, strict=True)]  # fmt: skip
        return tuple(numbers) if "(" in words else numbers[0] if numbers else None


def leaves(value: Any) -> Iterator[Any]:
    """Yield arrays and numbers in the order of a signature."""
    if isinstance(value, tuple):
        for part in value:
            yield from leaves(part)
    else:
        yield value
