"""Machine instructions for numba: how the functions of atomics.py and instructions.py, where they
are documented, become single instructions in compiled kernels.

Each intrinsic returns its numba signature and a function that generates LLVM code in the place of a
call.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

BYTES = 8
"""Alignment of an int64."""


def _pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Return the LLVM pointer to array[index]; args begin with the array and the index."""
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return builder.gep(array.data, [args[1]])


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
        return builder.extract_value(
            builder.cmpxchg(pointer, args[2], args[3], "seq_cst", "acquire"), 1
        )

    return types.boolean(array, types.intp, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def relax(typing: Any) -> Any:
    """Wait for a moment."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        triple = builder.module.triple
        if triple.startswith(("x86_64", "i686")):
            _call(builder, "llvm.x86.sse2.pause", ir.VoidType())
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic  # type: ignore[untyped-decorator]
def give_way(typing: Any) -> Any:
    """Let another thread have this core."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        triple = builder.module.triple
        if "linux" in triple or "darwin" in triple or "macos" in triple:
            _call(builder, "sched_yield", ir.IntType(32))
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic  # type: ignore[untyped-decorator]
def bits_of(typing: Any, number: Any) -> Any:
    """Return the 64 bits of a float."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), generate


@intrinsic  # type: ignore[untyped-decorator]
def float_of(typing: Any, bits: Any) -> Any:
    """Return the float that has these bits."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), generate


def _call(builder: Any, name: str, returns: ir.Type) -> None:
    builder.call(
        cgutils.get_or_insert_function(builder.module, ir.FunctionType(returns, []), name), []
    )
