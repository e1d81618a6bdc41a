"""Which rows of joints have a particle in common: the entries of A = J W Jᵀ."""

from ecs_softbody.arrays import Integers1, Integers2
from ecs_softbody.parallel.compiling import entry


@entry
def list_shared(
    run_first: Integers1, row: Integers1, term: Integers1, particle: Integers1, found: Integers2
) -> int:
    """List (later row, earlier row, particle, term, term) of each pair of terms with the same
    particle; return how many.

    Terms are sorted by particle, in runs from run_first[i] to run_first[i + 1]. Pairs beyond
    len(found) are only counted.
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
