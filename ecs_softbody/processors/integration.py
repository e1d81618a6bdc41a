"""IntegrationProcessor: velocity, then position."""

import esper

from ecs_softbody.collision.static_edges import move_vertices
from ecs_softbody.components import Particles, StaticCollider
from ecs_softbody.kernels.integration import integrate, limit_speeds
from ecs_softbody.kernels.shared_integration import share_integration
from ecs_softbody.kernels.workers import Workers
from ecs_softbody.storage import PackedBuffers


class IntegrationProcessor(esper.Processor):
    """Moves free and kinematic particles by symplectic Euler, and the moving platforms; clears Particles.force.

    Runs at Order.INTEGRATION.
    """

    def __init__(self, buffers: PackedBuffers, speed_limit: float, workers: Workers | None = None) -> None:
        self._particles, self._walls = buffers[Particles], buffers[StaticCollider]
        self._workers = workers or Workers()
        self.speed_limit = speed_limit
        """No particle moves faster than this [m/s]: the last line of defence."""

    def process(self, dt: float) -> None:
        """Integrate one substep."""
        table, rows = self._particles, self._particles.rows
        state = (
            table.active_rows, rows["position"], rows["velocity"], rows["inverse_mass"], rows["kinematic"],
            rows["force"], rows["previous_position"], dt, self.speed_limit,
        )  # fmt: skip
        if self._workers.are_used:
            self._workers.run(share_integration, *state)
        else:
            integrate(*state)
        walls, values = self._walls, self._walls.values
        if walls.bound:
            move_vertices(
                walls.rows["vertices"], walls.rows["arm"], values["first"], values["last"], values["velocity"],
                values["angular_velocity"], values["pivot"], values["angle"], dt,
            )  # fmt: skip

    def limit(self) -> None:
        """After a frame: nothing that contacts and cuts have thrown is faster than the limit either."""
        limit_speeds(self._particles.active_rows, self._particles.rows["velocity"], self.speed_limit)
