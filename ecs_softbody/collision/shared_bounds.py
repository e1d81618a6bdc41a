"""The bounds of bodies by several threads: bodies in pieces."""

import numpy as np

from ecs_softbody.collision.bounds import find_bounds, has_outrun
from ecs_softbody.kernels.compiling import lean
from ecs_softbody.kernels.team import NONE, enter, finish, leave, take

PIECES = 16


@lean
def share_bounds(
    team: np.ndarray,
    job: int,
    seat: int,
    position: np.ndarray,
    velocity: np.ndarray,
    reach: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    seconds: float,
    least_seconds: float,
    box: np.ndarray,
    margin: np.ndarray,
    own_margin: np.ndarray,
    slide: np.ndarray,
) -> None:
    """Write what `find_bounds` does."""
    count = first.shape[0]
    enter(team, job, seat, PIECES)
    piece = take(team, job, seat)
    while piece != NONE:
        own = slice(count * piece // PIECES, count * (piece + 1) // PIECES)
        find_bounds(
            position, velocity, reach, points, first[own], last[own], ringed[own], start[own], stop[own], seconds,
            least_seconds, box[own], margin[own], own_margin[own], slide[own],
        )  # fmt: skip
        finish(team, seat)
        piece = take(team, job, seat)
    leave(team, job, seat)


@lean
def share_outrun(
    team: np.ndarray,
    job: int,
    seat: int,
    found: np.ndarray,
    dt: float,
    margin: np.ndarray,
    own_margin: np.ndarray,
    slots: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    self_collision: np.ndarray,
    position: np.ndarray,
    velocity: np.ndarray,
    place: np.ndarray,
) -> None:
    """Tell in found (T,), one for each thread, whether any body `has_outrun` its margin."""
    count = slots.shape[0]
    enter(team, job, seat, PIECES)
    piece = take(team, job, seat)
    while piece != NONE:
        if not found[seat]:
            found[seat] = has_outrun(
                dt, margin, own_margin, slots[count * piece // PIECES : count * (piece + 1) // PIECES], start, stop,
                self_collision, position, velocity, place,
            )  # fmt: skip
        finish(team, seat)
        piece = take(team, job, seat)
    leave(team, job, seat)
