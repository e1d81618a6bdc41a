"""newton on the CPU, semi-implicit: its springs, its hash grid between particles, planes as walls;
a 3-D engine.

It has no filter that would keep the particles of one body from touching each other, and what
balances in a plane falls out of it: one more kernel keeps the particles in it. Contacts are
springs, as stiff as a substep carries.
"""

from __future__ import annotations

import newton
import numpy as np
import warp as wp
from numpy.typing import NDArray

from peers import Setting
from scenes import FRAME, GRAVITY, SUBSTEPS, Scene

wp.config.quiet = True
CONTACT_SHARE = 0.4
"""Contact stiffness over m / h² of the lightest particle, at most; less where springs leave less of
what is stable.
"""
STABLE = 4.0
DAMPING_SHARE = 0.5
"""Contact damping over the square root of stiffness times mass."""
REACH_AHEAD = 0.25
"""How far ahead the contacts with walls are looked for, once a frame [m]."""


@wp.kernel
def keep_in_plane(place: wp.array(dtype=wp.vec3), velocity: wp.array(dtype=wp.vec3)):
    """Set what sticks out of the plane to zero."""
    i = wp.tid()
    place[i] = wp.vec3(place[i][0], place[i][1], 0.0)
    velocity[i] = wp.vec3(velocity[i][0], velocity[i][1], 0.0)


class Newton:
    """SolverSemiImplicit with 8 substeps."""

    def __init__(self, scene: Scene) -> None:
        with wp.ScopedDevice("cpu"):
            self._build(scene)
        self.count = len(scene.position)

    def _build(self, scene: Scene) -> None:
        most = float(scene.mass.min()) * (SUBSTEPS / FRAME) ** 2
        valence = np.bincount(scene.pairs.ravel(), minlength=1).max()
        stiffness = CONTACT_SHARE * most * min(STABLE - 2.0 * valence * scene.stiffness / most, 1.0)
        damping = DAMPING_SHARE * (1.0 - scene.restitution) * np.sqrt(stiffness * scene.mass.min())
        builder = newton.ModelBuilder(up_axis=newton.Axis.Y, gravity=(0.0, GRAVITY, 0.0))
        places = np.column_stack([scene.position, np.zeros(len(scene.position))])
        builder.add_particles(
            pos=[wp.vec3(*place) for place in places],
            vel=[wp.vec3(0.0, 0.0, 0.0)] * len(places),
            mass=np.where(scene.pinned, 0.0, scene.mass).tolist(),
            radius=scene.radius.tolist(),
        )
        for a, b in scene.pairs.tolist():
            builder.add_spring(a, b, scene.stiffness, scene.damping, 0.0)
        if scene.room_width:
            wall = newton.ModelBuilder.ShapeConfig(
                ke=stiffness, kd=damping, kf=damping, mu=scene.friction
            )
            for plane in (
                (0.0, 1.0, 0.0, 0.0),
                (1.0, 0.0, 0.0, 0.0),
                (-1.0, 0.0, 0.0, scene.room_width),
            ):
                builder.add_shape_plane(plane=plane, width=0.0, length=0.0, cfg=wall)
        model = self.model = builder.finalize(device="cpu")
        model.particle_ke = stiffness
        model.particle_kd = damping
        model.particle_kf = damping
        model.soft_contact_ke = stiffness
        model.soft_contact_kd = damping
        model.soft_contact_kf = damping
        model.particle_mu = model.soft_contact_mu = scene.friction
        self.pipeline = self.contacts = None
        if scene.room_width:
            self.pipeline = newton.CollisionPipeline(model, soft_contact_gap=REACH_AHEAD)
            self.contacts = self.pipeline.contacts()
        else:
            model.particle_grid = None
        self.solver = newton.solvers.SolverSemiImplicit(model)
        self.now = model.state()
        self.then = model.state()
        self.control = model.control()

    def step(self) -> None:
        """Run one frame."""
        if self.pipeline is not None:
            self.pipeline.collide(self.now, self.contacts)
        for _ in range(SUBSTEPS):
            self.now.clear_forces()
            self.solver.step(self.now, self.then, self.control, self.contacts, FRAME / SUBSTEPS)
            self.now, self.then = self.then, self.now
            inputs = [self.now.particle_q, self.now.particle_qd]
            wp.launch(keep_in_plane, dim=self.count, inputs=inputs, device="cpu")

    def positions(self) -> NDArray[np.float64]:
        """Return all particles (N, 2) [m]."""
        return self.now.particle_q.numpy()[:, :2].astype(np.float64)


def settings(scene: Scene) -> list[Setting]:
    """Return the one way in which it runs."""
    return [(f"newton, CPU, semi-implicit, {SUBSTEPS} substeps", lambda: Newton(scene))]
