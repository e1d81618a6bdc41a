"""The arrays that the kernels of the joints share, as named groups.

All joints of a world are taken apart into R rows, scalar constraints (rows.py). Rows that have
particles in common form one of G connected groups, which is solved as one system of equations. A
row has one term for each particle that it holds, T terms in all.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ecs_softbody.arrays import (
    Flags1,
    Floats1,
    Floats2,
    Int8s1,
    Integers1,
    Integers2,
    Layout,
    Uint32s1,
    record,
)

PUSHING_CONTACT = record(
    ("normal_x", np.float64),
    ("normal_y", np.float64),
    ("edge_fraction", np.float64),
    ("separation", np.float64),
    ("normal_impulse", np.float64),
    ("friction_impulse", np.float64),
    ("friction", np.float64),
    ("tangent_speed", np.float64),
    ("bounce_speed", np.float64),
    ("active", np.bool_),
)
"""The fields of a contact that joints read; units are in collision/contacts/contact.py."""
SUPPORT = np.dtype(
    [
        ("normal_x", np.float64),
        ("normal_y", np.float64),
        # φ, share of an impulse along the normal that still moves the particle; 0: a wall
        ("yielding", np.float64),
        ("least", np.float64),  # [m/s] least speed of the particle along the normal
        ("strength", np.float64),  # [N·s] normal impulse of the last substep; 0: no contact
        ("friction", np.float64),  # coefficient μ
        # Speed of the other side's surface along t = (-normal_y, normal_x) [m/s]
        ("across", np.float64),
        ("rub", np.float64),  # f, sign of the friction along t; 0 where it held the particle
        # Share of a pull along t that a particle follows while friction holds it
        ("gives", np.float64),
        ("parts", np.float64),  # share of the contacts that bounce, weighted by impulse
        # [m/s] added to `least` by the rotation of joints, see turning.py
        ("turned", np.float64),
        # Of a disc that turns by itself, r²/I over w: friction changes its surface speed by this
        # times the speed of its centre
        ("rolls", np.float64),
    ]
)
"""Support of a jointed particle: the contacts that press it most, summed up as one (contacts.py).
The normal is a unit vector towards the particle.
"""
PushingContacts = Annotated[np.ndarray, Layout(PUSHING_CONTACT, 1)]
Supports = Annotated[np.ndarray, Layout(SUPPORT, 1)]


class Rows(NamedTuple):
    """Columns of the rows, (R,) unless a shape is given. Row r is C = u · d, d = Σ s_p x_p - goal,
    over its terms [term_first[r], term_first[r + 1]).
    """

    # POINT, DISTANCE, SOFT or BEND of rows.py
    kind: Integers1
    # Of POINT and SOFT rows: 0 along x, 1 along y
    axis: Integers1
    # False: left out, since it has no direction, no free particle, or no finite numbers
    alive: Flags1
    # (R + 1,) first term of each row
    term_first: Integers1
    # (T,) particle of each term, and its coefficient s_p
    particle: Integers1
    coefficient: Floats1
    # The y row of an x row, else -1
    partner: Integers1
    # (R, 2) numbers (slots) of both bodies, -1 for the world
    bodies: Integers2
    # Least and largest |d| of a DISTANCE row [m]; equal: a rod
    lower: Floats1
    upper: Floats1
    # Of SOFT rows, which solve u·v' + softness λ + bias_rate C = 0: [1/kg] and [1/s]. Of BEND rows
    # 1/(h c) [1/(kg·m²)] of a damper c (bends.py), where λ is in [N·m·s] and u·v' in [rad/s].
    softness: Floats1
    bias_rate: Floats1
    # The largest impulse of a SOFT row [N·s]
    max_impulse: Floats1
    # (R, 2) [m], points at which anchors without a second body are held
    goal: Floats2
    # (R, 2) d at the start of the substep [m]
    offset: Floats2
    # (R, 2) u at the start of the substep, a unit vector
    direction: Floats2
    # (R, 3) of the x row of an attachment: centre of mass of both bodies [m], and 1/I [1/(kg·m²)]
    # about it, 0 where no torque has to be given back
    reaction: Floats2
    side: Int8s1
    """Which limit a row is at: 1 the upper, -1 the lower, 2 both (it is held either way), 0 it does
    not take part.
    """
    # (R, 2) directions J': u as turned with the particles at the end of the substep
    turned: Floats2
    # First guess of the impulse [N·s]
    initial_impulse: Floats1
    # Scratch: the residual -C/h of a row [m/s], then the change of its impulse [N·s]
    step: Floats1
    # Scratch: a copy of the residuals [m/s]
    errors: Floats1
    # λ [N·s], < 0 pulls together; kept from substep to substep
    impulse: Floats1


class Groups(NamedTuple):
    """The connected groups. Group g has the rows [first[g], first[g + 1]), the particles
    members[member_first[g]:member_first[g + 1]], and the entries of A shared[shared_first[g]:
    shared_first[g + 1]]; the three firsts are (G + 1,).
    """

    first: Integers1
    member_first: Integers1
    members: Integers1
    shared_first: Integers1
    shared: Integers2
    """(K, 5), where two rows have a particle in common: later row, earlier row, particle, its term
    in the later row, its term in the earlier one. A row is also paired with itself.
    """
    bank: Floats1  # (G,) energy that the joints of a group have taken and may give back [J]
    # (G,) rounds in the last substep beyond the first, plus 100 where rows were held STRAIGHT, 200
    # where SOFTENED (newton.py)
    effort: Integers1


class BodySpans(NamedTuple):
    """The particles [first[b], last[b]) of each body b. b is its slot, a number from 0 to B."""

    first: Uint32s1
    last: Uint32s1


class Matrix(NamedTuple):
    """A = J' W Jᵀ [1/kg] of all groups, later its factors L and U, stored as in skyline.py."""

    first: Integers1  # (R,) first column that is stored of each row
    start: Integers1  # (R,) where this entry is in `low` and `high`
    low: Floats1  # A[i, j] for j <= i, with the diagonal
    high: Floats1  # A[j, i] for j < i


class JointMotion(NamedTuple):
    """Columns of all N particles, (N,) or (N, 2), as the joints see them. Columns that joints write
    are valid only for particles that joints hold.
    """

    # Slot of the body of each particle
    body: Uint32s1
    # (N, 2) at the start of the substep [m]
    position: Floats2
    # [1/kg] for impulses: less than that of the particle by the share that drag takes
    inverse_mass: Floats1
    # (N, 2) velocities that the other forces give at the end of the substep [m/s]
    predicted: Floats2
    # (N, 2) the same with the impulses of the joints [m/s]
    velocity: Floats2
    # (N, 2) sum of the impulses of the joints [N·s]
    impulse: Floats2
    # (N,) support of each particle, see contacts.py
    support: Supports
    # (N,) FREE, SLIDES or STICKS
    contact_state: Int8s1
    # (N, 2) half of the velocity change by rotating rows [m/s], see turning.py
    turning: Floats2
