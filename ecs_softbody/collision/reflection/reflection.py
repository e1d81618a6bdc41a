"""Reflection: elastic discs that meet bounce at once, between the two halves of the kick of a
substep, which is the velocity change k by its forces.

It runs after contacts are prepared, and before the contact solver. With velocities v before the
forces of a substep h and v + k after them, u = v + k/2 is the velocity at the time of the
positions. Symplectic Euler conserves T(u) + V exactly where forces are constant (E. Hairer and
others, Geometric Numerical Integration, I.1). An impulse between the halves changes v and v + k
alike: so it changes T(u) and nothing else, and a ball that bounces for minutes keeps its energy to
rounding.

A look takes all contacts that approach, the set A of its members, and reflects them together (B.
Smith and others, Reflections on Simultaneous Impact, 2012), with impulses L and restitution e:

    stop:    L >= 0 on A from zero, so that u1 = u0 + K L >= 0, and u1 = 0 where L > 0
             (K: inverse masses)
    return:  f e L once more; f = 1 for a single contact, and wherever all have the same e and u1 is
             0 exactly
    again:   with the contacts that approach now, until A is empty

Nothing but A takes part: a disc that is only touched waits for the next look. That is why the last
ball of Newton's cradle leaves and the others stay.

Stopping absorbs the sum of D = -L (u0 + u1)/2 for any masses, and restitution has to return e² D.
With a = e L · K e L and b = e L · u1, returning f e L gives f b + f² a/2. So f is chosen to make
both equal, in each group of contacts that share discs: no sweep has to find L exactly, and energy
neither grows nor fades.

A contact is reflected ahead of the surface, by the gap s that is left. The kick k accelerates it by
k/h on the way to the surface and back, so that u² - 2 (k/h) s bounces instead of u²:

    u'² = e² (u² - 2 (k/h) s) + 2 (k/h) s
"""

import math

import numpy as np

from ecs_softbody.arrays import Integers1
from ecs_softbody.collision.contacts.contact import ContactArrays, ParticleArrays, Rows
from ecs_softbody.collision.reflection.approaching import (
    ASKS,
    BEGUN,
    CHANGED,
    DONE,
    FIRST,
    IS_INDEXED,
    LISTED,
    LOOKS,
    MUST_SEARCH,
    MUST_WAKE,
    NOTED,
    PENDING,
    STAMP,
    WORK,
    Reflection,
    index_contacts,
    is_driven,
    look_again,
    speed_along,
)
from ecs_softbody.collision.reflection.groups import find_groups, row_of
from ecs_softbody.collision.reflection.marking import mark_reflected
from ecs_softbody.collision.reflection.pushing import (
    mass_with_joints,
    push,
    speed_of,
    speed_with_joints,
)
from ecs_softbody.collision.reflection.responses import (
    NONE,
    are_unknown,
    count_pushed,
    entries_of,
    row_pushed,
)
from ecs_softbody.collision.reflection.struck import look_up_struck
from ecs_softbody.collision.solve.active import APPROACHING, ActiveContacts
from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.parallel.compiling import inline, kernel

MOST_LOOKS = 5000
"""Limit of looks. A disc between two closing discs of a million times its mass bounces some 1600
times. The iterations only stop contacts that still approach after the limit, which takes energy and
gives none.
"""
MOST_SWEEPS = 1000
"""Limit of sweeps over a group; a sweep updates each of its contacts once, and the sweeps end
earlier if the group has stopped.
"""
FEWEST_SWEEPS = 30
"""Least limit for a large group, and the limit for a group with a driven side (a moving wall),
which may never stop.
"""
MOST_UPDATES = 20_000
"""Contact updates of a large group, about: its limit of sweeps is this over its size."""
MOST_WORK = 2_000_000
"""Limit of contact updates in a substep, some 30 ms: contacts left then are only stopped. Lines of
discs with masses of 1e-3 to 1e3 kg need fewer; 21 discs of 1e-3 and 1e6 kg, alternately, took 17 s
a frame.
"""
LEAST_SQUARE = 1e-100
"""[m²/s²] The square of a speed that is divided by; discs held by joints may have none."""
STOPPED = 1e-10
"""A group has stopped when a sweep changes no speed by more than this fraction of the fastest
approach.
"""
ROUGHLY = 1e-3
"""The same as a fraction of the speed (1 - e) u that restitution takes of the fastest approach u:
inelastic groups need fewer sweeps, and the factor f makes their energy right all the same.
"""


