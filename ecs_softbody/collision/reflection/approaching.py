"""Approaching: which contacts reflect, which of them approach now, and the workspace of reflection.

Reflection lets elastic discs bounce at once, before the contact solver (reflection.py). It works in
looks: a look takes all contacts that approach, reflects them together, and the next one takes the
contacts that approach afterwards. A member is a contact in the present look. A contact reflects if
each side is a disc held by joints and limits at most, or immovable: a wall, a pinned or a kinematic
particle. A body with springs or an outline yields: it has the older law (bounce.py). Particles that
joints hold to a disc are pushed with it (responses.py).

It approaches if it would meet in this substep, and is fast enough to bounce. The speed that counts
is the one between the two halves of the kick, see reflection.py.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Floats2, Integers1, Integers2, Layout, Uint32s2, record
from ecs_softbody.collision.contacts.contact import ContactArrays, ParticleArrays, Rows, are_discs
from ecs_softbody.collision.reflection.responses import NONE, Responses, count_pushed, row_pushed
from ecs_softbody.collision.solve.bounce import FEWEST_SUBSTEPS, least_speed_squared
from ecs_softbody.parallel.compiling import inline, kernel

STAMP, IS_INDEXED, MUST_SEARCH, MUST_WAKE, LOOKS, ASKS, PENDING, BEGUN, DONE, WORK = range(10)
"""Numbers in `Reflection.state`:

STAMP        number of the last look, counted on for ever: columns compare with it
IS_INDEXED   1: `ends` matches the contacts
MUST_SEARCH  1: a struck disc may meet something that it has no contact with
MUST_WAKE    1: a struck disc meets a sleeping one
LOOKS        looks in this reflection so far
ASKS         1: joints answer for discs that they hold
PENDING      contacts listed for the next look, while it waits for the answer of joints
BEGUN        stamp of the first look of this reflection
DONE         contacts changed so far, while it waits
WORK         contact updates so far, while it waits
"""
START, STOP, GROUP, FIRST, VISITED = range(5)
"""Columns of `Reflection.of_rows`. The contacts of a row are `ends[START:STOP]`. GROUP: another row
of its group (union-find; the root stands for the group). FIRST: of a root, the first member of the
group. VISITED: stamp of the look that has looked at the row's contacts last.
"""
LISTED, SEEN, CHANGED, NOTED = range(4)
"""Columns of `Reflection.of_contacts`. LISTED and CHANGED are lists: the contacts of the next look,
and the contacts reflected in this substep. SEEN and NOTED belong to each contact: stamp of the
look that has seen it last, and BEGUN of the reflection that has changed it last.
"""
SPENT = 0.5
"""A contact that was reflected n times in a substep, so that at most this fraction e^n of its speed
is left, only stops.
"""
FAINT = 1e-7
"""Contacts that an impact at a speed u makes approach more slowly than this fraction of u are
stopped but not reflected.
"""
SLIGHT = 0.2
"""The same as a fraction of the speed (1 - e) u that the impact itself loses: at e = 0.5 that takes
at most 0.25 % of its energy, and without it a shock in a heap took three times as many looks. With
e = 1 it has no effect.
"""
ALIKE = 1.0 + 1e-9
"""Factor on a squared distance: discs that will only just not meet are looked at, too, since
`is_close` rounds the distance in another way.
"""
MOST_LOOKED_UP = 100
"""Struck discs that are looked up in a substep, see struck.py; a search for all takes less time
than more of them.
"""
NOISE = 1e-9
"""Slower than this [m/s] nothing approaches, where there is no gravity either."""

MEMBER = record(
    *[(name, np.int64) for name in ("contact", "particle", "other", "following", "first", "last")],
    *[(name, np.float64) for name in ("normal_x", "normal_y", "effective_mass", "inverse_mass")],
    *[
        (name, np.float64)
        for name in ("inverse_mass_other", "wall_speed", "approach", "stopped", "impulse")
    ],
    *[(name, np.float64) for name in ("restitution", "cause")],
    *[(name, np.bool_) for name in ("is_driven", "is_single")],
)
"""A member of a look: a contact that approaches, see reflection.py.

contact                       number of the contact
particle, other               rows of both discs; other: NONE for a wall
following                     next member of its group, or NONE
first, last                   entries [first, last) of Responses: particles that joints hold to its
                              sides; first = last without joints
normal_x, normal_y            unit vector to `particle`
effective_mass [kg]           along the normal, with joints
inverse_mass [1/kg]           of `particle`
inverse_mass_other [1/kg]     of `other`
wall_speed [m/s]              of a wall along the normal
approach, stopped [m/s]       relative speed along the normal before and after the impulse that
                              stops it
