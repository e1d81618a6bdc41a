"""Wind on outlines: an edge of length L and normal n feels F = ½ ρ c L |u·n| (u·n) n, u = wind - velocity of the edge.

Each end carries half of it. It is summed up as a resistance (resistance.py), implicit in the velocity that the ends
will have, with the coefficient |u·n| of now: still air takes no force from what is at rest. A disc of radius r feels
½ ρ c (8/3) r |u| u, what a circle of small edges would.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean
from ecs_softbody.kernels.outline import catching_share, grown_corner, turn_of_ring
from ecs_softbody.kernels.resistance import clear_resistance, resist_all_round, resist_along

ROUND = 8.0 / 3.0
"""Width of a disc over its radius, as the sum of its edges feels it."""


@lean
def blow_on_disc(
    p: int,
    place: np.ndarray,
    velocity: np.ndarray,
    radius: np.ndarray,
    wind_x: float,
    wind_y: float,
    pressure: float,
    left: float,
    bottom: float,
    right: float,
    top: float,
    resistance: np.ndarray,
    carried: np.ndarray,
) -> None:
    """Add the resistance of a particle on its own; pressure: ½ ρ c."""
    x, y = place[p, 0], place[p, 1]
    if left <= x <= right and bottom <= y <= top:
        ux, uy = wind_x - velocity[p, 0], wind_y - velocity[p, 1]
        strength = pressure * ROUND * radius[p] * math.sqrt(ux * ux + uy * uy)
        resist_all_round(p, strength, wind_x, wind_y, resistance, carried)


@lean
def blow_on_edge(
    i: int,
    j: int,
    ax: float,
    ay: float,
    bx: float,
    by: float,
    rest: np.ndarray,
    velocity: np.ndarray,
    wind_x: float,
    wind_y: float,
    pressure: float,
    left: float,
    bottom: float,
    right: float,
    top: float,
    resistance: np.ndarray,
    carried: np.ndarray,
) -> None:
    """Add the resistance of the edge from a to b between the particles i and j at `rest` (N, 2); pressure: ½ ρ c."""
    x, y = 0.5 * (ax + bx), 0.5 * (ay + by)
    length = math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))
    if length > 0.0 and left <= x <= right and bottom <= y <= top:
        nx, ny = (by - ay) / length, (ax - bx) / length
        ux = wind_x - 0.5 * (velocity[i, 0] + velocity[j, 0])
        uy = wind_y - 0.5 * (velocity[i, 1] + velocity[j, 1])
        strength = 0.5 * pressure * length * catching_share(length, rest, i, j) * abs(ux * nx + uy * ny)
        resist_along(i, strength, nx, ny, wind_x, wind_y, resistance, carried)
        resist_along(j, strength, nx, ny, wind_x, wind_y, resistance, carried)


@lean
def accumulate_wind(
    active: np.ndarray,
    position: np.ndarray,
    rest: np.ndarray,
    velocity: np.ndarray,
    radius: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    ringed: np.ndarray,
    closed: np.ndarray,
    skin: np.ndarray,
    category: np.ndarray,
    particle_first: np.ndarray,
    particle_last: np.ndarray,
    wind: np.ndarray,
    pressure: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    mask: np.ndarray,
    resistance: np.ndarray,
    carried: np.ndarray,
) -> None:
    """Write the resistance (N, 3), (N, 2) of the winds `wind` (W, 2), ½ ρ c `pressure` (W,), of the bodies in `active`.

    Body s goes through points[first[s]:last[s]].
    """
    for s in active:
        clear_resistance(particle_first[s], particle_last[s], resistance, carried)
        for b in range(wind.shape[0]):
            wx, wy, half = wind[b, 0], wind[b, 1], pressure[b]
            if half == 0.0 or category[s] & mask[b] == 0 or not abs(wx) + abs(wy) < math.inf:
                continue
            left, bottom, right, top = low[b, 0], low[b, 1], high[b, 0], high[b, 1]
            if not ringed[s]:
                for k in range(first[s], last[s]):
                    blow_on_disc(
                        points[k],
                        position,
                        velocity,
                        radius,
                        wx,
                        wy,
                        half,
                        left,
                        bottom,
                        right,
                        top,
                        resistance,
                        carried,
                    )
                continue
            margin = skin[s] * turn_of_ring(position, points, first[s], last[s]) if closed[s] else 0.0
            ax, ay = grown_corner(position, points, first[s], last[s], first[s], margin)
            for k in range(first[s], last[s] if closed[s] else last[s] - 1):
                after = k + 1 if k + 1 < last[s] else first[s]
                bx, by = grown_corner(position, points, first[s], last[s], after, margin)
                blow_on_edge(
                    points[k], points[after], ax, ay, bx, by, rest, velocity, wx, wy, half, left, bottom, right, top,
                    resistance, carried,
                )  # fmt: skip
                ax, ay = bx, by
