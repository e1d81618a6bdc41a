"""Struck: whether a disc that was struck by the reflection may meet something in this substep that
it has no contact with, so that a new search for contacts is needed.

Contacts cover all pairs that may meet while nothing moves further than its margin. A disc that will
leave its margin is looked up among the boxes of the last search, which all others stay in, and the
discs there are followed through the substep. A full search takes as long as looking up a hundred
discs, and in a falling crowd some are struck in each substep.
"""

from ecs_softbody.collision.contacts.contact import ContactArrays, ParticleArrays, Rows
from ecs_softbody.collision.detect.margins import LEAST_MARGIN
from ecs_softbody.collision.reflection.approaching import (
    CHANGED,
    MOST_LOOKED_UP,
    MUST_SEARCH,
    STAMP,
    START,
    STOP,
    VISITED,
    Reflection,
    number_of,
)
from ecs_softbody.collision.reflection.responses import NONE, entries_of
from ecs_softbody.geometry.box import boxes_within
from ecs_softbody.parallel.compiling import inline, kernel


@kernel
def look_up_struck(
    changed: int,
    contacts: ContactArrays,
    motion: ParticleArrays,
    rows: Rows,
    reflection: Reflection,
    dt: float,
) -> None:
    """Set MUST_SEARCH if a new search is needed; changed: how many contacts were reflected.

    Particles that joints hold to a struck disc are not looked up: leaving their margin is enough.
    """
    state = reflection.state
    found = 0
    state[STAMP] += 1
    for k in range(changed):
        c = reflection.of_contacts[k, CHANGED]
        first, last = entries_of(reflection.responses, c)
        for place in range(first, last):
            state[MUST_SEARCH] |= outruns(
                reflection.responses.particle[place], motion, rows, reflection, dt
            )
        for side in range(2):
            row = contacts.rows[c, side]
            if state[MUST_SEARCH] or not outruns(row, motion, rows, reflection, dt):
                continue
            if reflection.of_rows[row, VISITED] != state[STAMP]:
                reflection.of_rows[row, VISITED] = state[STAMP]
                state[MUST_SEARCH] |= found == MOST_LOOKED_UP
                if found < MOST_LOOKED_UP:
                    list_struck_disc(
                        found, row, contacts.proxies[c, side], motion, rows, reflection, dt
                    )
                    found += 1
    for k in range(found):
        if not state[MUST_SEARCH]:
            state[MUST_SEARCH] = meets_others(k, contacts, motion, rows, reflection, dt)


@inline
def outruns(
    row: int, motion: ParticleArrays, rows: Rows, reflection: Reflection, dt: float
) -> bool:
    """True if a particle will be further than its margin from where it was at the last search: its
    contacts are not complete any more.
    """
    if row >= rows.offset or rows.inverse_mass[row] == 0.0:
        return False
    last = reflection.last_position
    position = motion.position
    velocity = motion.velocity
    x = position[row, 0] + dt * velocity[row, 0] - last[row, 0]
    y = position[row, 1] + dt * velocity[row, 1] - last[row, 1]
    return x * x + y * y > reflection.limits[row]


@inline
def list_struck_disc(
    k: int,
    row: int,
    proxy: int,
    motion: ParticleArrays,
    rows: Rows,
    reflection: Reflection,
    dt: float,
) -> None:
    """Write as struck disc k: its row and proxy, and the box of its way in this substep."""
    box = reflection.way
    grown = rows.radius[row] + LEAST_MARGIN
    reflection.struck[k, 0] = row
    reflection.struck[k, 1] = proxy
    for axis in range(2):
        now = motion.position[row, axis]
        then = now + dt * rows.predicted[row, axis]
        box[k, axis] = min(now, then) - grown
        box[k, 2 + axis] = max(now, then) + grown


@kernel
def meets_others(
    k: int,
    contacts: ContactArrays,
    motion: ParticleArrays,
    rows: Rows,
    reflection: Reflection,
    dt: float,
) -> bool:
    """True if struck disc k may meet something that it has no contact with: a proxy whose box its
    way enters, or another struck disc, as these may have left their boxes.
    """
    box = reflection.box
    way = reflection.way
    disc_of = reflection.disc_of
    row = reflection.struck[k, 0]
    own = reflection.struck[k, 1]
    for proxy in range(box.shape[0]):
        if proxy != own and boxes_within(way, k, box, proxy, 0.0):
            disc = disc_of[proxy] if proxy < disc_of.shape[0] else NONE
            is_far = disc != NONE and not discs_meet(row, disc, motion, rows, dt)
            if not (is_far or is_known(row, proxy, contacts, reflection)):
                return True
    for other in range(k):
        disc = reflection.struck[other, 0]
        proxy = reflection.struck[other, 1]
        if discs_meet(row, disc, motion, rows, dt) and not is_known(
            row, proxy, contacts, reflection
        ):
            return True
    return False


@inline
def discs_meet(row: int, other: int, motion: ParticleArrays, rows: Rows, dt: float) -> bool:
    """True if two discs come within the least margin of each other in this substep, on straight
    ways.
    """
    x = motion.position[row, 0] - motion.position[other, 0]
    y = motion.position[row, 1] - motion.position[other, 1]
    vx = dt * (rows.predicted[row, 0] - rows.predicted[other, 0])
    vy = dt * (rows.predicted[row, 1] - rows.predicted[other, 1])
    squared = vx * vx + vy * vy
    t = min(max(-(x * vx + y * vy) / squared, 0.0), 1.0) if squared > 0.0 else 0.0
    x += t * vx
    y += t * vy
    close = rows.radius[row] + rows.radius[other] + LEAST_MARGIN
    return x * x + y * y < close * close


@inline
def is_known(row: int, proxy: int, contacts: ContactArrays, reflection: Reflection) -> bool:
    """True if a row has a contact with a proxy that it can have only one with, a single disc or a
    static edge. With other bodies it may lack further ones.
    """
    if proxy < reflection.disc_of.shape[0] and reflection.disc_of[proxy] == NONE:
        return False
    for k in range(reflection.of_rows[row, START], reflection.of_rows[row, STOP]):
        c = number_of(reflection.ends, k)
        if contacts.proxies[c, 0] == proxy or contacts.proxies[c, 1] == proxy:
            return True
    return False
