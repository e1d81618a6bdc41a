"""Pairs of rows of joints that have a particle in common. Only these have an entry in the matrix
A = J W Jᵀ of the solver (solve.py). They are listed when the joints of a world have changed.
"""

from ecs_softbody.arrays import Integers1, Integers2
from ecs_softbody.parallel.compiling import entry


@entry
def list_shared(
    run_first: Integers1, row: Integers1, term: Integers1, particle: Integers1, found: Integers2
) -> int:
    """Write (later row, earlier row, particle, term of the later row, term of the earlier row) of
    each pair of terms with the same particle, a term with itself included, to `found` (K, 5);
    return the number of pairs. Pairs beyond len(found) are only counted: call again with room.

    row, term, particle (T,): the terms, sorted by particle; run i of equal particles is
    [run_first[i], run_first[i + 1]).
    """
    count = 0
    for run in range(len(run_first) - 1):
        for i in range(run_first[run], run_first[run + 1]):
            for j in range(run_first[run], i + 1):
                if count < len(found):
                    a, b = (i, j) if row[i] >= row[j] else (j, i)
                    found[count, 0] = row[a]
                    found[count, 1] = row[b]
                    found[count, 2] = particle[i]
                    found[count, 3] = term[a]
                    found[count, 4] = term[b]
                count += 1
    return count
