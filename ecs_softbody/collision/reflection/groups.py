"""Groups: the contacts of a look that share a disc, which are solved together (union-find).

A look of the reflection takes all contacts that approach, its members. An immovable disc joins no
group. Members without a shared disc are groups by themselves, which have a closed solution.
"""

import numpy as np

from ecs_softbody.collision.contacts.contact import Rows
from ecs_softbody.collision.reflection.approaching import FIRST, GROUP, Reflection
from ecs_softbody.collision.reflection.responses import NONE, count_pushed, row_pushed
from ecs_softbody.parallel.compiling import inline, kernel


@kernel
def find_groups(count: int, rows: Rows, reflection: Reflection) -> None:
    """Link the `count` members of a look to a list for each group, in their order: `following`
    leads on from FIRST of the row that stands for the group.
    """
    members = reflection.members
    of_rows = reflection.of_rows
    for m in range(count):
        for k in range(count_pushed(members[m])):
            row = row_pushed(k, members[m], reflection.responses)
            if row != NONE:
                of_rows[row, GROUP] = row
                of_rows[row, FIRST] = NONE
    for m in range(count):
        before = NONE
        for k in range(count_pushed(members[m])):
            row = row_pushed(k, members[m], reflection.responses)
            if row == NONE or rows.inverse_mass[row] == 0.0:
                continue
            if before != NONE:
                one = root_of(of_rows, before)
                two = root_of(of_rows, row)
                of_rows[max(one, two), GROUP] = min(one, two)
            before = row
    for k in range(count):
        m = count - 1 - k
        row = row_of(reflection, rows, m)
        members[m]["following"] = of_rows[row, FIRST]
        of_rows[row, FIRST] = m


@inline
def row_of(reflection: Reflection, rows: Rows, m: int) -> int:
    """Return the row that stands for the group of member m, by a side that can move."""
    member = reflection.members[m]
    row = member["particle"] if rows.inverse_mass[member["particle"]] > 0.0 else member["other"]
    return root_of(reflection.of_rows, row)


@inline
def root_of(of_rows: np.ndarray, row: int) -> int:
    """Return the row that stands for the group of a row: the root of its union-find tree."""
    while of_rows[row, GROUP] != row:
        of_rows[row, GROUP] = of_rows[of_rows[row, GROUP], GROUP]
        row = of_rows[row, GROUP]
    return row
