"""Round bodies: the ball, one particle, and the blob, a skin filled with gas."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.blueprints.calls import blueprint
from ecs_softbody.blueprints.elasticity import Options, carried, hertz, made_of, rest_shape
from ecs_softbody.blueprints.mass_and_springs import DENSITY, EARTH, RADIUS_SHARE, MassAndSprings
from ecs_softbody.blueprints.options import BallOptions, SoftOptions, surface
from ecs_softbody.components import Collider, Particles, PressureBody, ShapeMatching, Springs
from ecs_softbody.elementary.angles import cos, sin
from ecs_softbody.elementary.rows import directions
from ecs_softbody.indices import arange, repeat
from ecs_softbody.validation import check_count, check_number, check_point

SMALLEST_CORE = 6
"""Least number of particles of a blob that has dashpots across it and a net of chords."""
CORE_DAMPING = 0.74
"""Default damping of all dashpots across a blob together, over √(mass × pressure)."""
SKIN_SHARE = 0.12
"""Share of the gas that the skin of a blob carries; the net of chords carries the rest. A substep
carries a load that spans s edges s² times as easily, but chords alone leave waves of their own
length free.
"""
DAMPING_RATIO = 0.11
"""Default damping of the springs of a blob, over critical."""
NET_SPANS = 8.0
"""A chord of the net spans the edges of an eighth of the ring, two at least."""
NET_STRAIN = 1.0 / 3.0
"""Default stretch of the chords over their length in balance: far from slack, and too short to hold
a fold.
"""
GAS = 8.0
"""Firmness up to which gas alone carries a blob of a material; beyond, its rest shape helps. A
substep carries more of that in small blobs.
"""
FIRMNESS = 9.5
"""Default pressure of a blob over density × gravity × radius: at rest it stands on about 0.4 of its
radius.
"""


@blueprint
@made_of(None, friction=0.4, restitution=0.6)
def ball(
    center: ArrayLike,
    radius: float,
    *,
    angular_velocity: float = 0.0,
    rolling_resistance: float = 0.0,
    **options: Unpack[BallOptions],
) -> tuple[Particles, Collider]:
    """Return an elastic ball: a single particle that collides, rolls and spins as a disc.

    Args:
        center: (x, y) [m].
        radius: [m]; `radius_of(mass, density)` gives it for a mass.
        angular_velocity: [rad/s], counter-clockwise.
        rolling_resistance: see Collider. Without resistance it rolls on.
        options: see BallOptions; friction is 0.4 and restitution 0.6 by default. A ball of a
            material stays a hard disc.
    """
    position = check_point("ball", "center", center)
    radius = check_number("ball", "radius", radius, above=0.0)
    kilograms = MassAndSprings("ball", options).total_mass(math.pi * radius**2, DENSITY)
    return (
        Particles(
            position[None],
            velocity=options["velocity"],
            mass=kilograms,
            radius=radius,
            angular_velocity=angular_velocity,
        ),
        Collider(rolling_resistance=rolling_resistance, **surface(options)),
    )


def _blob_of(call: Mapping[str, Any], firmness: float, damping_ratio: float) -> Options:
    """Gas carries the load up to its limit; the rest shape carries the remainder."""
    radius = check_number("blob", "radius", call["radius"], above=0.0)
    return {
        "firmness": firmness,
        "shape_frequency": hertz(2.0 * max(firmness - GAS, 0.0), radius),
        "shape_damping_ratio": damping_ratio,
        **carried(60.0, damping_ratio, hertz=60.0, damped=6.0),
    }


@blueprint
@made_of(_blob_of)
def blob(
    center: ArrayLike,
    radius: float,
    *,
    particles: int = 24,
    core_damping: float | None = None,
    bending: float | None = None,
    pressure: float | None = None,
    shape_frequency: float | None = None,
    shape_damping_ratio: float = DAMPING_RATIO,
    thickness: float | None = None,
    self_collision: bool = True,
    **options: Unpack[SoftOptions],
) -> tuple[Particles, Springs, PressureBody, *tuple[ShapeMatching, ...], Collider]:
    """Return a blob: a ring of springs under tension, filled with gas, in balance as it is made.

    Args:
        center: (x, y) [m].
        radius: outer radius, the thickness of the skin included [m].
        particles: how many make the ring, 3 or more.
        core_damping: of each dashpot across blobs of 6 particles or more [N·s/m];
            `shape_damping_ratio` sets it, too.
        bending: stiffness of the net of chords below the skin of 6 particles or more, which carries
            most of the gas [N/m]; by default its load stretches it by half. 0: the skin carries
            all.
        pressure: of the gas [Pa]; more is firmer. By default it carries the blob's weight well on
            Earth.
        shape_frequency: frequency at which a particle oscillates about its rest position [Hz], for
            blobs firmer than gas can make them; it adds a ShapeMatching to the tuple, before the
            Collider. None: no rest shape.
        shape_damping_ratio: how fast the whole blob stops to wobble, over critical [1].
        thickness: of the skin, the diameter of its particles [m]; 0.6 of their distance by default.
        self_collision: see Collider.
        options: see SoftOptions; the springs of the skin have 70 Hz with a damping ratio of 0.11 by
            default.
    """
    position = check_point("blob", "center", center)
    radius = check_number("blob", "radius", radius, above=0.0)
    count = check_count("blob", "particles", particles, minimum=3)
    half_chord = sin(math.pi / count)
    skin_radius = _skin_radius(radius, thickness, half_chord)
    ring = radius - skin_radius
    asked = MassAndSprings("blob", options)
    kilograms = asked.total_mass(math.pi * radius**2, DENSITY)
    stiff, damp = asked.springs(kilograms / count, frequency=70.0, damping_ratio=DAMPING_RATIO)
    swing = 0.0 if shape_frequency is None else shape_frequency
    shape = rest_shape("blob", kilograms / count, swing, shape_damping_ratio)
    if pressure is None:
        firmness = options["firmness"]
        load = FIRMNESS if firmness is None else min(firmness, GAS)
        pressure = load * kilograms / (math.pi * radius**2) * EARTH * radius
    pressure = check_number("blob", "pressure", pressure, minimum=0.0)
    rows, directions, pairs, counts = _ring_of(count)
    length = 2.0 * ring * half_chord
    width = 2.0 * ring * sin(math.pi * net_span(count) / count)
    # This is the tension of a skin that carries all of the gas.
    tension = pressure * ring * cos(math.pi / count)
    # This is the greatest pull of a chord.
    most = (1.0 - SKIN_SHARE) * tension * length / width if counts[2] else 0.0
    bend = check_number(
        "blob", "bending", most / (NET_STRAIN * width) if bending is None else bending, minimum=0.0
    )
    pull = min(most, bend * width)
    tension -= pull * width / length
    net_damp = 2.0 * DAMPING_RATIO * math.sqrt(0.5 * bend * kilograms / count)
    # In a softer skin no rest length, however short, balances the gas.
    stiff = max(stiff, tension / length)
    # Rounding may yield -1e-17.
    rest_length = max(length - tension / stiff, 0.0) if stiff > 0.0 else length
    rest_width = max(width - pull / bend, 0.0) if bend > 0.0 else width
    if core_damping is None:
        # The damping ratio of a rest shape may exceed the default; the share is 1 then.
        more = min(shape_damping_ratio / DAMPING_RATIO, 1.0)
        core_damping = more * CORE_DAMPING / max(counts[1], 1) * math.sqrt(kilograms * pressure)
    core_damping = check_number("blob", "core_damping", core_damping, minimum=0.0)
    across = 2.0 * ring * sin(math.pi * (count // 2) / count)
    return (
        Particles(
            position + ring * directions,
            velocity=options["velocity"], mass=kilograms / count, radius=skin_radius,
        ),
        Springs(
            pairs,
            stiffness=repeat([stiff, 0.0, bend], counts),
            damping=repeat([damp, core_damping, net_damp], counts),
            rest_length=repeat([rest_length, across, rest_width], counts),
        ),
        PressureBody(rows, nRT=pressure * (0.5 * count * ring**2 * sin(2.0 * math.pi / count))),
        *(() if shape_frequency is None else (shape,)),
        Collider(
            outline=rows, **surface(options),
            self_collision=self_collision, skin=skin_radius,
        ),
    )  # fmt: skip


def _skin_radius(radius: float, thickness: float | None, half_chord: float) -> float:
    """Return the radius [m] of the particles of a ring; half_chord: half of an edge over the radius
    of the ring [1].
    """
    if thickness is None:
        return 2.0 * RADIUS_SHARE * half_chord * radius / (1.0 + 2.0 * RADIUS_SHARE * half_chord)
    skin_radius = 0.5 * check_number("blob", "thickness", thickness, minimum=0.0)
    if skin_radius >= radius:
        raise ValueError(
            f"blob.thickness: {thickness!r} is not allowed; expected less than twice the radius"
        )
    return skin_radius


def net_span(count: int) -> int:
    """Return how many edges of a ring of `count` particles a chord of the net spans."""
    return max(round(count / NET_SPANS), 2)


@functools.lru_cache(maxsize=64)
def _ring_of(
    count: int,
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], list[int]]:
    """Return the rows of a ring, their directions (count, 2), its pairs, and how many are skin,
    core and bending.
    """
    rows = arange(count)
    # The ring stands on an edge, not on a corner.
    angle = math.pi * (2.0 * rows + 1.0) / count - 0.5 * math.pi
    pairs = [
        np.column_stack([rows, np.roll(rows, -1)]),
        np.zeros((0, 2), np.int64),
        np.zeros((0, 2), np.int64),
    ]
    if count >= SMALLEST_CORE:
        opposite = np.column_stack([rows, np.roll(rows, -(count // 2))])
        # In an odd ring, two particles are nearly opposite to each.
        pairs[1] = opposite if count % 2 else opposite[: count // 2]
        pairs[2] = np.column_stack([rows, np.roll(rows, -net_span(count))])
    return rows, directions(angle), np.concatenate(pairs), [len(kind) for kind in pairs]
