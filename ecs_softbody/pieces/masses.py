"""Masses of pieces: the whole keeps its mass, its centre of mass, its momentum and its angular momentum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import Particles
from ecs_softbody.pieces.plan import Plan

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

LEAST_FACTOR = 0.3
"""No particle is made lighter than this share of what its place asks for, to keep the centre of mass."""


def masses_of(plan: Plan, mass: Floats, position: Floats, areas: list[float], *, filled: bool) -> list[Floats]:
    """Return the masses of the particles of each part.

    Old rows keep the proportions of their masses. A part has the share of mass that it has of the rest area, times the
    mean mass of its old rows: both halves are as dense as the whole was. Then all masses are tilted a little, so that
    the centre of mass stays where it was.
    """
    finite = np.isfinite(mass)
    if not finite.any():
        return [np.full(len(part.points), np.inf) for part in plan.parts]
    homes, mean = plan.homes(), float(mass[finite].mean())
    raw, dense = [], []
    for part in plan.parts:
        halved = np.array([filled and point in part.on_cut for point in part.points])
        own = np.array([mass[point] if point < plan.old_count else mean for point in part.points])
        kept = [mass[p] for p in part.points if p < plan.old_count and finite[p] and len(homes[p]) == 1]
        raw.append(np.where(halved, 0.5 * own, own))
        dense.append(float(np.mean(kept)) if kept else mean)
    shares = np.array(areas) * np.array(dense)
    places = [plan.of(position)[part.points] for part in plan.parts]
    fixed = [~np.isfinite(each) for each in raw]
    total = float(mass[finite].sum())
    weight = np.concatenate([np.where(held, 0.0, each) for held, each in zip(fixed, raw, strict=True)])
    parted = [each[~held].sum() for held, each in zip(fixed, raw, strict=True)]
    if min(parted) > 0.0:
        scale = [share / part for share, part in zip(shares, parted, strict=True)]
        by_area = np.concatenate([factor * part for factor, part in zip(scale, raw, strict=True)])
        by_area[np.concatenate(fixed)] = 0.0
    else:
        by_area = weight
    centre = mass[finite] @ position[finite] / total
    result = _balanced(by_area, weight, np.concatenate(places) - centre, total)
    result[np.concatenate(fixed)] = np.inf
    return np.split(result, np.cumsum([len(part.points) for part in plan.parts])[:-1])


def _balanced(by_area: Floats, by_count: Floats, place: Floats, total: float) -> Floats:
    """Scale weights to a sum of `total` with their centre at 0: those by area, else those by count, else nearly."""
    for given in (by_area, by_count):
        weight = given * (total / given.sum())
        size = float(np.sqrt((place**2).sum(axis=1).mean())) or 1.0
        basis = np.column_stack((np.ones(len(place)), place / size))
        matrix = basis.T @ (basis * weight[:, None])
        tilt = np.linalg.lstsq(matrix, np.array([total, 0.0, 0.0]), rcond=1e-9)[0]
        factor = basis @ tilt
        if factor[weight > 0.0].min() >= LEAST_FACTOR:
            tilted: Floats = weight * factor
            tilted *= total / tilted.sum()
            return tilted
    scaled: Floats = by_count * (total / by_count.sum())
    return scaled


def handed_down(plan: Plan, body: Particles, pieces: list[Particles], *, same: bool) -> list[tuple[Floats, Floats]]:
    """Return places and velocities of each piece's particles, from the body's; same: no new points, nothing to correct.

    The velocity gets what is missing of a rigid motion, so that momentum and angular momentum are those of the body.
    """
    position, velocity = plan.of(body.position), plan.of(body.velocity)
    states = [(position[part.points], velocity[part.points]) for part in plan.parts]
    for piece, (_, motion) in zip(pieces, states, strict=True):
        motion[(piece.pinned | ~np.isfinite(piece.mass)) & ~piece.kinematic] = 0.0
    if same:
        return states
    free = [piece.free for piece in pieces]
    mass = np.concatenate([piece.mass[loose] for piece, loose in zip(pieces, free, strict=True)])
    if not len(mass) or not np.isfinite(body.velocity).all():
        return states
    place = np.concatenate([where[loose] for (where, _), loose in zip(states, free, strict=True)])
    motion = np.concatenate([motion[loose] for (_, motion), loose in zip(states, free, strict=True)])
    centre = mass @ place / mass.sum()
    before = (body.mass[body.free], body.position[body.free] - centre, body.velocity[body.free])
    after = (mass, place - centre, motion)
    push = (_momentum(*before) - _momentum(*after)) / mass.sum()
    inertia = float(mass @ (after[1] ** 2).sum(axis=1))
    turn = (_spin(*before) - _spin(*after)) / inertia if inertia > 0.0 else 0.0
    for (where, motion), loose in zip(states, free, strict=True):
        arm = where[loose] - centre
        motion[loose] += push + turn * np.column_stack((-arm[:, 1], arm[:, 0]))
    return states


class Inheritance:
    """Hands the state of a body that is gone down to its pieces: at once, and again what has changed until they move.

    In the middle of a substep the body's rows go on to the end of it. What a game has written to the pieces in the
    meantime stays: only the difference is added.
    """

    def __init__(self, plan: Plan, body: Particles, pieces: list[Particles], *, same: bool) -> None:
        self._plan, self._body, self._pieces, self._same = plan, body, pieces, same
        self._given = self._now()
        for piece, (place, motion) in zip(pieces, self._given, strict=True):
            piece.position[:], piece.velocity[:] = place, motion

    def _now(self) -> list[tuple[Floats, Floats]]:
        return handed_down(self._plan, self._body, self._pieces, same=self._same)

    def settle(self) -> None:
        """Add what has changed since."""
        for piece, given, now in zip(self._pieces, self._given, self._now(), strict=True):
            piece.position += now[0] - given[0]
            piece.velocity += now[1] - given[1]


def _momentum(mass: Floats, place: Floats, velocity: Floats) -> Floats:
    momentum: Floats = mass @ velocity
    return momentum


def _spin(mass: Floats, place: Floats, velocity: Floats) -> float:
    return float(mass @ (place[:, 0] * velocity[:, 1] - place[:, 1] * velocity[:, 0]))
