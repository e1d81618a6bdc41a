"""What the kernels of joints share: R rows in G connected groups, the matrix of a group, and the particles they hold."""

from typing import NamedTuple

import numpy as np


class Rows(NamedTuple):
    """Columns (R,) of the rows, or (R, 2); the terms of row r are [term_first[r], term_first[r + 1])."""

    kind: np.ndarray
    alive: np.ndarray
    term_first: np.ndarray
    particle: np.ndarray
    """(T,) of each term, with its weight."""
    weight: np.ndarray
    partner: np.ndarray
    """The y row of an x row, else -1."""
    bodies: np.ndarray
    """(R, 2) slots of both bodies, -1 for the world."""
    lower: np.ndarray
    upper: np.ndarray
    softness: np.ndarray
    """Of SOFT rows, with pull: λ softness + u·v' + pull C = 0."""
    pull: np.ndarray
    ceiling: np.ndarray
    """The largest impulse of a SOFT row [N·s]."""
    gap: np.ndarray
    """(R, 2) d at the start of the substep [m]."""
    direction: np.ndarray
    """(R, 2) u."""
    couple: np.ndarray
    """(R, 3) centre of both bodies, and 1/I."""
    side: np.ndarray
    """Which limit a row is at: 1 the upper, -1 the lower, 2 it has only one length, 0 it does not take part."""
    turned: np.ndarray
    """(R, 2) directions of J'."""
    held: np.ndarray
    """Impulse that a row starts from."""
    step: np.ndarray
    """Residual of a row, then the change of its impulse."""
    errors: np.ndarray
    """Room to work in."""
    impulse: np.ndarray
    """λ [N·s], < 0 pulls."""


class Groups(NamedTuple):
    """Group g has the rows [first[g], first[g + 1]), and the particles members[member_first[g]:member_first[g + 1]]."""

    first: np.ndarray
    member_first: np.ndarray
    members: np.ndarray
    shared_first: np.ndarray
    shared: np.ndarray
    """(K, 5): later row, earlier row, particle that both have, its term in one, its term in the other."""
    bank: np.ndarray
    """(G,) energy that a group gave away and may take back [J]."""
    effort: np.ndarray
    """(G,) rounds taken in the last substep, beyond the first."""


class Matrix(NamedTuple):
    """A = J' W Jᵀ as skylines (skyline.py)."""

    first: np.ndarray
    start: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Motion(NamedTuple):
    """Columns (N,) or (N, 2) of all particles."""

    body: np.ndarray
    position: np.ndarray
    inverse_mass: np.ndarray
    predicted: np.ndarray
    """(N, 2) velocities that the other forces give [m/s]."""
    velocity: np.ndarray
    """(N, 2) with the joints."""
    kick: np.ndarray
    """(N, 2) impulses of the joints [N·s]."""
    leaning: np.ndarray
    """(N, 8): see joint_contacts.py."""
    leans: np.ndarray
    """(N,) FREE, SLIDES or STICKS."""
