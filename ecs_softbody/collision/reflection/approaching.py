"""Approaching: which contacts reflect, which of them approach, and which contacts a disc has.

A contact reflects if each side of it is a lone disc, a body of one particle without an outline, or what nothing moves:
a wall, a pinned or a kinematic particle. A body with springs or an outline gives way, and a particle of a joint bounces
together with its joint: both have the older law (bounce.py).

It approaches if it would meet in this substep, and is fast enough to bounce. The speed that counts is the one between
the two halves of the kick, see reflection.py.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Floats2, Integers1, Integers2, Layout
from ecs_softbody.collision.contacts.contact import ContactArrays, ParticleArrays, Rows
from ecs_softbody.collision.solve.bounce import least_speed_squared
from ecs_softbody.parallel.compiling import inline, kernel

NONE = -1
STAMP, IS_INDEXED, MUST_SEARCH, MUST_WAKE, LOOKS = range(5)
"""Numbers in `Reflection.state`: of the last look, whether the index is that of the contacts, what has to be done
before the reflection can go on, and how many looks the last one took."""
HEAD, GROUP, FIRST, VISITED = range(4)
"""Columns of `Reflection.of_rows`: the last end of a contact at the row in the index, another row of its group, the first
member of the group of a row that stands for it, and the look that has looked at its contacts last."""
LISTED, SEEN, CHANGED, NOTED, BEFORE, BEFORE_OTHER = range(6)
"""Columns of `Reflection.of_contacts`: the contacts of the next look; the look that has seen a contact last; the contacts
that were reflected in this substep; the first look of the reflection that has changed one last; and of each contact the
ends of others that come before its two ends in the index."""
NOISE = 1e-9
"""Slower than this [m/s] nothing approaches, where there is no gravity either."""

MEMBER = np.dtype(
    [
        *[(name, np.int64) for name in ("contact", "particle", "other", "following")],
        *[(name, np.float64) for name in ("normal_x", "normal_y", "effective_mass", "inverse_mass")],
        *[(name, np.float64) for name in ("inverse_mass_other", "wall_speed", "approach", "stopped", "impulse")],
        *[(name, np.float64) for name in ("restitution",)],
        ("is_driven", np.bool_),
    ],
    align=True,
)
"""A contact of the set that approaches, see reflection.py. `other` is NONE for a wall, which moves along the normal at
`wall_speed` [m/s]; `following` is the next one of its group, or NONE. `approach` and `stopped` [m/s] are the relative
speed along the normal before and after the impulse [N·s] that stops it. `is_driven`: one side moves, whatever pushes.
"""


class Reflection(NamedTuple):
    """Workspace for R rows and C contacts, and where the rows were at the last search."""

    of_rows: Integers2  # (R, 4) columns HEAD to VISITED
    of_contacts: Integers2  # (C, 6) columns LISTED to BEFORE_OTHER
    middle: Floats2  # (R, 2) [m/s] between the halves of the kick
    members: Annotated[np.ndarray, Layout(MEMBER, 1)]
    """(C,) MEMBER"""
    state: Integers1  # (5,)
    last_position: Floats2  # (R, 2) [m] at the last search
    limits: Floats1  # (R,) [m²] squares of how far they may move until the next one, see LastSearch

    @classmethod
    def reserve(cls, rows: int, contacts: int, last_position: Floats2, limits: Floats1) -> "Reflection":
        """Return workspace for that many rows and contacts."""
        numbers = np.zeros((rows, 4), np.int64), np.zeros((contacts, 6), np.int64)
        members, state = np.zeros(contacts, MEMBER), np.zeros(5, np.int64)
        return cls(*numbers, np.zeros((rows, 2)), members, state, last_position, limits)


@inline
def can_reflect(lone: np.ndarray, inverse_mass: np.ndarray, rows: np.ndarray, proxies: np.ndarray, c: int) -> bool:
    """True if contact c is one of lone discs (B,) and of what nothing moves; inverse_mass: of the particles (N,)."""
    i, j, p, a, b = proxies[c, 0], proxies[c, 1], rows[c, 0], rows[c, 1], rows[c, 2]
    count = inverse_mass.shape[0]
    if p >= count or not (lone[i] or inverse_mass[p] == 0.0):
        return False
    if j >= lone.shape[0]:
        return True
    return lone[j] or (inverse_mass[a] == 0.0 and inverse_mass[b] == 0.0)


@inline
def speed_along(values: np.ndarray, contacts: ContactArrays, c: int, rows: Rows) -> float:
    """Return the relative speed along the normal [m/s] in `values` (N, 2); that of walls is in `rows.predicted`."""
    contact, predicted = contacts.records[c], rows.predicted
    nx, ny, t = contact["normal_x"], contact["normal_y"], contact["edge_fraction"]
    p, a, b = contacts.rows[c, 0], contacts.rows[c, 1], contacts.rows[c, 2]
    speed = values[p, 0] * nx + values[p, 1] * ny
    if a >= rows.offset:
        vx = predicted[a, 0] + t * (predicted[b, 0] - predicted[a, 0])
        vy = predicted[a, 1] + t * (predicted[b, 1] - predicted[a, 1])
    elif a == b:
        vx, vy = values[a, 0], values[a, 1]
    else:
        vx, vy = values[a, 0] + t * (values[b, 0] - values[a, 0]), values[a, 1] + t * (values[b, 1] - values[a, 1])
    return speed - vx * nx - vy * ny


@inline
def approach_of(
    contacts: ContactArrays, c: int, motion: ParticleArrays, rows: Rows, strength: float, dt: float
) -> float:
    """Return the speed [m/s] along the normal, negative, of a contact that would meet and is fast enough; else 0.

    strength: of gravity [m/s²].
    """
    contact = contacts.records[c]
    full = speed_along(rows.predicted, contacts, c, rows)
    if contact["separation"] + dt * full >= 0.0:
        return 0.0
    p, a, b = contacts.rows[c, 0], contacts.rows[c, 1], contacts.rows[c, 2]
    if motion.jointed[p] or (a < rows.offset and (motion.jointed[a] or motion.jointed[b])):
        return 0.0
    speed = 0.5 * (speed_along(motion.velocity, contacts, c, rows) + full)
    least = least_speed_squared(rows.radius[p] + rows.radius[a], strength, dt)
    return speed if speed < -NOISE and speed * speed > least else 0.0


@inline
def is_asleep(row: int, motion: ParticleArrays, rows: Rows) -> bool:
    """True if a row is a particle that could move, but does not in this substep."""
    return row < rows.offset and rows.inverse_mass[row] == 0.0 and motion.inverse_mass[row] > 0.0


@kernel
def index_contacts(contacts: ContactArrays, rows: Rows, reflection: Reflection) -> None:
    """List for every row the contacts at it that may reflect: end 2 c of contact c is at its p, 2 c + 1 at its a."""
    of_rows, of_contacts = reflection.of_rows, reflection.of_contacts
    for row in range(of_rows.shape[0]):
        of_rows[row, HEAD] = NONE
    for c in range(contacts.rows.shape[0]):
        if contacts.records[c]["reflects"] and contacts.records[c]["restitution"] > 0.0:
            p, a = contacts.rows[c, 0], contacts.rows[c, 1]
            of_contacts[c, BEFORE] = of_rows[p, HEAD]
            of_rows[p, HEAD] = 2 * c
            if a < rows.offset:
                of_contacts[c, BEFORE_OTHER] = of_rows[a, HEAD]
                of_rows[a, HEAD] = 2 * c + 1
    reflection.state[IS_INDEXED] = 1


@kernel
def look_again(
    count: int, contacts: ContactArrays, motion: ParticleArrays, rows: Rows, reflection: Reflection, strength: float,
    dt: float, least: float,
) -> int:  # fmt: skip
    """List the contacts that approach now at the rows of the `count` members; return how many.

    least: those slower than this [m/s] do not count any more.
    """
    members, state, found = reflection.members, reflection.state, 0
    of_rows, of_contacts = reflection.of_rows, reflection.of_contacts
    state[STAMP] += 1
    stamp = state[STAMP]
    for m in range(count):
        member = members[m]
        for side in range(2):
            row = member["particle"] if side == 0 else member["other"]
            if row == NONE or rows.inverse_mass[row] == 0.0 or of_rows[row, VISITED] == stamp:
                continue
            of_rows[row, VISITED] = stamp
            end = of_rows[row, HEAD]
            while end != NONE:
                c = end // 2
                end = of_contacts[c, BEFORE + end % 2]
                if of_contacts[c, SEEN] == stamp:
                    continue
                of_contacts[c, SEEN] = stamp
                if not contacts.records[c]["active"]:
                    continue
                if not approach_of(contacts, c, motion, rows, strength, dt) < -least:
                    continue
                if is_asleep(contacts.rows[c, 0], motion, rows) or is_asleep(contacts.rows[c, 1], motion, rows):
                    state[MUST_WAKE] = 1
                elif not is_done(contacts, c, rows):
                    of_contacts[found, LISTED] = c
                    found += 1
    return found


@inline
def is_done(contacts: ContactArrays, c: int, rows: Rows) -> bool:
    """True if something that moves whatever pushes has reflected this contact already in this substep.

    What lies between two of these would become faster with each look, without end.
    """
    return contacts.records[c]["reflected_impulse"] > 0.0 and is_driven(contacts, c, rows)


@inline
def is_driven(contacts: ContactArrays, c: int, rows: Rows) -> bool:
    """True if one side of a contact moves and cannot be pushed."""
    for side in range(3):
        row = contacts.rows[c, side]
        if rows.inverse_mass[row] == 0.0 and (rows.predicted[row, 0] != 0.0 or rows.predicted[row, 1] != 0.0):
            return True
    return False
