"""Groups: contacts of the set that share a disc are solved together, all others one by one."""

import numpy as np

from ecs_softbody.collision.contacts.contact import Rows
from ecs_softbody.collision.reflection.approaching import FIRST, GROUP, NONE, Reflection
from ecs_softbody.parallel.compiling import inline, kernel


@kernel
def find_groups(count: int, rows: Rows, reflection: Reflection) -> None:
    """Chain the first `count` members of each group, in their order; a group begins where FIRST of its row says."""
    members, of_rows = reflection.members, reflection.of_rows
    for m in range(count):
        member = members[m]
        p, a = member["particle"], member["other"]
        of_rows[p, GROUP], of_rows[p, FIRST] = p, NONE
        if a != NONE:
            of_rows[a, GROUP], of_rows[a, FIRST] = a, NONE
    for m in range(count):
        p, a = members[m]["particle"], members[m]["other"]
        if a != NONE and rows.inverse_mass[p] > 0.0 and rows.inverse_mass[a] > 0.0:
            one, two = root_of(of_rows, p), root_of(of_rows, a)
            of_rows[max(one, two), GROUP] = min(one, two)
    for k in range(count):
        m = count - 1 - k
        row = row_of(reflection, rows, m)
        members[m]["following"] = of_rows[row, FIRST]
        of_rows[row, FIRST] = m


@inline
def row_of(reflection: Reflection, rows: Rows, m: int) -> int:
    """Return the row that stands for the group of member m."""
    member = reflection.members[m]
    row = member["particle"] if rows.inverse_mass[member["particle"]] > 0.0 else member["other"]
    return root_of(reflection.of_rows, row)


@inline
def root_of(of_rows: np.ndarray, row: int) -> int:
    """Return the row that stands for the group of a row."""
    while of_rows[row, GROUP] != row:
        of_rows[row, GROUP] = of_rows[of_rows[row, GROUP], GROUP]
        row = of_rows[row, GROUP]
    return row
