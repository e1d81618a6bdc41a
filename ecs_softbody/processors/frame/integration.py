"""IntegrationProcessor: moves everything by one substep h, when all forces are known.

Symplectic Euler: v += h F/m, then x += h v with the new v; then F = 0. Discs turn by their angular
velocity, and moving walls (platforms) by theirs.
"""

from ecs_softbody.arrays import Floats, Integers
from ecs_softbody.collision.detect.wall_motion import WallMotion, move_vertices
from ecs_softbody.components import Particles, StaticCollider
from ecs_softbody.kernels.motion.integration import Moving, advance_angles, integrate, limit_speeds
from ecs_softbody.kernels.motion.shared_integration import parallel_integrate
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Stage, StageContext

SPEED_LIMIT = 10_000.0
"""Default of `Simulation.speed_limit` [m/s]. 200 would be too low: a spring that returns in one
substep needs 480 m/s from a stretch of a metre. Walls need no limit, since the sweep stops bodies
of any speed.
"""


class IntegrationProcessor(Stage):
    """Moves free and kinematic particles by symplectic Euler, and the moving platforms; clears
    Particles.force.

    Runs at Order.INTEGRATION.
    """

    order = Order.INTEGRATION
    reads = ("Particles", "StaticCollider")
    writes = (
        "Particles.angle",
        "Particles.force",
        "Particles.position",
        "Particles.previous_position",
        "Particles.velocity",
        "StaticCollider.angle",
        "StaticCollider.arm",
        "StaticCollider.pivot",
        "StaticCollider.vertices",
    )
    made = ("speed_limit",)

    def __init__(self, context: StageContext) -> None:
        self._particles = context.buffers[Particles]
        self._walls = context.buffers[StaticCollider]
        self._workers = context.workers
        # A prepared call keeps its arrays, and looks at their types only when buffers were
        # replaced: it takes 0.2 to 0.3 µs instead of up to 0.2 µs more for each array. `process`
        # says what each of these four kernels does.
        self._integrate = PreparedCall(integrate, self._moving, context.buffers.replaced)
        self._advance_angles = PreparedCall(
            advance_angles,
            lambda: (
                self._particles.active_rows,
                self._particles.rows["angular_velocity"],
                self._particles.rows["angle"],
            ),
            context.buffers.replaced,
        )
        self._move_vertices = PreparedCall(
            move_vertices, self._moving_walls, context.buffers.replaced
        )
        self._limit_speeds = PreparedCall(
            limit_speeds,
            lambda: (self._particles.active_rows, self._particles.rows["velocity"]),
            context.buffers.replaced,
        )
        self.speed_limit = SPEED_LIMIT
        """No particle moves faster than this [m/s]: the last line of defence."""

    def process(self, dt: float) -> None:
        """Integrate one substep of dt seconds."""
        # Velocities, speed limit, positions, and forces back to 0; in parallel for large worlds.
        if self._workers.are_used:
            self._workers.run(parallel_integrate, *self._moving(), dt, self.speed_limit)
        else:
            self._integrate(dt, self.speed_limit)
        # Discs turn by the angular velocity after contacts, as positions do by the velocity.
        self._advance_angles(dt)
        # Vertices of walls with a velocity or an angular velocity.
        if self._walls.bound:
            self._move_vertices(dt)

    def _moving(self) -> tuple[Integers, Moving]:
        return self._particles.active_rows, self._particles.rows.group(Moving)

    def _moving_walls(self) -> tuple[Floats, Floats, WallMotion]:
        rows = self._walls.rows
        return rows["vertices"], rows["arm"], self._walls.values.group(WallMotion)

    def limit(self) -> None:
        """After a frame: nothing that contacts and cuts have thrown is faster than the limit
        either.
        """
        self._limit_speeds(self.speed_limit)
