"""Instructions: functions for kernels that become one machine instruction when they are compiled
(intrinsics.py). Their bodies here run only where kernels are plain Python.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from ecs_softbody.parallel.compiling import IS_PYTHON

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Instruction:
    """Stands for a function that numba replaces by the intrinsic of the same name."""

    def __init__(self, name: str) -> None:
        self._name = name

    # numba reads this attribute to type a global object; it gets the intrinsic of the same name.
    @property
    def _numba_type_(self) -> Any:
        from numba.core.registry import cpu_target

        from ecs_softbody.parallel import intrinsics

        context = cpu_target.typing_context
        context.refresh()  # else an intrinsic that was just imported is not known to numba
        return context.resolve_value_type(getattr(intrinsics, self._name))


def instruction(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Return the function where kernels are plain Python; otherwise a placeholder for the
    instruction of the same name, which only compiled code may call.
    """
    return (
        function
        if IS_PYTHON
        else cast(Callable[Parameters, Result], Instruction(function.__name__))
    )


@instruction
def bits_of(number: float) -> int:
    """Return the 64 bits of a float as a signed 64-bit integer."""
    return int(struct.unpack("<q", struct.pack("<d", number))[0])


@instruction
def float_of(bits: int) -> float:
    """Return the float that has these 64 bits."""
    return float(struct.unpack("<d", struct.pack("<q", bits))[0])
