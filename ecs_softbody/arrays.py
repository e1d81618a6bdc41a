"""Names of array types that many rooms share."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Indices = NDArray[np.int32]
"""Rows that a component stores, such as both ends of a spring."""
Flags = NDArray[np.bool_]


def record(*fields: tuple[str, type[np.generic]]) -> np.dtype[Any]:
    """Return the type of a record whose fields (name, type) lie at multiples of their sizes, on
    every machine.

    numpy aligns as the C compiler of the machine does, which on some machines with 32-bit addresses
    puts doubles at multiples of 4.
    """
    formats = [np.dtype(kind) for _, kind in fields]
    offsets: list[int] = []
    end = 0
    for size in (kind.itemsize for kind in formats):
        offsets.append(-(-end // size) * size)
        end = offsets[-1] + size
    widest = max(kind.itemsize for kind in formats)
    whole = -(-end // widest) * widest
    names = [name for name, _ in fields]
    return np.dtype(
        {"names": names, "formats": formats, "offsets": offsets, "itemsize": whole}, align=True
    )


class Layout(NamedTuple):
    """The element type and the number of dimensions of an array that a kernel takes from Python,
    C-contiguous.
    """

    dtype: np.dtype[Any]
    dimensions: int


# Types of kernel arguments; the number is the number of dimensions.
Floats1 = Annotated[Floats, Layout(np.dtype(np.float64), 1)]
Floats2 = Annotated[Floats, Layout(np.dtype(np.float64), 2)]
Floats3 = Annotated[Floats, Layout(np.dtype(np.float64), 3)]
Integers1 = Annotated[Integers, Layout(np.dtype(np.int64), 1)]
Integers2 = Annotated[Integers, Layout(np.dtype(np.int64), 2)]
Integers3 = Annotated[Integers, Layout(np.dtype(np.int64), 3)]
Flags1 = Annotated[Flags, Layout(np.dtype(np.bool_), 1)]
Flags2 = Annotated[Flags, Layout(np.dtype(np.bool_), 2)]
Uint32s1 = Annotated[NDArray[np.uint32], Layout(np.dtype(np.uint32), 1)]
Uint32s2 = Annotated[NDArray[np.uint32], Layout(np.dtype(np.uint32), 2)]
Uint32s3 = Annotated[NDArray[np.uint32], Layout(np.dtype(np.uint32), 3)]
Int8s1 = Annotated[NDArray[np.int8], Layout(np.dtype(np.int8), 1)]
Uint8s1 = Annotated[NDArray[np.uint8], Layout(np.dtype(np.uint8), 1)]
Uint8s2 = Annotated[NDArray[np.uint8], Layout(np.dtype(np.uint8), 2)]
Uint8s3 = Annotated[NDArray[np.uint8], Layout(np.dtype(np.uint8), 3)]
Uint16s2 = Annotated[NDArray[np.uint16], Layout(np.dtype(np.uint16), 2)]
Uint64s1 = Annotated[NDArray[np.uint64], Layout(np.dtype(np.uint64), 1)]
Int32s1 = Annotated[NDArray[np.int32], Layout(np.dtype(np.int32), 1)]
Float32s1 = Annotated[NDArray[np.float32], Layout(np.dtype(np.float32), 1)]
Float32s2 = Annotated[NDArray[np.float32], Layout(np.dtype(np.float32), 2)]