@kernel
def reflect_contacts(
    contacts: ContactArrays,
    active: ActiveContacts,
    start: Integers1,
    motion: ParticleArrays,
    rows: Rows,
    reflection: Reflection,
    gravity: np.ndarray,
    dt: float,
) -> None:
    """Reflect the contacts that `prepare_contacts` has found to approach, and all that these make
    approach.

    One thread does this, in the order of the contacts: bits do not depend on the number of threads.
    Where joints have to answer first, it returns with PENDING contacts in `state`, and goes on with
    these in the next call.
    """
    state = reflection.state
    strength = hypot(gravity[0], gravity[1])
    count = (
        state[PENDING]
        if state[PENDING] > 0
        else begin_reflection(contacts, active, start, rows, reflection)
    )
    if count == 0:
        return
    begin = state[BEGUN]
    changed = state[DONE]
    looks = state[LOOKS]
    work = state[WORK]
    state[PENDING] = 0
    while count > 0 and looks < MOST_LOOKS and work < MOST_WORK:
        listed = reflection.of_contacts[:, LISTED]
        if state[ASKS] and are_unknown(
            listed, count, contacts, motion.jointed, rows, reflection.responses
        ):
            state[PENDING] = count
            state[DONE] = changed
            state[LOOKS] = looks
            state[WORK] = work
            return
        # Impulses are stored after all groups are solved: until then `middle` holds the velocities
        # of this look, afterwards their changes, which `look_again` reads.
        looks += 1
        list_members(count, contacts, motion, rows, reflection, dt)
        work += solve_groups(count, rows, reflection)
        changed = store_impulses(count, contacts, motion, rows, reflection, begin, changed, dt)
        count = look_again(count, contacts, motion, rows, reflection, strength, dt)
    state[LOOKS] = looks
    # Both calls come last, with the final velocities: a later look may send a struck disc
    # elsewhere.
    mark_reflected(changed, contacts, active, start, rows, reflection, dt)
    look_up_struck(changed, contacts, motion, rows, reflection, dt)


@kernel
def begin_reflection(
    contacts: ContactArrays,
    active: ActiveContacts,
    start: Integers1,
    rows: Rows,
    reflection: Reflection,
) -> int:
    """Reset the counters, and list for the first look the contacts that `prepare_contacts` has
    found to approach. Return how many there are.
    """
    state = reflection.state
    count = 0
    state[MUST_SEARCH] = state[MUST_WAKE] = state[LOOKS] = state[DONE] = state[WORK] = 0
    for batch in range(start.shape[0] - 1):
        for k in range(active.counts[batch, APPROACHING]):
            reflection.cause[count] = 0.0
            reflection.of_contacts[count, LISTED] = (
                start[batch] + active.approaching[start[batch] + k]
            )
            count += 1
    if count > 0:
        if state[IS_INDEXED] == 0:
            index_contacts(contacts, rows, reflection)
        state[STAMP] += 1
        state[BEGUN] = state[STAMP]
    return count


