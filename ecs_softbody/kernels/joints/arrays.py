"""Groups of columns of the joints: R rows in G connected groups, the matrix of a group, and its particles."""

from typing import NamedTuple

import numpy as np


class Rows(NamedTuple):
    """Columns (R,) of the rows, or (R, 2); the terms of row r are [term_first[r], term_first[r + 1])."""

    kind: np.ndarray
    axis: np.ndarray  # 0 or 1, of rows along an axis
    alive: np.ndarray
    term_first: np.ndarray
    particle: np.ndarray  # (T,) of each term, with its coefficient s
    coefficient: np.ndarray
    partner: np.ndarray  # The y row of an x row, else -1
    bodies: np.ndarray  # (R, 2) slots of both bodies, -1 for the world
    lower: np.ndarray
    upper: np.ndarray
    softness: np.ndarray  # Of SOFT rows, with bias_rate: λ softness + u·v' + bias_rate C = 0
    bias_rate: np.ndarray
    max_impulse: np.ndarray  # The largest impulse of a SOFT row [N·s]
    goal: np.ndarray  # (R, 2) [m], where anchors without a second body are held
    offset: np.ndarray  # (R, 2) d at the start of the substep [m]
    direction: np.ndarray  # (R, 2) u
    reaction: np.ndarray  # (R, 3) centre of both bodies, and 1/I
    side: np.ndarray
    """Which limit a row is at: 1 the upper, -1 the lower, 2 both, 0 it does not take part."""
    turned: np.ndarray  # (R, 2) directions of J'
    initial_impulse: np.ndarray  # First guess of the impulse [N·s]
    step: np.ndarray  # Residual of a row, then the change of its impulse
    errors: np.ndarray  # Scratch
    impulse: np.ndarray  # λ [N·s], < 0 pulls


class Groups(NamedTuple):
    """Group g has the rows [first[g], first[g + 1]), and the particles members[member_first[g]:member_first[g + 1]]."""

    first: np.ndarray
    member_first: np.ndarray
    members: np.ndarray
    shared_first: np.ndarray
    shared: np.ndarray
    """(K, 5): later row, earlier row, particle that both have, its term in one, its term in the other."""
    bank: np.ndarray  # (G,) energy that a group has lost and may regain [J]
    effort: np.ndarray  # (G,) iterations in the last substep, beyond the first


class BodySpans(NamedTuple):
    """The particles [first[b], last[b]) of each body, by its slot."""

    first: np.ndarray
    last: np.ndarray


class Matrix(NamedTuple):
    """A = J' W Jᵀ as skylines (skyline.py)."""

    first: np.ndarray
    start: np.ndarray
    low: np.ndarray
    high: np.ndarray


class JointMotion(NamedTuple):
    """Columns (N,) or (N, 2) of all particles."""

    body: np.ndarray
    position: np.ndarray
    inverse_mass: np.ndarray  # What an impulse moves: less where drag takes a share of what it gives
    predicted: np.ndarray  # (N, 2) velocities that the other forces give [m/s]
    velocity: np.ndarray  # (N, 2) with the joints
    impulse: np.ndarray  # (N, 2) impulses of the joints [N·s]
    support: np.ndarray  # (N, 9): the contact that supports a particle, see contacts.py
    contact_state: np.ndarray  # (N,) FREE, SLIDES or STICKS
