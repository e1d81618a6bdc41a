"""Groups of columns of the joints: R rows in G connected groups, the matrix of a group, and its
particles.
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
"""The fields of a contact that joints read, see collision/contacts/contact.py."""
SUPPORT = np.dtype(
    [
        ("normal_x", np.float64),
        ("normal_y", np.float64),
        ("yielding", np.float64),  # φ
        ("least", np.float64),  # [m/s] least speed along the normal
        ("strength", np.float64),  # [N·s] impulse of the last substep
        ("friction", np.float64),  # μ
        ("across", np.float64),  # [m/s] speed of the other side along t
        ("rub", np.float64),  # f, 0 where friction held the particle
        ("gives", np.float64),  # the share of a pull along t that it follows then
        ("parts", np.float64),  # the share of contacts that bounce
        # [m/s] added to `least` by the rotation of joints, see turning.py
        ("turned", np.float64),
        # Surface speed by rotation over the speed of the centre, both by friction
        ("rolls", np.float64),
    ]
)
"""The contacts that press a particle of joints most, as one."""
PushingContacts = Annotated[np.ndarray, Layout(PUSHING_CONTACT, 1)]
Supports = Annotated[np.ndarray, Layout(SUPPORT, 1)]


class Rows(NamedTuple):
    """Columns (R,) of the rows, or (R, 2); the terms of row r are [term_first[r], term_first[r +
    1]).
    """

    kind: Integers1
    # 0 or 1, of rows along an axis
    axis: Integers1
    alive: Flags1
    term_first: Integers1
    # (T,) particle of each term, and its coefficient s
    particle: Integers1
    coefficient: Floats1
    # The y row of an x row, else -1
    partner: Integers1
    # (R, 2) slots of both bodies, -1 for the world
    bodies: Integers2
    lower: Floats1
    upper: Floats1
    # Of SOFT rows, with bias_rate: λ softness + u·v' + bias_rate C = 0
    softness: Floats1
    bias_rate: Floats1
    # The largest impulse of a SOFT row [N·s]
    max_impulse: Floats1
    # (R, 2) [m], points at which anchors without a second body are held
    goal: Floats2
    # (R, 2) d at the start of the substep [m]
    offset: Floats2
    # (R, 2) u
    direction: Floats2
    # (R, 3) centre of both bodies, and 1/I
    reaction: Floats2
    side: Int8s1
    """Which limit a row is at: 1 the upper, -1 the lower, 2 both, 0 it does not take part."""
    # (R, 2) directions of J'
    turned: Floats2
    # First guess of the impulse [N·s]
    initial_impulse: Floats1
    # Residual of a row, then the change of its impulse
    step: Floats1
    # Scratch
    errors: Floats1
    # λ [N·s], < 0 pulls
    impulse: Floats1


class Groups(NamedTuple):
    """Group g has the rows [first[g], first[g + 1]), and the particles
    members[member_first[g]:member_first[g + 1]].
    """

    first: Integers1
    member_first: Integers1
    members: Integers1
    shared_first: Integers1
    shared: Integers2
    """(K, 5): later row, earlier row, particle that both have, its term in one, its term in the
    other.
    """
    bank: Floats1  # (G,) energy that a group has lost and may regain [J]
    effort: Integers1  # (G,) iterations in the last substep, beyond the first


class BodySpans(NamedTuple):
    """The particles [first[b], last[b]) of each body, by its slot."""

    first: Uint32s1
    last: Uint32s1


class Matrix(NamedTuple):
    """A = J' W Jᵀ as skylines (skyline.py)."""

    first: Integers1
    start: Integers1
    low: Floats1
    high: Floats1


class JointMotion(NamedTuple):
    """Columns (N,) or (N, 2) of all particles."""

    body: Uint32s1
    position: Floats2
    # Inverse mass for impulses: less if drag takes a share of them
    inverse_mass: Floats1
    # (N, 2) velocities that the other forces give [m/s]
    predicted: Floats2
    # (N, 2) with the joints
    velocity: Floats2
    # (N, 2) impulses of the joints [N·s]
    impulse: Floats2
    # (N,) support of each particle, see contacts.py
    support: Supports
    # (N,) FREE, SLIDES or STICKS
    contact_state: Int8s1
    # (N, 2) half of the velocity change by rotating rows [m/s], see turning.py
    turning: Floats2
