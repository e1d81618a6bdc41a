"""Lattices: the jelly box and cloth, grids of particles with springs along and across their cells."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.blueprints.calls import blueprint
from ecs_softbody.blueprints.material import DENSITY, RADIUS_SHARE, Material
from ecs_softbody.components import ALL, Collider, Drag, Particles, ShapeMatching, Springs
from ecs_softbody.elementary.angles import cos, sin
from ecs_softbody.validation import check_count, check_flag, check_number, check_point

EARTH = 9.81
SHAPE_SHARE = 4.5
"""Default stiffness of the shape of a box over that of its springs. A lattice of springs that is folded
or mirrored is at rest: with half of their stiffness the shape unfolds it, with a third not always. And a tower of soft
boxes buckles as a column does: with half of their stiffness the seventh box falls, with this eight of them stand."""
SHAPE_RATIO = 0.3
"""Least damping of the shape, over critical for its own stiffness."""
SHAPE_SAG = 0.01
"""The shape of a box carries each particle within this share of the smaller side: springs of 30 Hz alone would let a
box of 1 cm sink to half of its height."""


@blueprint
def box(
    center: ArrayLike,
    size: ArrayLike,
    *,
    rows: int = 5,
    columns: int = 5,
    angle: float = 0.0,
    mass: float | None = None,
    density: float | None = None,
    stiffness: float | None = None,
    damping: float | None = None,
    frequency: float | None = None,
    damping_ratio: float | None = None,
    shape_stiffness: float | None = None,
    thickness: float | None = None,
    velocity: ArrayLike = 0.0,
    friction: float = 0.5,
    restitution: float = 0.0,
    category: int = 1,
    mask: int = ALL,
) -> tuple[Particles, Springs, ShapeMatching, Collider]:
    """Return a box of jelly, which keeps its shape.

    Args:
        center: (x, y) [m].
        size: side, or (width, height) [m], outer.
        rows: rows of particles, 2 or more.
        columns: columns of particles, 2 or more.
        angle: turned counter-clockwise [rad].
        mass, density: of the whole box [kg], or of its material [kg/m²]: one of them.
        stiffness, frequency: of the springs [N/m], or [Hz], 30 by default: one of them.
        damping, damping_ratio: of the springs [N·s/m], or over critical [1], 0.12 by default: one of them.
        shape_stiffness: of the pull to the rest shape [N/m]; half of that of the springs by default, which brings a
            box back from any crush. 0: springs alone, which stay folded once they are. 1e6 makes a crate that stacks.
        thickness: diameter of the particles [m]; 0.6 of their distance by default.
        velocity: (vx, vy) [m/s].
        friction, restitution, category, mask: see Collider.
    """
    position, sides = check_point("box", "center", center), _sides("box", size)
    rows, columns = check_count("box", "rows", rows, minimum=2), check_count("box", "columns", columns, minimum=2)
    cells = np.array([columns - 1, rows - 1])
    if thickness is None:
        particle_radius = float((RADIUS_SHARE * sides / (cells + 2.0 * RADIUS_SHARE)).min())
    else:
        particle_radius = 0.5 * check_number("box", "thickness", thickness, minimum=0.0)
        if 2.0 * particle_radius >= sides.min():
            raise ValueError(f"box.thickness: {thickness!r} is not allowed; expected less than the smaller side")
    grid = _grid(rows, columns) * (sides - 2.0 * particle_radius)
    angle = check_number("box", "angle", angle)
    along = np.array([cos(angle), sin(angle)])
    across = np.array([-along[1], along[0]])
    turned = position + (grid[:, :1] * along + grid[:, 1:] * across)
    material = Material("box", mass, density, stiffness, damping, frequency, damping_ratio)
    kilograms = material.total_mass(float(sides.prod()), DENSITY)
    stiff, damp = material.springs(kilograms / len(grid), frequency=30.0, damping_ratio=0.12)
    if shape_stiffness is None:
        shape_stiffness = max(SHAPE_SHARE * stiff, kilograms / len(grid) * EARTH / (SHAPE_SAG * sides.min()))
    shape_stiffness = check_number("box", "shape_stiffness", shape_stiffness, minimum=0.0)
    lost = SHAPE_RATIO * 2.0 * math.sqrt(shape_stiffness * kilograms / len(grid))
    return (
        Particles(turned, velocity=velocity, mass=kilograms / len(grid), radius=particle_radius),
        Springs(np.concatenate([_straight(rows, columns), _crossed(rows, columns)]), stiffness=stiff, damping=damp),
        ShapeMatching(stiffness=shape_stiffness, damping=max(damp, lost) if shape_stiffness else 0.0),
        Collider(
            outline=_perimeter(rows, columns),
            friction=friction,
            restitution=restitution,
            category=category,
            mask=mask,
            skin=particle_radius,
        ),
    )


@blueprint
def cloth(
    center: ArrayLike,
    size: ArrayLike,
    *,
    rows: int = 10,
    columns: int = 14,
    mass: float | None = None,
    density: float | None = None,
    stiffness: float | None = None,
    damping: float | None = None,
    frequency: float | None = None,
    damping_ratio: float | None = None,
    thickness: float | None = None,
    pin_top: bool = True,
    air: float = 0.5,
    friction: float = 0.5,
    category: int = 1,
    mask: int = ALL,
) -> tuple[Particles, Springs, Drag, Collider]:
    """Return a cloth that hangs from its upper corners; its particles collide as discs.

    Args:
        center: (x, y) [m].
        size: side, or (width, height) [m].
        rows: rows of particles, 2 or more.
        columns: columns of particles, 2 or more.
        mass, density: of the whole cloth [kg], or of its material [kg/m²]: one of them.
        stiffness, frequency: of the springs [N/m], or [Hz], 45 by default: one of them.
        damping, damping_ratio: of the springs [N·s/m], or over critical [1], 0.1 by default: one of them.
        thickness: diameter of the particles [m]; 0.6 of their distance by default.
        air: how fast air brakes the cloth [1/s].
        pin_top: whether the upper corners are pinned.
        friction, category, mask: see Collider.
    """
    position, sides = check_point("cloth", "center", center), _sides("cloth", size)
    rows, columns = check_count("cloth", "rows", rows, minimum=2), check_count("cloth", "columns", columns, minimum=2)
    spacing = float((sides / np.array([columns - 1, rows - 1])).min())
    thickness = 2.0 * RADIUS_SHARE * spacing if thickness is None else thickness
    particle_radius = 0.5 * check_number("cloth", "thickness", thickness, minimum=0.0)
    material = Material("cloth", mass, density, stiffness, damping, frequency, damping_ratio)
    share = material.total_mass(float(sides.prod()), 0.3 * DENSITY) / (rows * columns)
    stiff, damp = material.springs(share, frequency=45.0, damping_ratio=0.1)
    pinned = np.zeros(rows * columns, bool)
    pinned[[-columns, -1]] = check_flag("cloth", "pin_top", pin_top)
    return (
        Particles(position + _grid(rows, columns) * sides, mass=share, radius=particle_radius, pinned=pinned),
        Springs(_straight(rows, columns), stiffness=stiff, damping=damp),
        Drag(linear=share * check_number("cloth", "air", air, minimum=0.0)),
        Collider(friction=friction, category=category, mask=mask),
    )


def _sides(owner: str, size: ArrayLike) -> NDArray[np.float64]:
    try:
        sides = np.broadcast_to(np.array(size, float), (2,))
    except (TypeError, ValueError):
        sides = np.full(2, np.nan)
    if not (np.isfinite(sides).all() and (sides > 0.0).all()):
        raise ValueError(f"{owner}.size: {size!r} is not allowed; expected a side or (width, height) > 0 [m]")
    return sides


def _grid(rows: int, columns: int) -> NDArray[np.float64]:
    """Return the points of a grid around the origin, side 1, from the lower left, row by row."""
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, columns), np.linspace(-0.5, 0.5, rows))
    return np.column_stack([x.ravel(), y.ravel()])


def _straight(rows: int, columns: int) -> NDArray[np.int64]:
    index = np.arange(rows * columns).reshape(rows, columns)
    along = np.column_stack([index[:, :-1].ravel(), index[:, 1:].ravel()])
    up = np.column_stack([index[:-1].ravel(), index[1:].ravel()])
    return np.concatenate([along, up])


def _crossed(rows: int, columns: int) -> NDArray[np.int64]:
    index = np.arange(rows * columns).reshape(rows, columns)
    rising = np.column_stack([index[:-1, :-1].ravel(), index[1:, 1:].ravel()])
    falling = np.column_stack([index[:-1, 1:].ravel(), index[1:, :-1].ravel()])
    return np.concatenate([rising, falling])


def _perimeter(rows: int, columns: int) -> NDArray[np.int64]:
    """Return the ring of rows around a grid, counter-clockwise."""
    index = np.arange(rows * columns).reshape(rows, columns)
    return np.concatenate([index[0], index[1:, -1], index[-1, -2::-1], index[-2:0:-1, 0]])
