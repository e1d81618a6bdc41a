"""Both halves of a body keep off each other from the frame of the cut on, and none flies off."""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody import Collider, Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.geometry.polygon import contains, signed_area
from ecs_softbody.indices import arange

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")

KINDS = {
    "blob": lambda size: blueprints.blob((0.0, size / 2), size / 2),
    "box": lambda size: blueprints.box((0.0, size / 2), size),
    "crate": lambda size: blueprints.box((0.0, size / 2), size, shape_stiffness=1e6),
    "jelly": lambda size: blueprints.box((0.0, size / 2), size, stiffness=300.0),
}
CUTS = {
    "across": ((-1.0, 0.03), (1.0, 0.06)),
    "down": ((0.03, -1.0), (0.05, 1.0)),
    "aside": ((-1.0, 0.3), (1.0, 0.22)),
}
SHARE = 0.025
"""The halves overlap by no more than this share of the smaller one: 0.023 without ground, less than
0.01 on it.
"""
SPEED = {True: 0.65, False: 0.5}
"""A half of 1 m and more is no faster than this times the root of g times the size: on the ground,
and without one.
"""
POINTS = 25


def overlap(one: np.ndarray, two: np.ndarray) -> float:
    """Return the common area of two rings over that of the smaller one, on a grid over what both
    boxes share.
    """
    low = np.maximum(one.min(axis=0), two.min(axis=0))
    high = np.minimum(one.max(axis=0), two.max(axis=0))
    if (high <= low).any():
        return 0.0
    steps = (arange(POINTS) + 0.5) / POINTS
    grid = low + (high - low) * np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    common = (contains(one, grid) & contains(two, grid)).mean() * np.prod(high - low)
    return float(common / min(abs(signed_area(one)), abs(signed_area(two))))


def part(
    kind: str, size: float, solver: str, cut: str, *, ground: bool, frames: int = 40
) -> tuple[float, float]:
    """Cut a body that rests on the ground, or floats; return the largest overlap and the largest
    speed of a half.
    """
    with Simulation(
        solver=solver, gravity=(0.0, -9.81 if ground else 0.0), world=f"{kind} {cut}"
    ) as sim:
        if ground:
            sim.spawn(StaticCollider([(-99.0, 0.0), (99.0, 0.0)]))
        body = sim.spawn(*KINDS[kind](size))
        for _ in range(10):
            sim.step()
        position = sim.get(body, Particles).position
        low = position.min(axis=0)
        high = position.max(axis=0)
        start, end = ((low + high) / 2 + np.array(share) * (high - low) for share in CUTS[cut])
        (made,) = sim.cut(start, end)
        most = 0.0
        fastest = 0.0
        for frame in range(frames):
            sim.step()
            halves = [sim.get(piece, Particles) for piece in made.pieces]
            rings = [
                sim.get(piece, Particles).position[sim.get(piece, Collider).outline]
                for piece in made.pieces
            ]
            if frame < 4 or frame % 4 == 0:
                most = max(most, overlap(rings[0], rings[1]))
            for half in halves:
                motion = half.mass @ half.velocity / half.mass.sum()
                fastest = max(fastest, float(np.hypot(*motion)))
    sim.close()
    return most, fastest


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize("kind", KINDS)
def test_halves_keep_off_each_other_and_stay_near(kind: str, solver: str) -> None:
    for size in (0.1, 1.0, 5.0):
        for cut, ground in (("across", True), ("across", False), ("aside", True), ("down", True)):
            if kind == "blob" or cut == "across":
                most, fastest = part(kind, size, solver, cut, ground=ground)
                assert most <= SHARE, (size, cut, ground)
                assert fastest <= SPEED[ground] * np.sqrt(9.81 * max(size, 0.4)), (
                    size,
                    cut,
                    ground,
                )


def test_halves_of_a_blob_keep_off_each_other_from_the_first_frame_on() -> None:
    """They lay in each other for twenty frames, by a quarter of a half."""
    most, fastest = part("blob", 1.0, "saturated", "across", ground=True, frames=12)
    assert most <= SHARE
    assert fastest < 1.6
