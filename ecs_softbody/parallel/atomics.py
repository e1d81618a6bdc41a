"""Atomic reads and writes of a row of int64, for kernels that several threads run at the same time.

A thread that reads a value sees everything that was written before it. With NUMBA_DISABLE_JIT=1 there is one thread
only, and these are plain reads and writes.
"""

from __future__ import annotations

import os
import platform
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic

BYTES = 8
IS_X86 = platform.machine() in ("x86_64", "AMD64")


def _pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Return the pointer to array[index]; the arguments begin with both."""
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return builder.gep(array.data, [args[1]])


if config.DISABLE_JIT:

    def load(array: Any, index: int) -> int:
        """Return array[index]."""
        return int(array[index])

    def store(array: Any, index: int, value: int) -> None:
        """Write array[index]."""
        array[index] = value

    def replace(array: Any, index: int, old: int, new: int) -> bool:
        """Write array[index] if it is `old`; return whether it was."""
        array[index] = new
        return True

    def relax() -> None:
        """Wait for a moment."""

    def give_way() -> None:
        """Let another thread have this core."""

else:

    @intrinsic  # type: ignore[untyped-decorator]
    def load(typing: Any, array: Any, index: Any) -> Any:
        """Return array[index]."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.load_atomic(_pointer(context, builder, signature, args), "acquire", BYTES)

        return types.int64(array, types.intp), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def store(typing: Any, array: Any, index: Any, value: Any) -> Any:
        """Write array[index]."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            builder.store_atomic(args[2], _pointer(context, builder, signature, args), "release", BYTES)
            return context.get_dummy_value()

        return types.void(array, types.intp, types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def replace(typing: Any, array: Any, index: Any, old: Any, new: Any) -> Any:
        """Write array[index] if it is `old`; return whether it was."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer = _pointer(context, builder, signature, args)
            return builder.extract_value(builder.cmpxchg(pointer, args[2], args[3], "seq_cst", "acquire"), 1)

        return types.boolean(array, types.intp, types.int64, types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def relax(typing: Any) -> Any:
        """Wait for a moment."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            if IS_X86:
                kind = ir.FunctionType(ir.VoidType(), [])
                builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.sse2.pause"), [])
            return context.get_dummy_value()

        return types.void(), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def give_way(typing: Any) -> Any:
        """Let another thread have this core."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            if os.name == "posix":
                kind = ir.FunctionType(ir.IntType(32), [])
                builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), [])
            return context.get_dummy_value()

        return types.void(), generate
