"""CollisionProcessor: finds the contacts of a substep and solves their impulses.

The work is done by `CollisionSpace` (collision/pipeline.py), in this order: search (mostly once a
frame, since it looks ahead that far), reflection (elastic bounces of discs, which conserve energy),
then the sequential impulses of all other contacts. This stage adds sleeping bodies, which must wake
when others run into them, and joints, which pass impulses on. Overlaps that remain after the move
are corrected at Order.CONTACT_CORRECTION.
"""

from collections.abc import Callable

import numpy as np

from ecs_softbody.components import Collider, Particles, StaticCollider
from ecs_softbody.processors.joints.joints import JointProcessor
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.sleep.sleep import SleepProcessor
from ecs_softbody.processors.stage import OF_CONTACTS, Spawn, Stage, StageContext
from ecs_softbody.storage import Column, Value, add_stage_columns

add_stage_columns(
    Particles,
    "CollisionProcessor",
    inner=Column(dtype=np.bool_, doc="whether the row is in no outline"),
    behind=Column(dtype=np.bool_, doc="whether the row is behind a wall"),
)

add_stage_columns(
    Collider,
    "CollisionProcessor",
    impact_speed=Value(dtype=np.float64, unit="m/s", doc="of the impact that goes on, else 0"),
    impact_hardest=Value(
        dtype=np.float64, unit="m/s", doc="of the last impacts, the older ones count less"
    ),
    impact_closing=Value(dtype=np.float64, doc="substeps until the impact turned"),
    impact_parting=Value(dtype=np.float64, doc="substeps since the impact turned"),
    impact_given=Value(
        unit="J", dtype=np.float64, doc="energy that restitution gave and springs hold still"
    ),
    impact_apart=Value(dtype=np.float64, doc="substeps since a contact of the impact pushed"),
    impact_crowded=Value(
        dtype=np.float64, unit="s", doc="how long it still counts as one that touches several"
    ),
    impact_leaning=Value(
        dtype=np.float64, unit="s", doc="how long it still counts as one that leans on another"
    ),
    impact_restitution=Value(dtype=np.float64, doc="of the contact that began it"),
    impact_energy=Value(
        dtype=np.float64, unit="m²/s²", doc="twice that of all motion when it began, over the mass"
    ),
    impact_met=Value(2, dtype=np.float64, unit="m", doc="where the centre was when it met a wall"),
    impact_wall=Value(2, dtype=np.float64, unit="m/s", doc="velocity of that wall"),
    impact_partner=Value(dtype=np.int64, doc="whom it met: walls, or a body, see landing.py"),
    impact_touched=Value(dtype=np.int64, doc="what pushed in the last substep, see landing.py"),
    impact_touching=Value(dtype=np.int64, doc="what pushes in this substep"),
)


MOST_SEARCHES = 20
"""Maximum number of further searches in a substep, for contacts of discs that were struck in it and
are faster now. Each of them may strike others, which is rare.
"""


class CollisionProcessor(Stage):
    """Finds contacts and adds the contact forces to Particles.force.

    Runs at Order.COLLISION.
    """

    order = Order.COLLISION
    reads = OF_CONTACTS
    writes = (
        "Attachment.impulse",
        "Collider.impact_*",
        "CollisionSpace",
        "Particles.angular_velocity",
        "Particles.behind",
        "Particles.force",
        "Particles.inner",
        "Particles.velocity",
    )

    def __init__(
        self, context: StageContext, sleep: SleepProcessor, joints: JointProcessor
    ) -> None:
        self._context = context
        self._space = context.space
        self._sleep = sleep
        self._joints = joints

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """Bodies of all shapes and a floor that touch; one ring lies in another, across a wall; two
        tiles in a row.
        """
        square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
        spawn(Particles(square, radius=0.1), Collider(outline=range(4)))
        spawn(Particles([(0.5, 1.2)], radius=0.1), Collider(restitution=0.5))
        inner = Particles([(0.4, 0.4), (0.6, 0.4), (0.5, 0.6)], radius=0.01)
        spawn(inner, Collider(outline=range(3), self_collision=True))
        spawn(
            Particles([(0.0, 3.0), (1.0, 3.0)], radius=0.1),
            Collider(outline=range(2), closed=False),
        )
        spawn(StaticCollider([(-1.0, -0.1), (2.0, -0.1)], surface_velocity=1.0, one_way=(0, 1)))
        spawn(StaticCollider([(0.5, 0.3), (0.5, 0.9)]))
        spawn(StaticCollider([(0.5, 0.5)], radius=0.2, sensor=True))
        for left in (5.0, 6.0):
            spawn(
                StaticCollider(
                    [(left, 0.0), (left + 1.0, 0.0), (left + 1.0, -1.0), (left, -1.0)], closed=True
                )
            )

    def process(self, dt: float) -> None:
        """Find the contacts, once a frame or more often, and solve them."""
        space = self._space
        buffers = self._context.buffers
        if space.is_empty:
            space.forget()
            return
        ahead = max(self._context.frame.dt, dt)
        space.find(buffers.version, ahead, dt, new_frame=buffers.frame_start)
        # A body that is run into wakes with its island, which has contacts of its own: search until
        # all are awake.
        while self._sleep.wake_pushed(dt):
            space.find(buffers.version, ahead, dt, new_frame=False)
        # A kick is the velocity change by the forces of a substep, h F/m. Discs reflect (bounce
        # elastically) between its two halves, where velocities and positions are of the same time.
        # Before or after the whole kick an impulse changes the conserved energy by g h v a bounce,
        # always with the same sign.
        self._reflect(space.reflect, dt)
        for _ in range(MOST_SEARCHES):
            if not space.is_to_search_again:
                break
            self._search_again(ahead, dt)
        space.solve(dt)

    def _search_again(self, ahead: float, dt: float) -> None:
        """Find contacts of discs that were struck in this substep: they are faster than the last
        search assumed.
        """
        space = self._space
        version = self._context.buffers.version
        while space.solver.asks_for_waking and self._sleep.wake_pushed(dt):
            space.find(version, ahead, dt, new_frame=False)
        space.find(version, ahead, dt, new_frame=False)
        self._reflect(space.reflect_again, dt)

    def _reflect(
        self, reflect: Callable[[float, Callable[[], None] | None], None], dt: float
    ) -> None:
        """Run a reflection of the collision space, with the answers of joints if there are any."""
        joints = self._joints
        # Joints answer how they pass on each impulse: while they took contacts that close for
        # supports, a cradle on strings lost 98 % of its energy.
        reflect(dt, joints.respond if joints.hold_any else None)
        # Impulses of the reflection count for joints: else strings that an impact overloads would
        # never break.
        joints.note_impacts()