@kernel
def list_members(
    count: int,
    contacts: ContactArrays,
    motion: ParticleArrays,
    rows: Rows,
    reflection: Reflection,
    dt: float,
) -> None:
    """Write the `count` members of a look, and the velocities between the halves of the kick of all
    rows that they push.
    """
    velocity = motion.velocity
    predicted = rows.predicted
    middle = reflection.middle
    for m in range(count):
        c = reflection.of_contacts[m, LISTED]
        contact = contacts.records[c]
        member = reflection.members[m]
        p = contacts.rows[c, 0]
        a = contacts.rows[c, 1]
        b = contacts.rows[c, 2]
        before = speed_along(velocity, contacts, c, rows)
        after = speed_along(predicted, contacts, c, rows)
        nx = contact["normal_x"]
        ny = contact["normal_y"]
        approach = 0.5 * (before + after)
        is_disc = a == b
        is_disc = is_disc and a < rows.offset
        member["contact"] = c
        member["particle"] = p
        member["other"] = a if is_disc else NONE
        member["first"], member["last"] = entries_of(reflection.responses, c)
        member["normal_x"] = nx
        member["normal_y"] = ny
        member["inverse_mass"] = rows.inverse_mass[p]
        member["effective_mass"] = contact["effective_mass"]
        member["inverse_mass_other"] = rows.inverse_mass[a] if is_disc else 0.0
        member["approach"] = approach
        member["impulse"] = 0.0
        member["following"] = NONE
        member["is_driven"] = is_driven(contacts, c, rows)
        member["is_single"] = False
        middle[p, 0] = 0.5 * (velocity[p, 0] + predicted[p, 0])
        middle[p, 1] = 0.5 * (velocity[p, 1] + predicted[p, 1])
        for k in range(count_pushed(member)):
            row = row_pushed(k, member, reflection.responses)
            if row != NONE:
                middle[row, 0] = 0.5 * (velocity[row, 0] + predicted[row, 0])
                middle[row, 1] = 0.5 * (velocity[row, 1] + predicted[row, 1])
        member["wall_speed"] = 0.0 if is_disc else middle[p, 0] * nx + middle[p, 1] * ny - approach
        if member["first"] < member["last"]:
            member["effective_mass"] = mass_with_joints(member, rows, reflection.responses)
            before = speed_with_joints(member, velocity, reflection.responses)
            after = speed_with_joints(member, predicted, reflection.responses)
            approach = 0.5 * (before + after)
            member["approach"] = approach
        # With u'² from the formula at the top, u'/u is the restitution ahead of the surface.
        e = contact["restitution"]
        way = (
            2.0
            * (after - before)
            / dt
            * max(contact["separation"], 0.0)
            / max(approach * approach, LEAST_SQUARE)
        )
        member["restitution"] = math.sqrt(min(max(e * e + (1.0 - e * e) * way, 0.0), 1.0))
        member["cause"] = max(reflection.cause[m], -approach)


@kernel
def solve_groups(count: int, rows: Rows, reflection: Reflection) -> int:
    """Write the impulses with which the members of a look stop and part; return how many contact
    updates that took. A group of one contact has the closed solution L = -(1 + e) M u.
    """
    members = reflection.members
    work = count
    if count > 1:
        find_groups(count, rows, reflection)
    for m in range(count):
        member = members[m]
        if count > 1 and reflection.of_rows[row_of(reflection, rows, m), FIRST] != m:
            continue  # its group began with another one
        member["is_single"] = member["following"] == NONE
        if member["is_single"]:
            impulse = -(1.0 + member["restitution"]) * member["effective_mass"] * member["approach"]
            member["impulse"] = max(impulse, 0.0)
        else:
            work += stop_group(m, rows, reflection)
            return_group(m, rows, reflection)
    return work


