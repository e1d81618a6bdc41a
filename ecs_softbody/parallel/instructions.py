"""Machine instructions: compiled kernels get them from intrinsics.py, plain Python runs the
functions here.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from ecs_softbody.parallel.compiling import IS_PYTHON

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Instruction:
    """A function that numba replaces by machine instructions."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def _numba_type_(self) -> Any:
        from numba.core.registry import cpu_target

        from ecs_softbody.parallel import intrinsics

        context = cpu_target.typing_context
        context.refresh()
        return context.resolve_value_type(getattr(intrinsics, self._name))


def instruction(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Let compiled kernels use the instructions of the same name."""
    return (
        function
        if IS_PYTHON
        else cast(Callable[Parameters, Result], Instruction(function.__name__))
    )


@instruction
def bits_of(number: float) -> int:
    """Return the 64 bits of a float as an integer with a sign."""
    return int(struct.unpack("<q", struct.pack("<d", number))[0])


@instruction
def float_of(bits: int) -> float:
    """Return the float that has these 64 bits."""
    return float(struct.unpack("<d", struct.pack("<q", bits))[0])
