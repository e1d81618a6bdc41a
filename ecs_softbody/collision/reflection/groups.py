"""Groups: contacts of the set that share a disc are solved together, all others one by one."""

import numpy as np

from ecs_softbody.collision.contacts.contact import Rows
from ecs_softbody.collision.reflection.approaching import NONE, Reflection
from ecs_softbody.parallel.compiling import inline, kernel


@kernel
def find_groups(count: int, rows: Rows, reflection: Reflection) -> None:
    """Chain the first `count` members of each group, in their order; a group begins where `first` of its row says."""
    members, group, first = reflection.members, reflection.group, reflection.first
    for m in range(count):
        member = members[m]
        p, a = member["particle"], member["other"]
        group[p], first[p] = p, NONE
        if a != NONE:
            group[a], first[a] = a, NONE
    for m in range(count):
        p, a = members[m]["particle"], members[m]["other"]
        if a != NONE and rows.inverse_mass[p] > 0.0 and rows.inverse_mass[a] > 0.0:
            one, two = root_of(group, p), root_of(group, a)
            group[max(one, two)] = min(one, two)
    for k in range(count):
        m = count - 1 - k
        row = row_of(reflection, rows, m)
        members[m]["following"] = first[row]
        first[row] = m


@inline
def row_of(reflection: Reflection, rows: Rows, m: int) -> int:
    """Return the row that stands for the group of member m."""
    member = reflection.members[m]
    row = member["particle"] if rows.inverse_mass[member["particle"]] > 0.0 else member["other"]
    return root_of(reflection.group, row)


@inline
def root_of(group: np.ndarray, row: int) -> int:
    """Return the row that stands for the group of a row."""
    while group[row] != row:
        group[row] = group[group[row]]
        row = group[row]
    return row