@inline
def stop_group(begin: int, rows: Rows, reflection: Reflection) -> int:
    """Stop the group that begins with member `begin`: sweeps of sequential impulses, until one
    changes no speed by much.

    Discs between a driven side and another one may never stop: then few sweeps must do. Return the
    number of updates.
    """
    members = reflection.members
    middle = reflection.middle
    size = 0
    driven = False
    m = begin
    fastest = 0.0
    most = 0.0
    while m != NONE:
        driven |= members[m]["is_driven"]
        fastest = max(fastest, -members[m]["approach"])
        most = max(most, members[m]["restitution"])
        size += 1
        m = members[m]["following"]
    sweeps = FEWEST_SWEEPS if driven else max(min(MOST_SWEEPS, MOST_UPDATES // size), FEWEST_SWEEPS)
    least = max(STOPPED, ROUGHLY * (1.0 - most)) * fastest
    work = 0
    for _ in range(sweeps):
        change = 0.0
        m = begin
        work = work + size
        while m != NONE:
            member = members[m]
            mass = member["effective_mass"]
            old = member["impulse"]
            new = max(old - mass * speed_of(member, middle, reflection.responses), 0.0)
            if new != old:
                push(member, new - old, middle, rows, reflection.responses)
                member["impulse"] = new
                change = max(change, abs(new - old) / mass)
            m = member["following"]
        if change <= least:
            break
    return work


@inline
def return_group(begin: int, rows: Rows, reflection: Reflection) -> None:
    """Add the impulses f e L of restitution to a group, so that it returns e² of the energy that
    stopping absorbed.

    `returned` is e² D, `work` is b and `square` is a in the formulas at the top; f solves
    f b + f² a/2 = e² D.
    """
    members = reflection.members
    middle = reflection.middle
    m = begin
    returned = 0.0
    work = 0.0
    driven = False
    while m != NONE:
        member = members[m]
        e = member["restitution"]
        impulse = member["impulse"]
        stopped = speed_of(member, middle, reflection.responses)
        driven |= member["is_driven"]
        member["stopped"] = stopped
        returned -= 0.5 * e * e * impulse * (member["approach"] + stopped)
        work += e * impulse * stopped
        m = member["following"]
    # All impulses act before a change is read: contacts of a group share discs, so S is a sum over
    # the whole group.
    m = begin
    while m != NONE:
        push(
            members[m],
            members[m]["restitution"] * members[m]["impulse"],
            middle,
            rows,
            reflection.responses,
        )
        m = members[m]["following"]
    m = begin
    square = 0.0
    while m != NONE:
        member = members[m]
        change = speed_of(member, middle, reflection.responses) - member["stopped"]
        square += member["restitution"] * member["impulse"] * change
        m = member["following"]
    factor = 0.0
    if square > 0.0:
        factor = (
            max(math.sqrt(max(work * work + 2.0 * square * returned, 0.0)) - work, 0.0) / square
        )
    if driven:  # whose work is not bounded
        factor = min(factor, 1.0)
    m = begin
    while m != NONE:
        member = members[m]
        member["impulse"] *= 1.0 + factor * member["restitution"]
        m = member["following"]


@kernel
def store_impulses(
    count: int,
    contacts: ContactArrays,
    motion: ParticleArrays,
    rows: Rows,
    reflection: Reflection,
    begin: int,
    changed: int,
    dt: float,
) -> int:
    """Change velocities and records by the impulses of a look; return how many contacts this
    reflection has changed so far.

    begin: stamp of its first look. changed: contacts changed before. `middle` then holds the
    changes of the velocities.
    """
    middle = reflection.middle
    for m in range(count):
        member = reflection.members[m]
        c = member["contact"]
        impulse = member["impulse"]
        contact = contacts.records[c]
        if reflection.of_contacts[c, NOTED] < begin:
            reflection.of_contacts[c, NOTED] = begin
            reflection.of_contacts[changed, CHANGED] = c
            changed += 1
        is_held = impulse == 0.0 and member["first"] < member["last"]
        # A held contact that bounced would approach again in every look.
        contact["speed_left"] *= 0.0 if is_held else contact["restitution"]
        kick = speed_along(rows.predicted, contacts, c, rows) - speed_along(
            motion.velocity, contacts, c, rows
        )
        at_surface = member["approach"] ** 2 - kick * (
            0.25 * kick + 2.0 * max(contact["separation"], 0.0) / dt
        )
        contact["approach_speed"] = max(contact["approach_speed"], math.sqrt(max(at_surface, 0.0)))
        contact["reflected_impulse"] += impulse
        contact["frame_impulse"] += impulse
        if member["first"] < member["last"]:
            reflection.responses.impulse[reflection.responses.place[c]] += impulse
        for k in range(count_pushed(member)):
            row = row_pushed(k, member, reflection.responses)
            if row != NONE:
                middle[row, 0] = middle[row, 1] = 0.0
    for m in range(count):
        member = reflection.members[m]
        push(member, member["impulse"], motion.velocity, rows, reflection.responses)
        push(member, member["impulse"], rows.predicted, rows, reflection.responses)
        push(member, member["impulse"], middle, rows, reflection.responses)
    return changed
