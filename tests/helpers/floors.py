"""Floors of one collider and of many, and bodies that go over them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from ecs_softbody import Character, Collider, Particles, Simulation, StaticCollider, blueprints
from tests.helpers.stepping import FRAME, run_frames

START, END = -4.0, 30.0
"""Where every floor begins and ends [m]."""
Parts = tuple[Any, ...]


def steps(width: float) -> list[float]:
    """Return where tiles of this width begin and end."""
    return [START + width * k for k in range(round((END - START) / width) + 1)]


def tile(
    left: float, right: float, top: float = 0.0, bottom: float = -1.0, *, clockwise: bool = False
) -> Any:
    """Return the corners of a tile."""
    ring = [(left, bottom), (right, bottom), (right, top), (left, top)]
    return ring[::-1] if clockwise else ring


def floor(kind: str, **options: Any) -> Iterator[StaticCollider]:  # noqa: C901
    """Yield the colliders of a floor at height 0."""
    if kind == "line":
        yield StaticCollider([(START, 0), (END, 0)], **options)
    elif kind == "chain":
        yield StaticCollider([(x, 0) for x in steps(1.0)], **options)
    elif kind in ("segments", "backward", "mixed", "gaps"):
        xs = steps(1.0)
        gap = 0.0005 if kind == "gaps" else 0.0
        for k, (a, b) in enumerate(pairwise(xs)):
            turned = kind == "backward" or (kind == "mixed" and k % 3 == 1)
            ends = [(a, 0), (b - gap, 0)]
            yield StaticCollider(ends[::-1] if turned else ends, **options)
    elif kind in ("boxes", "small boxes", "boxes with gaps", "turned boxes"):
        width = 0.25 if kind == "small boxes" else 1.0
        gap = 0.0005 if kind == "boxes with gaps" else 0.0
        xs = steps(width)
        for k, (a, b) in enumerate(pairwise(xs)):
            clockwise = kind == "turned boxes" and k % 2 == 1
            yield StaticCollider(
                tile(a, b - gap, bottom=-width, clockwise=clockwise), closed=True, **options
            )
    elif kind in ("grid", "small grid"):
        width = 0.25 if kind == "small grid" else 1.0
        xs = steps(width)
        for row in range(2):
            for a, b in pairwise(xs):
                ring = tile(a, b, -width * row, -width * (row + 1))
                yield StaticCollider(ring, closed=True, **options)
    elif kind == "triangles":
        xs = steps(1.0)
        for a, b in pairwise(xs):
            yield StaticCollider([(a, 0), (a, -1), (b, 0)], closed=True, **options)
            yield StaticCollider([(b, -1), (b, 0), (a, -1)], closed=True, **options)
    elif kind == "unlike boxes":
        xs = [START]
        sizes = [1.0, 0.25, 2.0, 0.5]
        while xs[-1] < END:
            xs.append(xs[-1] + sizes[len(xs) % 4])
        for k, (a, b) in enumerate(pairwise(xs)):
            yield StaticCollider(tile(a, b, bottom=-0.5 - 0.5 * (k % 3)), closed=True, **options)
    else:
        raise ValueError(kind)


SEPARATE = [
    "segments", "backward", "mixed", "gaps", "boxes", "small boxes", "boxes with gaps",
    "turned boxes", "grid", "small grid", "triangles", "unlike boxes",
]  # fmt: skip


def slider(kind: str, friction: float = 0.0) -> Parts:
    """Return a body that stands on a floor at height 0, at x = 0."""
    collider = {"friction": friction}
    if kind == "ball":
        return blueprints.ball((0, 0.2), 0.2, **collider)
    if kind == "blob":
        return blueprints.blob((0, 0.45), 0.4, **collider)
    if kind == "box":
        return blueprints.box((0, 0.25), 0.4, **collider)
    if kind == "wooden box":
        return blueprints.box((0, 0.25), 0.4, material="wood", **collider)
    if kind == "crate":
        return blueprints.box((0, 0.25), 0.4, rows=3, columns=3, shape_stiffness=1e6, **collider)
    if kind == "disc":
        return Particles([(0, 0.05)], radius=0.05), Collider(**collider)
    raise ValueError(kind)


def slide(sim: Simulation, body: Parts, speed: float, way: float = 24.0) -> tuple[float, float]:
    """Let a body settle, push it to a speed and let it go a way; return its speed and greatest
    height [m/s, m].
    """
    particles = body[0]
    sim.spawn(*body)
    run_frames(sim, 30)
    particles.velocity += (speed - particles.velocity[:, 0].mean(), 0.0)
    return watch(sim, particles, max(round(way / speed / FRAME), 1))


def drive(sim: Simulation, kind: str, frames: int) -> tuple[float, float]:
    """Let something drive itself; return how fast it is then [m/s] and its greatest height [m]."""
    if kind == "hero":
        hero = Character(speed=6.0)
        hero.move = 1.0
        body = blueprints.blob((0, 0.45), 0.4)
        sim.spawn(*body, hero)
        return watch(sim, body[0], frames)
    if kind == "cube":
        hero = Character.cube(speed=6.0)
        hero.move = 1.0
        body = blueprints.box((0, 0.45), 0.8, material="wood")
        sim.spawn(*body, hero)
        return watch(sim, body[0], frames)
    chassis = blueprints.box((0, 0.55), (1.2, 0.3))
    car = sim.spawn(*chassis)
    for x in (-0.4, 0.4):
        wheel = sim.spawn(*blueprints.wheel((x, 0.3), 0.25))
        sim.spawn(*blueprints.axle(car, wheel, (x, 0.3), speed=-20.0, max_torque=20.0))
    return watch(sim, chassis[0], frames)


def watch(sim: Simulation, particles: Particles, frames: int) -> tuple[float, float]:
    """Step, and return how fast the particles are then and how high any has been."""
    highest = 0.0
    for _ in range(frames):
        sim.step()
        highest = max(highest, float(particles.position[:, 1].max()))
    return float(np.average(particles.velocity[:, 0], weights=particles.mass)), highest