impulse [N·s]                 that stops it, then with restitution
restitution                   e, with gravity on the gap that is left, see `list_members`
cause [m/s]                   speed of the impact that made it approach
is_driven                     one side moves and cannot be pushed
is_single                     it is a group by itself
"""


class Reflection(NamedTuple):
    """Workspace for R rows and C contacts, and where the rows were at the last search."""

    # (R, 5) columns START to VISITED
    of_rows: Integers2
    # (C, 4) columns LISTED to NOTED
    of_contacts: Integers2
    ends: Uint32s2
    """(2 C, 2) index of the contacts of each row, see START: number of the contact, and row of the
    other disc, or `offset` for anything else.
    """
    # (C,) [m/s] `cause` of each contact of the next look, see MEMBER
    cause: Floats1
    middle: Floats2
    """(R, 2) [m/s] velocities between the halves of the kick, v + k/2; after a look is solved,
    their change by it.
    """
    members: Annotated[np.ndarray, Layout(MEMBER, 1)]
    """(C,) MEMBER, the members of the present look first."""
    # (10,) numbers STAMP to WORK
    state: Integers1
    # (R, 2) [m] positions at the last search
    last_position: Floats2
    # (R,) [m²] squared distances that they may move before the next search, see LastSearch
    limits: Floats1
    # (I, 4) boxes of bodies and static edges at the last search, see Bounds
    box: Floats2
    # (B,) row of each body that is a single disc, else NONE
    disc_of: Integers1
    # (MOST_LOOKED_UP, 4) boxes of the paths of struck discs in a substep, see struck.py
    way: Floats2
    # (MOST_LOOKED_UP, 2) row and body of these discs
    struck: Integers2
    responses: Responses

    @classmethod
    def reserve(
        cls, rows: int, contacts: int, last_position: Floats2, limits: Floats1
    ) -> "Reflection":
        """Return workspace for that many rows and contacts, none of which is one of joints."""
        numbers = np.zeros((rows, 5), np.int64), np.zeros((contacts, 4), np.int64)
        members = np.zeros(contacts, MEMBER)
        state = np.zeros(10, np.int64)
        ends = np.zeros((2 * contacts, 2), np.uint32)
        cause = np.zeros(contacts)
        middle = np.zeros((rows, 2))
        responses = Responses.reserve(contacts, 0)
        ways = np.zeros((MOST_LOOKED_UP, 4))
        struck = np.zeros((MOST_LOOKED_UP, 2), np.int64)
        return cls(
            *numbers, ends, cause, middle, members, state, last_position, limits, np.zeros((0, 4)),
            np.zeros(0, np.int64), ways, struck, responses,
        )  # fmt: skip


@inline
def can_reflect(
    reflects: np.ndarray, inverse_mass: np.ndarray, rows: np.ndarray, proxies: np.ndarray, c: int
) -> bool:
    """True if each side of contact c is a disc that bounces by itself, or immovable.

    reflects: of bodies (B,); inverse_mass: of the particles (N,).
    """
    i = proxies[c, 0]
    j = proxies[c, 1]
    p = rows[c, 0]
    a = rows[c, 1]
    b = rows[c, 2]
    count = inverse_mass.shape[0]
    if p >= count or not (reflects[i] or inverse_mass[p] == 0.0):
        return False
    if j >= reflects.shape[0]:
        return True
    return reflects[j] or (max(a, b) < count and inverse_mass[a] == 0.0 and inverse_mass[b] == 0.0)


@inline
def speed_along(values: np.ndarray, contacts: ContactArrays, c: int, rows: Rows) -> float:
    """Return the relative normal velocity of contact c [m/s], negative on approach, for velocities
    `values` (N, 2) of particles; the velocities of walls are in `rows.predicted`.
    """
    contact = contacts.records[c]
    predicted = rows.predicted
    nx = contact["normal_x"]
    ny = contact["normal_y"]
    p = contacts.rows[c, 0]
    a = contacts.rows[c, 1]
    b = contacts.rows[c, 2]
    speed = values[p, 0] * nx + values[p, 1] * ny
    if a == b and a < rows.offset:
        return speed - values[a, 0] * nx - values[a, 1] * ny
    t = contact["edge_fraction"]
    if a >= rows.offset:
        vx = predicted[a, 0] + t * (predicted[b, 0] - predicted[a, 0])
        vy = predicted[a, 1] + t * (predicted[b, 1] - predicted[a, 1])
    else:
        vx = values[a, 0] + t * (values[b, 0] - values[a, 0])
        vy = values[a, 1] + t * (values[b, 1] - values[a, 1])
    return speed - vx * nx - vy * ny


@inline
def is_close(separation: float, speed: float, strength: float, dt: float) -> bool:
    """True if a contact meets in this substep, faster than resting ones [m/s]; most do not."""
    return separation + dt * speed < 0.0 and speed < -FEWEST_SUBSTEPS * dt * strength


@inline
def approach_of(
    contacts: ContactArrays, c: int, motion: ParticleArrays, rows: Rows, strength: float, dt: float
) -> float:
    """Return the relative speed [m/s] between the halves of the kick, negative, of a contact that
    would meet in this substep and is fast enough to bounce; else 0.

    strength: of gravity [m/s²].
    """
    contact = contacts.records[c]
    full = speed_along(rows.predicted, contacts, c, rows)
    if not is_close(contact["separation"], full, strength, dt):
        return 0.0
    p = contacts.rows[c, 0]
    a = contacts.rows[c, 1]
    before = speed_along(motion.velocity, contacts, c, rows)
    speed = 0.5 * (before + full - min(load_of(contacts, c, before, motion, rows), 0.0))
    least = least_speed_squared(rows.radius[p] + rows.radius[a], strength, dt)
    return speed if speed < -NOISE and speed * speed > least else 0.0


@inline
def load_of(
    contacts: ContactArrays, c: int, before: float, motion: ParticleArrays, rows: Rows
) -> float:
    """Return the speed at which joints press discs together [m/s], less the effect of joint
    rotation: the load that the contact bears.

    before: the speed before the forces of the substep. The load on a light wheel is no approach:
    5 kg on two wheels of 0.3 kg hopped for ever.
    """
    p = contacts.rows[c, 0]
    a = contacts.rows[c, 1]
    contact = contacts.records[c]
    is_disc = are_discs(contacts.rows, c, rows.offset)
    if not (motion.jointed[p] or (is_disc and motion.jointed[a])):
        return 0.0
    turning = (
        motion.turning[p, 0] * contact["normal_x"] + motion.turning[p, 1] * contact["normal_y"]
    )
    if is_disc:
        turning -= (
            motion.turning[a, 0] * contact["normal_x"] + motion.turning[a, 1] * contact["normal_y"]
        )
    return contact["relative_normal_velocity"] - before - 2.0 * turning


@inline
def may_reflect(contact: np.ndarray, bounces: bool) -> bool:
    """True if a contact bounces by reflection.

    bounces: whether a substep begins; then the impulses of the last reflection are cleared.
    """
    if not contact["reflects"] or contact["restitution"] == 0.0:
        return False
    if bounces:
        contact["reflected_impulse"] = 0.0
        contact["speed_left"] = 1.0
        contact["bounce_speed"] = 0.0
    return True


@inline
def does_approach(
    contacts: ContactArrays, c: int, motion: ParticleArrays, rows: Rows, strength: float, dt: float
) -> bool:
    """True if contact c approaches, for the first look; a test of its freshly prepared values rules
    that out for most.
    """
    contact = contacts.records[c]
    if not is_close(contact["separation"], contact["relative_normal_velocity"], strength, dt):
        return False
    return approach_of(contacts, c, motion, rows, strength, dt) < 0.0


@inline
def is_asleep(row: int, motion: ParticleArrays, rows: Rows) -> bool:
    """True if a row is a particle of a sleeping body: it could move, but counts as immovable."""
    return row < rows.offset and rows.inverse_mass[row] == 0.0 and motion.inverse_mass[row] > 0.0


@kernel
def index_contacts(contacts: ContactArrays, rows: Rows, reflection: Reflection) -> None:
    """Fill `ends`: the contacts that may reflect, sorted by the rows of their discs.

    A counting sort, by START and STOP of each row; made once after each search.
    """
    of_rows = reflection.of_rows
    ends = reflection.ends
    offset = rows.offset
    for row in range(of_rows.shape[0]):
        of_rows[row, STOP] = 0
    for c in range(contacts.rows.shape[0]):
        if contacts.records[c]["reflects"] and contacts.records[c]["restitution"] > 0.0:
            for side in range(2):
                if contacts.rows[c, side] < offset:
                    of_rows[contacts.rows[c, side], STOP] += 1
    total = 0
    for row in range(of_rows.shape[0]):
        count = of_rows[row, STOP]
        of_rows[row, START] = of_rows[row, STOP] = total
        total += count
    for c in range(contacts.rows.shape[0]):
        if contacts.records[c]["reflects"] and contacts.records[c]["restitution"] > 0.0:
            is_disc = are_discs(contacts.rows, c, offset)
            for side in range(2):
                row = contacts.rows[c, side]
                if row < offset:
                    k = of_rows[row, STOP]
                    of_rows[row, STOP] = k + 1
                    ends[k, 1] = contacts.rows[c, 1 - side] if is_disc else offset
                    ends[k, 0] = c
    reflection.state[IS_INDEXED] = 1


@kernel
def look_again(
    count: int,
    contacts: ContactArrays,
    motion: ParticleArrays,
    rows: Rows,
    reflection: Reflection,
    strength: float,
    dt: float,
) -> int:
    """List the contacts that approach after a look, for the next one; return how many there are.

    Candidates are the `count` members, and all contacts of the rows that they have pushed.
    """
    members = reflection.members
    state = reflection.state
    change = reflection.middle
    found = 0
    of_rows = reflection.of_rows
    of_contacts = reflection.of_contacts
    ends = reflection.ends
    state[STAMP] += 1
    stamp = state[STAMP]
    for m in range(count):
        member = members[m]
        c = member["contact"]
        cause = member["cause"]
        of_contacts[c, SEEN] = stamp
        if not member["is_single"] and is_to_reflect(
            contacts, c, motion, rows, reflection, strength, dt, cause
        ):
            of_contacts[found, LISTED] = c
            reflection.cause[found] = cause
            found += 1
    for m in range(count):
        member = members[m]
        cause = member["cause"]
        slight = SLIGHT * (1.0 - member["restitution"])
        for side in range(count_pushed(member)):
            row = row_pushed(side, member, reflection.responses)
            if row == NONE or rows.inverse_mass[row] == 0.0 or of_rows[row, VISITED] == stamp:
                continue
            of_rows[row, VISITED] = stamp
            x = change[row, 0]
            y = change[row, 1]
            least = slight * cause
            # This test precedes the contacts of the row, which are scattered in memory.
            if x * x + y * y < least * least:
                continue  # nothing becomes faster than that by it
            for k in range(of_rows[row, START], of_rows[row, STOP]):
                if has_begun(row, ends[k, 1], motion, rows, reflection, dt):
                    c = number_of(ends, k)
                    if of_contacts[c, SEEN] != stamp:
                        of_contacts[c, SEEN] = stamp
                        if is_to_reflect(
                            contacts, c, motion, rows, reflection, strength, dt, cause
                        ):
                            of_contacts[found, LISTED] = c
                            reflection.cause[found] = cause
                            found += 1
    return found


@inline
def number_of(ends: np.ndarray, k: int) -> int:
    """Return the contact of ends[k] as a signed number, as other numbers are."""
    return np.int64(ends[k, 0])  # type: ignore[return-value]


@inline
def has_begun(
    row: int, other: int, motion: ParticleArrays, rows: Rows, reflection: Reflection, dt: float
) -> bool:
    """True if `row` may have begun to approach the `other` side as it was pushed; most have not.

    Contacts are scattered in memory, and reading them costs most. For discs the answer follows from
    positions.
    """
    if other >= rows.offset:
        return True
    position = motion.position
    predicted = rows.predicted
    change = reflection.middle
    x = position[row, 0] - position[other, 0]
    y = position[row, 1] - position[other, 1]
    if change[row, 0] * x + change[row, 1] * y >= 0.0:
        return False
    squared = x * x + y * y
    ahead = squared + dt * (
        (predicted[row, 0] - predicted[other, 0]) * x
        + (predicted[row, 1] - predicted[other, 1]) * y
    )
    close = rows.radius[row] + rows.radius[other]
    return ahead < 0.0 or ahead * ahead < close * close * squared * ALIKE


@inline
def is_to_reflect(
    contacts: ContactArrays,
    c: int,
    motion: ParticleArrays,
    rows: Rows,
    reflection: Reflection,
    strength: float,
    dt: float,
    cause: float,
) -> bool:
    """True if a contact approaches, fast enough for its `cause` [m/s], and may bounce again.

    If it meets a sleeping disc, MUST_WAKE is set instead.
    """
    contact = contacts.records[c]
    least = max(FAINT, SLIGHT * (1.0 - contact["restitution"])) * cause
    if not approach_of(contacts, c, motion, rows, strength, dt) < -least or not contact["active"]:
        return False
    if is_asleep(contacts.rows[c, 0], motion, rows) or is_asleep(contacts.rows[c, 1], motion, rows):
        reflection.state[MUST_WAKE] = 1
        return False
    if contact["reflected_impulse"] == 0.0 and contact["speed_left"] > 0.0:
        return True
    return bool(contact["speed_left"] > SPENT) and not is_driven(contacts, c, rows)


@inline
def is_driven(contacts: ContactArrays, c: int, rows: Rows) -> bool:
    """True if one side of a contact moves and cannot be pushed.

    A disc between two of these would gain speed with each look, without end: they reflect once in a
    substep.
    """
    for side in range(3):
        row = contacts.rows[c, side]
        if rows.inverse_mass[row] == 0.0 and (
            rows.predicted[row, 0] != 0.0 or rows.predicted[row, 1] != 0.0
        ):
            return True
    return False
