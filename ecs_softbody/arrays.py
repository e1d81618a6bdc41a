"""Names of array types that many rooms share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Indices = NDArray[np.int32]
"""Rows that a component stores, such as both ends of a spring."""
Flags = NDArray[np.bool_]
