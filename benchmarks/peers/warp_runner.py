"""warp on the CPU: no engine but a kernel tool, so it runs S1 only, with two kernels: springs, then
particles.
"""

from __future__ import annotations

import numpy as np
import warp as wp
from numpy.typing import NDArray

from peers import Setting
from scenes import FRAME, GRAVITY, SUBSTEPS, Scene

wp.config.quiet = True


@wp.kernel
def add_springs(
    place: wp.array(dtype=wp.vec2),
    velocity: wp.array(dtype=wp.vec2),
    pairs: wp.array(dtype=wp.vec2i),
    rest: wp.array(dtype=float),
    stiffness: wp.array(dtype=float),
    damping: wp.array(dtype=float),
    force: wp.array(dtype=wp.vec2),
):
    """Add every spring's force to its ends."""
    spring = wp.tid()
    i = pairs[spring][0]
    j = pairs[spring][1]
    apart = place[j] - place[i]
    length = wp.length(apart)
    along = apart / length
    pull = stiffness[spring] * (length - rest[spring]) + damping[spring] * wp.dot(
        velocity[j] - velocity[i], along
    )
    wp.atomic_add(force, i, pull * along)
    wp.atomic_sub(force, j, pull * along)


@wp.kernel
def move(
    place: wp.array(dtype=wp.vec2),
    velocity: wp.array(dtype=wp.vec2),
    force: wp.array(dtype=wp.vec2),
    inverse_mass: wp.array(dtype=float),
    gravity: float,
    dt: float,
):
    """Velocity, then position; clears the force."""
    i = wp.tid()
    weight = inverse_mass[i]
    if weight > 0.0:
        velocity[i] = velocity[i] + dt * (weight * force[i] + wp.vec2(0.0, gravity))
        place[i] = place[i] + dt * velocity[i]
    force[i] = wp.vec2(0.0, 0.0)


class Warp:
    """float32, as warp is used."""

    def __init__(self, scene: Scene) -> None:
        with wp.ScopedDevice("cpu"):
            count = len(scene.pairs)
            self.place = wp.array(scene.position, dtype=wp.vec2)
            self.velocity, self.force = wp.zeros_like(self.place), wp.zeros_like(self.place)
            self.springs = [
                wp.array(scene.pairs.astype(np.int32), dtype=wp.vec2i),
                *(
                    wp.array(values, dtype=float)
                    for values in (
                        scene.rest_length,
                        np.full(count, scene.stiffness),
                        np.full(count, scene.damping),
                    )
                ),
            ]
            self.inverse_mass = wp.array(np.where(scene.pinned, 0.0, 1.0 / scene.mass), dtype=float)
        self.spring_count = count
        self.count = len(scene.position)

    def step(self) -> None:
        """Run one frame."""
        for _ in range(SUBSTEPS):
            inputs = [self.place, self.velocity, *self.springs, self.force]
            wp.launch(add_springs, dim=self.spring_count, inputs=inputs, device="cpu")
            inputs = [
                self.place,
                self.velocity,
                self.force,
                self.inverse_mass,
                GRAVITY,
                FRAME / SUBSTEPS,
            ]
            wp.launch(move, dim=self.count, inputs=inputs, device="cpu")

    def positions(self) -> NDArray[np.float64]:
        """Return all particles (N, 2) [m]."""
        return self.place.numpy().astype(np.float64)


def settings(scene: Scene) -> list[Setting]:
    """Return its kernels for S1."""
    if scene.room_width:
        return []
    return [(f"warp kernels, CPU, float32, {SUBSTEPS} substeps", lambda: Warp(scene))]
