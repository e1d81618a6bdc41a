"""Polygon: a soft body of any simple outline."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.blueprints.calls import blueprint, check_particles
from ecs_softbody.blueprints.elasticity import Options, carried, hertz, made_of, rest_shape
from ecs_softbody.blueprints.mass_and_springs import (
    DENSITY,
    EARTH,
    RADIUS_SHARE,
    MassAndSprings,
    bending_damping,
)
from ecs_softbody.blueprints.options import SoftOptions, surface
from ecs_softbody.blueprints.round import FIRMNESS
from ecs_softbody.components import (
    AngularSprings,
    Collider,
    Particles,
    PressureBody,
    ShapeMatching,
    Springs,
)
from ecs_softbody.elementary.rows import lengths
from ecs_softbody.errors import FieldError, ShapeError
from ecs_softbody.geometry.polygon import has_deep_gap, signed_area
from ecs_softbody.indices import arange
from ecs_softbody.validation import array_of, check_number

DEFAULT_PARTICLES = 32
"""Number of particles that the outline of a polygon is divided for, if no spacing is given."""
GAS = 12.0
"""Limit of the pressure of the gas in a polygon of a material, over density × gravity × radius of a
disc of its area: the rest shape carries the remainder.
"""
GAS_OF_SMALL = 120.0
"""Limit of the same over the root of the area [1/m]: a substep carries less gas in small bodies."""
SHAPE_SAG = 0.01
"""Default give of the rest shape under the body's own weight on Earth, over the diameter of a disc
of its area: the same form stands alike at any size.
"""
SHAPE_DAMPING_RATIO = 0.3
"""Damping of the swinging about the rest shape, over critical."""


def _polygon_of(call: Mapping[str, Any], firmness: float, damping_ratio: float) -> Options:
    """The rest shape carries most; skin and gas follow."""
    shape = hertz(
        2.0 * firmness, 2.0 * math.sqrt(abs(signed_area(_corners(call["vertices"]))) / math.pi)
    )
    return {
        "firmness": firmness,
        "shape_frequency": shape,
        "shape_damping_ratio": damping_ratio,
        **carried(2.0 * shape, damping_ratio, hertz=45.0, damped=5.0),
    }


@blueprint
@made_of(_polygon_of)
def polygon(
    vertices: ArrayLike,
    *,
    spacing: float | None = None,
    bending: float | None = None,
    shape_frequency: float | None = None,
    shape_damping_ratio: float = SHAPE_DAMPING_RATIO,
    pressure: float | None = None,
    self_collision: bool | None = None,
    **options: Unpack[SoftOptions],
) -> tuple[Particles, Springs, AngularSprings, PressureBody, ShapeMatching, Collider]:
    """Return a soft body with this outline, which keeps its form where it is concave, too.

    A skin that keeps its angles, around gas that keeps its area, drawn to its rest shape as a
    whole.

    Args:
        vertices: shape (V, 2), V >= 3 [m]: the corners of a simple polygon in either orientation;
            particles lie on it.
        spacing: largest distance of the particles along the edges [m]; 1/32 of the outline by
            default.
        bending: stiffness of the angular springs [N/m]; 0.15 of the springs' stiffness by default.
        shape_frequency: frequency at which a particle oscillates about its rest position [Hz]; by
            default its own weight moves the body by a hundredth of its size, which takes 5 Hz at
            1 m. 0: only skin and gas hold it, and concave corners sag.
        shape_damping_ratio: of this oscillation, over critical [1].
        pressure: of the gas, inside and outside, in the rest shape [Pa]; more resists squeezing
            better.
        self_collision: see Collider. It touches itself by
            default where it has a gap that is deeper than wide: both sides would pass through each
            other.
        options: see SoftOptions; the springs of the skin have 45 Hz with a damping ratio of 0.1 by
            default.
    """
    corners = _corners(vertices)
    positions, step = _resampled(corners, spacing)
    area = abs(signed_area(positions))
    if area <= 1e-12 * float(np.ptp(positions, axis=0).max()) ** 2:
        raise FieldError(
            "polygon", "vertices", vertices, "a simple polygon", in_words="an outline without area"
        )
    asked = MassAndSprings("polygon", options)
    kilograms = asked.total_mass(area, DENSITY)
    stiff, damp = asked.springs(kilograms / len(positions), frequency=45.0, damping_ratio=0.1)
    bend = check_number(
        "polygon", "bending", 0.15 * stiff if bending is None else bending, minimum=0.0
    )
    if pressure is None:
        firmness = options["firmness"]
        load = (
            6.0 * FIRMNESS
            if firmness is None
            else min(1.5 * firmness, GAS, GAS_OF_SMALL * math.sqrt(area))
        )
        pressure = load * kilograms / area * EARTH * math.sqrt(area / math.pi)
    pressure = check_number("polygon", "pressure", pressure, minimum=0.0)
    particle = kilograms / len(positions)
    if shape_frequency is None:
        shape_frequency = math.sqrt(EARTH / (SHAPE_SAG * 2.0 * math.sqrt(area / math.pi))) / (
            2.0 * math.pi
        )
    rows = arange(len(positions))
    return (
        Particles(
            positions, velocity=options["velocity"], mass=particle, radius=RADIUS_SHARE * step
        ),
        Springs(np.column_stack([rows, np.roll(rows, -1)]), stiffness=stiff, damping=damp),
        AngularSprings(
            np.column_stack([np.roll(rows, 1), rows, np.roll(rows, -1)]),
            stiffness=bend,
            damping=bending_damping(bend, particle, step),
        ),
        PressureBody(rows, nRT=pressure * area, ambient_pressure=pressure),
        rest_shape("polygon", particle, shape_frequency, shape_damping_ratio),
        Collider(
            outline=rows,
            **surface(options),
            # Without self-collision a slit closed, crossed, was mended, and threw the body up for
            # ever.
            self_collision=has_deep_gap(positions) if self_collision is None else self_collision,
        ),
    )


def _corners(vertices: ArrayLike) -> NDArray[np.float64]:
    corners = array_of(vertices)
    if corners.ndim != 2 or corners.shape[1:] != (2,) or len(corners) < 3:
        raise ShapeError(
            "polygon",
            "vertices",
            vertices,
            "finite numbers of shape (V, 2), V >= 3",
            shape=corners.shape,
            wanted=("V", 2),
            least=3,
        )
    if not (finite := np.isfinite(corners)).all():
        raise FieldError("polygon", "vertices", corners[~finite][0], "finite numbers [m]")
    return corners


def _resampled(
    corners: NDArray[np.float64], spacing: float | None
) -> tuple[NDArray[np.float64], float]:
    """Put particles on every corner and evenly between them; return them and their
    mean distance.
    """
    edges = np.roll(corners, -1, axis=0) - corners
    long = lengths(edges)
    if not (long > 0.0).all():
        raise FieldError(
            "polygon",
            "vertices",
            corners,
            "a simple polygon",
            in_words="the same corner twice in a row",
        )
    if spacing is None:
        spacing = float(long.sum()) / DEFAULT_PARTICLES
    spacing = check_number("polygon", "spacing", spacing, above=0.0)
    check_particles("polygon", "spacing", spacing, float(long.sum()) / spacing)
    pieces = []
    for corner, edge, length in zip(corners, edges, long, strict=True):
        count = max(math.ceil(length / spacing - 1e-9), 1)
        share = arange(count) / count
        pieces.append(corner + share[:, None] * edge)
    positions = np.concatenate(pieces)
    return positions, float(long.sum()) / len(positions)
