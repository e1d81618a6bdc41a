"""The physical limit: the substep of S1 in C, compiled on the spot where there is a compiler."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scenes import FRAME, GRAVITY, SUBSTEPS, Scene

SOURCE = Path(__file__).with_name("spring_grid.c")
FLAGS = (
    "-O3",
    "-march=native",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=fast",
    "-shared",
    "-fPIC",
)
"""Without -ffast-math, which would change how the whole process rounds tiny numbers."""
ROUNDS = 7
FRAMES = 30
LAYOUTS = ("scatter", "runs")
Floats = NDArray[np.float64]


@dataclass
class Limit:
    """What the C reference took."""

    compiler: str
    milliseconds: dict[str, float]
    """CPU time of a frame of S1 by layout, median."""
    nanoseconds: dict[str, float]
    """The same for one spring in one substep, its share of the particles included."""


def compiler() -> str | None:
    """Return the C compiler, or None."""
    return next((found for name in ("cc", "gcc", "clang") if (found := shutil.which(name))), None)


def compiler_version() -> str:
    """Return the first line that the compiler says about itself."""
    return subprocess.run(
        [str(compiler()), "--version"], capture_output=True, text=True, check=True
    ).stdout.split("\n")[0]


def compiled(folder: str) -> ctypes.CDLL:
    """Compile the source into a folder and load it."""
    target = Path(folder) / "spring_grid.so"
    subprocess.run([str(compiler()), *FLAGS, str(SOURCE), "-o", str(target), "-lm"], check=True)
    return ctypes.CDLL(str(target))


def runs_of(pairs: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the order (M,) in which springs form runs, and where each run begins (R + 1,).

    In a run both ends go on by one particle from spring to spring.
    """
    apart = pairs[:, 1] - pairs[:, 0]
    order = np.lexsort((pairs[:, 0], apart))
    sorted_pairs = pairs[order]
    begins = np.flatnonzero((np.diff(sorted_pairs, axis=0) != 1).any(axis=1)) + 1
    return order, np.concatenate([[0], begins, [len(pairs)]])


class Substep:
    """S1 as C arrays, in one of the layouts."""

    def __init__(self, scene: Scene, layout: str, library: ctypes.CDLL) -> None:
        self.call = getattr(library, layout)
        self.layout = layout
        self.call.restype = None
        order, starts = runs_of(scene.pairs)
        if layout == "scatter":
            order = np.arange(len(scene.pairs))
        count = len(order)
        self.x, self.y = (np.ascontiguousarray(scene.position[:, axis]) for axis in (0, 1))
        self.state = [self.x, self.y, *(np.zeros(len(self.x)) for _ in range(4))]
        self.weight = np.where(scene.pinned, 0.0, 1.0 / scene.mass)
        self.parameters = [
            np.full(count, scene.stiffness),
            np.full(count, scene.damping),
            scene.rest_length[order],
        ]
        ends = np.ascontiguousarray(scene.pairs[order].T.astype(np.uint32))
        if layout == "runs":
            ends = np.ascontiguousarray(ends[:, starts[:-1]])
            longest = int(np.diff(starts).max())
            self.room = [np.zeros(longest), np.zeros(longest)]
            self.starts = [starts]
            self.length = len(starts) - 1
        else:
            self.room = []
            self.starts = []
            self.length = count
        self.ends = [ends[0], ends[1]]

    def step(self) -> None:
        """Run one frame."""
        arrays = [*self.starts, *self.ends, *self.parameters, *self.state, self.weight, *self.room]
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
        sizes = [ctypes.c_int64(size) for size in (SUBSTEPS, self.length, len(self.x))]
        self.call(*sizes, *pointers, ctypes.c_double(GRAVITY), ctypes.c_double(FRAME / SUBSTEPS))

    def positions(self) -> Floats:
        """Return all particles (N, 2) [m]."""
        return np.column_stack([self.x, self.y])


def measure(scene: Scene) -> Limit | None:
    """Time both layouts in turn; None without a compiler."""
    if compiler() is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(folder)
        substeps = {layout: Substep(scene, layout, library) for layout in LAYOUTS}
        spent: dict[str, list[float]] = {layout: [] for layout in LAYOUTS}
        for _ in range(ROUNDS):
            for layout, substep in substeps.items():
                started = time.process_time()
                for _ in range(FRAMES):
                    substep.step()
                spent[layout].append((time.process_time() - started) / FRAMES)
    milliseconds = {layout: 1e3 * float(np.median(times)) for layout, times in spent.items()}
    springs = len(scene.pairs) * SUBSTEPS
    return Limit(
        compiler_version(),
        milliseconds,
        {name: 1e6 * ms / springs for name, ms in milliseconds.items()},
    )
