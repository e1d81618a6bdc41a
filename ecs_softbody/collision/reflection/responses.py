"""Responses: discs on joints reflect like others, but an impulse on one of them also moves the
particles that its joints hold.

A ball on a string responds only across the string, and a disc at the end of a rod rotates the other
one. The joints know how they distribute a unit impulse of a contact (kernels/joints/responses.py):
the particles get shares g of it. A member of the set uses these in place of its normal on two
sides, for its impulse and for its speed, the sum of g · v. So its impulse L changes the energy by L
times the mean of that speed before and after, as for free discs, for any velocities, even if
contacts have left some that joints do not allow. Measured along the normal instead, three discs
that joints hold in overlap were shot away at 600 m/s.

Joints do not count contacts that are about to reflect as supports; they carry their part of the
impulses afterwards.
"""

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1, Integers2
from ecs_softbody.collision.contacts.contact import ContactArrays, ParticleArrays, Rows, are_discs
from ecs_softbody.parallel.compiling import entry, inline, kernel

NONE = -1
"""Instead of a row, a disc or an entry: there is none."""


class Responses(NamedTuple):
    """How joints pass on the impulses of K contacts of this substep."""

    place: Integers1  # (C,) number k of a contact among these, else NONE
    first: Integers1  # (K + 1,) contact k has the entries [first[k], first[k + 1])
    particle: Integers1  # (E,) row of the particle that an entry pushes
    share: Floats2  # (E, 2) impulse g on it per unit impulse of the contact
    impulse: Floats1  # (K,) [N·s] of these contacts so far in this substep
    known: Integers1  # (1,) K

    @classmethod
    def reserve(cls, contacts: int, entries: int) -> "Responses":
        """Return room for that many contacts and entries, of which there are none yet."""
        place = np.full(contacts, NONE, np.int64)
        first = np.zeros(contacts + 1, np.int64)
        particle = np.zeros(entries, np.int64)
        share = np.zeros((entries, 2))
        return cls(place, first, particle, share, np.zeros(contacts), np.zeros(1, np.int64))


@inline
def is_unknown(
    contacts: ContactArrays, c: int, jointed: np.ndarray, rows: Rows, responses: Responses
) -> bool:
    """True if contact c has a disc on a joint, and the joints have not answered yet; jointed: of
    particles (N,).
    """
    if responses.place[c] != NONE:
        return False
    p = contacts.rows[c, 0]
    a = contacts.rows[c, 1]
    return bool(jointed[p]) or (are_discs(contacts.rows, c, rows.offset) and bool(jointed[a]))


@kernel
def are_unknown(
    listed: np.ndarray,
    count: int,
    contacts: ContactArrays,
    jointed: np.ndarray,
    rows: Rows,
    responses: Responses,
) -> bool:
    """Return whether one of the first `count` of the listed contacts waits for an answer of the
    joints.
    """
    for k in range(count):
        if is_unknown(contacts, listed[k], jointed, rows, responses):
            return True
    return False


@entry
def list_struck(
    listed: Integers1,
    contacts: ContactArrays,
    jointed: Flags1,
    rows: Rows,
    responses: Responses,
    particles: Integers2,
    normal: Floats2,
) -> int:
    """Number the listed contacts that wait for an answer of the joints; return how many there are.

    particles: (K, 2) rows of both discs, NONE for anything else; normal: (K, 2) to the first. Both
    have room for all.
    """
    found = 0
    known = responses.known[0]
    for k in range(listed.shape[0]):
        c = listed[k]
        if is_unknown(contacts, c, jointed, rows, responses):
            contact = contacts.records[c]
            responses.place[c] = known + found
            responses.impulse[known + found] = 0.0
            particles[found, 0] = contacts.rows[c, 0]
            particles[found, 1] = (
                contacts.rows[c, 1] if are_discs(contacts.rows, c, rows.offset) else NONE
            )
            normal[found, 0] = contact["normal_x"]
            normal[found, 1] = contact["normal_y"]
            found += 1
    responses.known[0] = known + found
    return found


@entry
def predict_jointed(motion: ParticleArrays, predicted: Floats2, dt: float) -> None:
    """Write the velocities (N, 2) after the forces so far, for all particles on joints.

    Nothing else predicts bodies without a collider. With other velocities, a ball on a string to a
    weight without a collider lost half of its energy in a few elastic bounces.
    """
    for p in range(motion.jointed.shape[0]):
        if motion.jointed[p]:
            share = dt * motion.inverse_mass[p]
            for axis in range(2):
                predicted[p, axis] = motion.velocity[p, axis] + share * motion.force[p, axis]


@inline
def entries_of(responses: Responses, c: int) -> tuple[int, int]:
    """Return where the entries of contact c begin and end; both 0 where it pushes its two sides
    only.
    """
    k = responses.place[c]
    if k == NONE:
        return 0, 0
    return responses.first[k], responses.first[k + 1]


@inline
def count_pushed(member: np.ndarray) -> int:
    """Return how many rows a member of the set pushes, of which one may be NONE."""
    return max(member["last"] - member["first"], 2)


@inline
def row_pushed(k: int, member: np.ndarray, responses: Responses) -> int:
    """Return the k-th row that a member pushes, or NONE: its two sides, or the particles that
    joints hold to them.
    """
    here = member["first"] + k
    if here < member["last"]:
        return responses.particle[here]
    if member["first"] < member["last"]:
        return NONE
    return member["particle"] if k == 0 else member["other"]  # type: ignore[return-value]
