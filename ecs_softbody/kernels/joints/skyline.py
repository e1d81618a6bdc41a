"""A direct solver of sparse linear equations A x = b for the joints: A = L U, without allocation
and without pivoting. The pattern of A is symmetric, its diagonal heavy, its values need not be
symmetric.

Row i is stored from its first entry, in the column first[i], to the diagonal (its skyline): `lower`
has A[i, j] at start[i] + j - first[i], `upper` has A[j, i] there. Factoring fills nothing outside
of it. A good order of the rows keeps it thin: the reverse Cuthill-McKee order (E. Cuthill and J.
McKee, "Reducing the bandwidth of sparse symmetric matrices", 1969; reversed by A. George, 1971)
numbers a graph breadth first from its rim, so that a chain becomes tridiagonal. Groups of rows that
have nothing in common follow each other, and are factored one by one.
"""

import numpy as np

from ecs_softbody.arrays import Integers1
from ecs_softbody.parallel.compiling import entry, kernel

LEAST_PIVOT = 1e-13
"""A pivot that is a smaller share of its diagonal is rounding: the row depends on others, and the
diagonal is used in its place.
"""


@entry
def order_rows(
    adjacent_first: Integers1,
    adjacent: Integers1,
    order: Integers1,
    group: Integers1,
    level: Integers1,
) -> int:
    """Write the rows in reverse Cuthill-McKee order, and the connected group of each; return the
    number of groups.

    adjacent[adjacent_first[i]:adjacent_first[i + 1]] are the neighbours of i. Groups are
    consecutive in `order` (R,); group[i] is the group of order[i]. `level` (R,) has to be -1.
    """
    done = 0
    groups = 0
    for seed in range(len(order)):
        if level[seed] != -1:
            continue
        start = seed
        # Go to the rim: the row that is found last is furthest away; start from it again.
        for _ in range(3):
            stop = _spread(adjacent_first, adjacent, start, done, order, level)
            start = order[stop - 1]
            for i in range(done, stop):
                level[order[i]] = -1
        stop = _spread(adjacent_first, adjacent, start, done, order, level)
        for i in range((stop - done) // 2):
            order[done + i], order[stop - 1 - i] = order[stop - 1 - i], order[done + i]
        group[done:stop] = groups
        groups += 1
        done = stop
    return groups


@kernel
def _spread(
    adjacent_first: np.ndarray,
    adjacent: np.ndarray,
    start: int,
    done: int,
    order: np.ndarray,
    level: np.ndarray,
) -> int:
    """Write all rows connected with `start` to order[done:], breadth first, of each row the
    neighbours with the fewest neighbours first, and their distance from `start` to `level`; return
    the end of these rows in `order`.
    """
    order[done] = start
    level[start] = 0
    head = done
    tail = done + 1
    while head < tail:
        at = order[head]
        head += 1
        before = tail
        for k in range(adjacent_first[at], adjacent_first[at + 1]):
            other = adjacent[k]
            if level[other] == -1:
                level[other] = level[at] + 1
                degree = adjacent_first[other + 1] - adjacent_first[other]
                i = tail
                while i > before and (
                    adjacent_first[order[i - 1] + 1] - adjacent_first[order[i - 1]] > degree
                ):
                    order[i] = order[i - 1]
                    i -= 1
                order[i] = other
                tail += 1
    return tail


@kernel
def factor(
    first: np.ndarray, start: np.ndarray, begin: int, end: int, lower: np.ndarray, upper: np.ndarray
) -> None:
    """Replace the rows [begin, end) of A, one group, by its factors: L below the diagonal in
    `lower` (its diagonal is 1), U above the diagonal in `upper`, the diagonal of U in `lower`.
    """
    for i in range(begin, end):
        row = start[i] - first[i]
        whole = lower[row + i]
        pivot = whole
        for j in range(first[i], i):
            other = start[j] - first[j]
            left = lower[row + j]
            right = upper[row + j]
            for k in range(max(first[i], first[j]), j):
                left -= lower[row + k] * upper[other + k]
                right -= lower[other + k] * upper[row + k]
            left /= lower[other + j]
            lower[row + j] = left
            upper[row + j] = right
            pivot -= left * right
        lower[row + i] = pivot if abs(pivot) > LEAST_PIVOT * abs(whole) else whole


@kernel
def solve_factored(
    first: np.ndarray,
    start: np.ndarray,
    begin: int,
    end: int,
    lower: np.ndarray,
    upper: np.ndarray,
    x: np.ndarray,
) -> None:
    """Solve A x = b for the rows [begin, end) with the factors that `factor` has left: x holds b
    before and the solution after. L is solved forwards, then U backwards.
    """
    for i in range(begin, end):
        row = start[i] - first[i]
        total = x[i]
        for j in range(first[i], i):
            total -= lower[row + j] * x[j]
        x[i] = total
    for i in range(end - 1, begin - 1, -1):
        row = start[i] - first[i]
        x[i] /= lower[row + i]
        for j in range(first[i], i):
            x[j] -= upper[row + j] * x[i]
