"""Lattices: the jelly box and cloth, grids of particles with springs along and across
their cells.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.blueprints.calls import blueprint
from ecs_softbody.blueprints.elasticity import Options, carried, hertz, made_of
from ecs_softbody.blueprints.mass_and_springs import DENSITY, RADIUS_SHARE, MassAndSprings
from ecs_softbody.blueprints.options import SoftOptions, SpringOptions, surface
from ecs_softbody.components import Collider, Drag, Particles, ShapeMatching, Springs
from ecs_softbody.elementary.angles import cos, sin
from ecs_softbody.indices import arange
from ecs_softbody.validation import (
    array_of,
    check_count,
    check_flag,
    check_number,
    check_point,
    shown,
)

EARTH = 9.81
"""Gravity on Earth [m/s²], for which the default stiffness is chosen."""
CLOTH_DENSITY = 0.3 * DENSITY
"""Default mass of a square metre of cloth [kg/m²]."""
SHAPE_SHARE = 4.5
"""Default stiffness of a box's shape over its springs' stiffness. A lattice of springs that is
folded or mirrored is at rest: with half of their stiffness the shape unfolds it, with a third not
always. And a tower of soft boxes buckles as a column does: with half of their stiffness the seventh
box falls, with this eight of them stand.
"""
SHAPE_RATIO = 0.3
"""Least damping of the shape, over critical for its own stiffness."""
SHAPE_SAG = 0.01
"""The shape of a box carries each particle within this share of the smaller side: springs of 30 Hz
alone would let a box of 1 cm sink to half of its height.
"""


def _box_of(call: Mapping[str, Any], firmness: float, damping_ratio: float) -> Options:
    """Springs are twice as stiff as the rest shape, as far as a substep carries them."""
    shape = hertz(6.0 * firmness, math.sqrt(float(_sides("box", call["size"]).prod())))
    return {
        "shape_frequency": shape,
        "shape_damping_ratio": damping_ratio,
        **carried(2.0 * shape, damping_ratio, hertz=30.0, damped=3.6),
    }


@blueprint
@made_of(_box_of)
def box(
    center: ArrayLike,
    size: ArrayLike,
    *,
    rows: int = 5,
    columns: int = 5,
    angle: float = 0.0,
    shape_stiffness: float | None = None,
    shape_frequency: float | None = None,
    shape_damping_ratio: float | None = None,
    thickness: float | None = None,
    **options: Unpack[SoftOptions],
) -> tuple[Particles, Springs, ShapeMatching, Collider]:
    """Return a box of jelly, which keeps its shape.

    Args:
        center: (x, y) [m].
        size: side, or (width, height) [m], outer.
        rows: rows of particles, 2 or more.
        columns: columns of particles, 2 or more.
        angle: turned counter-clockwise [rad].
        shape_stiffness: of the pull to the rest shape [N/m], which brings a box back from any
            crush. By default 4.5 times the springs' stiffness, and at least enough for a particle's
            own weight to move it by no more than a hundredth of the smaller side. 0: springs only,
            which stay folded once folded. 1e6 makes a crate that stacks.
        shape_frequency: the same, as the frequency at which a particle oscillates about its rest
            position [Hz].
        shape_damping_ratio: of this oscillation, over critical [1]; by default it is damped as the
            springs are.
        thickness: diameter of the particles [m]; 0.6 of their distance by default.
        options: see SoftOptions; its springs have 30 Hz with a damping ratio of 0.12 by default.
    """
    position = check_point("box", "center", center)
    sides = _sides("box", size)
    rows = check_count("box", "rows", rows, minimum=2)
    columns = check_count("box", "columns", columns, minimum=2)
    cells = np.array([columns - 1, rows - 1], np.int64)
    if thickness is None:
        particle_radius = float((RADIUS_SHARE * sides / (cells + 2.0 * RADIUS_SHARE)).min())
    else:
        particle_radius = 0.5 * check_number("box", "thickness", thickness, minimum=0.0)
        if 2.0 * particle_radius >= sides.min():
            raise ValueError(
                f"box.thickness: {thickness!r} is not allowed; expected less than the smaller side"
            )
    grid = _grid(rows, columns) * (sides - 2.0 * particle_radius)
    angle = check_number("box", "angle", angle)
    along = np.array([cos(angle), sin(angle)], np.float64)
    across = np.array([-along[1], along[0]], np.float64)
    turned = position + (grid[:, :1] * along + grid[:, 1:] * across)
    asked = MassAndSprings("box", options)
    kilograms = asked.total_mass(float(sides.prod()), DENSITY)
    each = kilograms / len(grid)
    stiff, damp = asked.springs(each, frequency=30.0, damping_ratio=0.12)
    if shape_frequency is None:
        if shape_stiffness is None:
            shape_stiffness = max(SHAPE_SHARE * stiff, each * EARTH / (SHAPE_SAG * sides.min()))
        shape_stiffness = check_number("box", "shape_stiffness", shape_stiffness, minimum=0.0)
    elif shape_stiffness is None:
        swing = 2.0 * math.pi * check_number("box", "shape_frequency", shape_frequency, minimum=0.0)
        shape_stiffness = each * swing**2
    else:
        raise ValueError(
            f"box.shape_frequency: {shape_frequency!r} beside shape_stiffness is not allowed; "
            "expected one of them"
        )
    critical = 2.0 * math.sqrt(shape_stiffness * each)
    shape_damp = max(damp, SHAPE_RATIO * critical) if shape_stiffness else 0.0
    if shape_damping_ratio is not None:
        shape_damp = (
            check_number("box", "shape_damping_ratio", shape_damping_ratio, minimum=0.0) * critical
        )
    return (
        Particles(
            turned, velocity=options["velocity"], mass=kilograms / len(grid), radius=particle_radius
        ),
        Springs(
            np.concatenate([_straight(rows, columns), _crossed(rows, columns)]),
            stiffness=stiff,
            damping=damp,
        ),
        ShapeMatching(stiffness=shape_stiffness, damping=shape_damp),
        Collider(outline=_perimeter(rows, columns), **surface(options), skin=particle_radius),
    )


def _cloth_of(call: Mapping[str, Any], firmness: float, damping_ratio: float) -> Options:
    """Hung up, it is stretched by 1 / 2F of its height by its own weight, or less."""
    height = float(_sides("cloth", call["size"])[1])
    rows = check_count("cloth", "rows", call["rows"], minimum=2)
    return carried(
        hertz(2.0 * (rows - 1) ** 2 * firmness, height), damping_ratio, hertz=45.0, damped=4.5
    )


@blueprint
@made_of(_cloth_of, density=CLOTH_DENSITY)
def cloth(
    center: ArrayLike,
    size: ArrayLike,
    *,
    rows: int = 10,
    columns: int = 14,
    thickness: float | None = None,
    pin_top: bool = True,
    air: float = 0.5,
    **options: Unpack[SpringOptions],
) -> tuple[Particles, Springs, Drag, Collider]:
    """Return a cloth that hangs from its upper corners; its particles collide as discs.

    Args:
        center: (x, y) [m].
        size: side, or (width, height) [m].
        rows: rows of particles, 2 or more.
        columns: columns of particles, 2 or more.
        thickness: diameter of the particles [m]; 0.6 of their distance by default.
        air: how fast air brakes the cloth [1/s].
        pin_top: whether the upper corners are pinned.
        options: see SpringOptions; its springs have 45 Hz with a damping ratio of 0.1 by default.
    """
    position = check_point("cloth", "center", center)
    sides = _sides("cloth", size)
    rows = check_count("cloth", "rows", rows, minimum=2)
    columns = check_count("cloth", "columns", columns, minimum=2)
    spacing = float((sides / np.array([columns - 1, rows - 1], np.int64)).min())
    thickness = 2.0 * RADIUS_SHARE * spacing if thickness is None else thickness
    particle_radius = 0.5 * check_number("cloth", "thickness", thickness, minimum=0.0)
    asked = MassAndSprings("cloth", options)
    share = asked.total_mass(float(sides.prod()), CLOTH_DENSITY) / (rows * columns)
    stiff, damp = asked.springs(share, frequency=45.0, damping_ratio=0.1)
    pinned = np.zeros(rows * columns, bool)
    pinned[[-columns, -1]] = check_flag("cloth", "pin_top", pin_top)
    return (
        Particles(
            position + _grid(rows, columns) * sides,
            mass=share,
            radius=particle_radius,
            pinned=pinned,
        ),
        Springs(_straight(rows, columns), stiffness=stiff, damping=damp),
        Drag(linear=share * check_number("cloth", "air", air, minimum=0.0)),
        Collider(**surface(options)),
    )


def _sides(owner: str, size: ArrayLike) -> NDArray[np.float64]:
    try:
        sides = np.broadcast_to(array_of(size), (2,))
    except ValueError:  # another shape
        sides = np.full(2, np.nan)
    if not (np.isfinite(sides).all() and (sides > 0.0).all()):
        raise ValueError(
            f"{owner}.size: {shown(size)} is not allowed; expected a side or (width, height) "
            "> 0 [m]"
        )
    return sides


def _grid(rows: int, columns: int) -> NDArray[np.float64]:
    """Return the points of a grid around the origin, side 1, from the lower left, row by row."""
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, columns), np.linspace(-0.5, 0.5, rows))
    return np.column_stack([x.ravel(), y.ravel()])


def _straight(rows: int, columns: int) -> NDArray[np.int64]:
    index = arange(rows * columns).reshape(rows, columns)
    along = np.column_stack([index[:, :-1].ravel(), index[:, 1:].ravel()])
    up = np.column_stack([index[:-1].ravel(), index[1:].ravel()])
    return np.concatenate([along, up])


def _crossed(rows: int, columns: int) -> NDArray[np.int64]:
    index = arange(rows * columns).reshape(rows, columns)
    rising = np.column_stack([index[:-1, :-1].ravel(), index[1:, 1:].ravel()])
    falling = np.column_stack([index[:-1, 1:].ravel(), index[1:, :-1].ravel()])
    return np.concatenate([rising, falling])


def _perimeter(rows: int, columns: int) -> NDArray[np.int64]:
    """Return the ring of rows around a grid, counter-clockwise."""
    index = arange(rows * columns).reshape(rows, columns)
    return np.concatenate([index[0], index[1:, -1], index[-1, -2::-1], index[-2:0:-1, 0]])
