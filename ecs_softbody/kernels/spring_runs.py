"""Runs: springs that follow one another along both of their ends, so that several are computed by one instruction.

In a run the springs s, s+1, s+2, ... join the particles a, a+1, a+2, ... with b, b+1, b+2, .... Rings and chains
consist of them as they are given, lattices when sorted by b - a and a. There each row of cells ends with a gap of one
spring; a spring without strength bridges it.
"""

import numpy as np

from ecs_softbody.kernels.compiling import lean
from ecs_softbody.kernels.spring_force import CHUNK

LEAST_LENGTH = 7
"""Springs in a run, on the average of a component, from which on runs are faster than springs one by one."""
LONGEST_STEP = 2
"""Particles from one spring of a run to the next one; between those further apart than 1 are bridges."""
BLOCK = 64
"""Rows that are compared, and written anew, together."""


@lean
def find_runs(
    slots: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    pairs: np.ndarray,
    run_order: np.ndarray,
    runs: np.ndarray,
    place: np.ndarray,
) -> tuple[int, int, bool]:
    """Write the runs (R, 5) of the components `slots`, which are in the order of their rows [first, last).

    A run is (place of its first spring, its ends a and b, springs and bridges, slot); none leaves its component.
    `place` (M,) gets the place of each row, of those that nobody has as well: itself, and behind the first component
    that needs `run_order` (M,), its rows counted from `first`, another one. Returns R, the number of bridges, and
    whether any component needs it.
    """
    run_count, bridges, moved, placed = 0, 0, False, 0
    for slot in slots:
        start, stop = int(first[slot]), int(last[slot])
        at = start + bridges
        for row in range(placed, start):
            place[row] = row + bridges
        placed = max(placed, stop)
        count, behind = lay_runs(start, stop, at, 1, pairs, run_order, runs[run_count:], place)
        if count == 0:
            count, behind = lay_runs(start, stop, at, LONGEST_STEP, pairs, run_order, runs[run_count:], place)
            moved |= count > 0
        runs[run_count : run_count + count, 4] = slot
        run_count += count
        if count > 0:
            bridges = behind - stop
        else:
            for row in range(start, stop):
                place[row] = row + bridges
    for row in range(placed, len(place)):
        place[row] = row + bridges
    return run_count, bridges, moved


@lean
def lay_runs(
    start: int,
    stop: int,
    at: int,
    longest_step: int,
    pairs: np.ndarray,
    run_order: np.ndarray,
    runs: np.ndarray,
    place: np.ndarray,
) -> tuple[int, int]:
    """Write the runs of the rows [start, stop) to places from `at` on; return how many, and the place behind them.

    With steps longer than 1 the rows are taken in `run_order`. Where runs are too short there are none.
    """
    most = (stop - start) // LEAST_LENGTH
    count, length, a, b = 0, 0, 0, 0
    for s in range(start, stop):
        row = start + int(run_order[s]) if longest_step > 1 else s
        step, other = int(pairs[row, 0]) - a, int(pairs[row, 1]) - b
        a, b = a + step, b + other
        if length > 0 and step == other and 1 <= step <= longest_step and length + step <= CHUNK:
            length += step
            at += step
        else:
            if count == most:
                return 0, at
            length = 1
            at += 1
            runs[count, 0], runs[count, 1], runs[count, 2] = at - 1, a, b
            count += 1
        runs[count - 1, 3] = length
        place[row] = at - 1
    return count, at


@lean
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
