"""Runs: springs that follow one another along both of their ends, so that several are computed by one instruction.

In a run the springs s, s+1, s+2, ... join the particles a, a+1, a+2, ... with b, b+1, b+2, .... Rings, chains and the
rows of lattices consist of them, some in the order in which they are given, others when sorted by b - a and a.
"""

import numpy as np

from ecs_softbody.kernels.compiling import kernel
from ecs_softbody.kernels.spring_force import CHUNK

LEAST_LENGTH = 7
"""Springs in a run, on the average of a component, from which on runs are faster than springs one by one."""
BLOCK = 64
"""Rows that are compared, and written anew, together."""


@kernel
def find_runs(
    slots: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    pairs: np.ndarray,
    run_order: np.ndarray,
    runs: np.ndarray,
    spans: np.ndarray,
    place: np.ndarray,
) -> tuple[int, int, bool]:
    """Write the runs (R, 4) of the components `slots`, rows [first, last), and the spans (S, 2) of rows in none.

    Each component takes its rows in `run_order` (M,), counted from its first; `place` (M,) gets the inverse, counted
    from 0. No run leaves its component. Returns R, S, and whether any rows of runs are out of their order. A run is
    (place of its first spring, its ends a and b, springs), at most CHUNK of them.
    """
    run_count, span_count, moved = 0, 0, False
    for slot in slots:
        start, stop = np.int64(first[slot]), np.int64(last[slot])
        before, length, out_of_order = run_count, 0, False
        a, b = np.int64(0), np.int64(0)
        for s in range(start, stop):
            row = start + np.int64(run_order[s])
            place[row] = s
            out_of_order |= row != s
            follows = length > 0 and pairs[row, 0] == a + 1 and pairs[row, 1] == b + 1
            a, b = np.int64(pairs[row, 0]), np.int64(pairs[row, 1])
            if follows and length < CHUNK:
                length += 1
            else:
                length = 1
                if LEAST_LENGTH * (run_count - before) <= stop - start:
                    run_count += 1
                runs[run_count - 1, 0], runs[run_count - 1, 1], runs[run_count - 1, 2] = s, a, b
            runs[run_count - 1, 3] = length
        if LEAST_LENGTH * (run_count - before) <= stop - start:
            moved |= out_of_order
            continue
        run_count = before
        if span_count and spans[span_count - 1, 1] == start:
            spans[span_count - 1, 1] = stop
        else:
            spans[span_count, 0], spans[span_count, 1] = start, stop
            span_count += 1
    return run_count, span_count, moved


@kernel
def follow_changes(
    active: np.ndarray, place: np.ndarray, values: np.ndarray, seen: np.ndarray, carried: np.ndarray
) -> None:
    """Write values[s] to carried[place[s]] where they differ from `seen` in the row spans `active` (S, 2).

    All (M,), place and active of whole numbers. Bits are compared, so NaN equals itself.
    """
    now, then = values.view(np.int64), seen.view(np.int64)
    for span in range(active.shape[0]):
        for start in range(active[span, 0], active[span, 1], BLOCK):
            stop = min(start + BLOCK, active[span, 1])
            new, old = now[start:stop], then[start:stop]
            changed = np.int64(0)
            for s in range(stop - start):
                changed |= new[s] ^ old[s]
            if changed:
                for s in range(start, stop):
                    then[s] = now[s]
                    carried[place[s]] = values[s]
