"""DamageFinder: which bodies are damaged, remembered from search to search.

A damaged body has an outline that crosses itself or runs the wrong way round, an inner particle
outside of it, or particles behind a wall; the kernels of damage.py find this. Here they get their
arrays, and their results are kept for contacts (a damaged body has none with itself), for the motor
that drives bodies off walls, and for the stage MENDING, which brings bodies to their rest shape.
"""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Flags, Integers
from ecs_softbody.collision.detect.candidates import Candidates
from ecs_softbody.collision.detect.proxies import Proxies
from ecs_softbody.collision.detect.static_edges import StaticEdges
from ecs_softbody.collision.recover.damage import (
    BodyRows,
    Damage,
    drop_contacts_behind_walls,
    find_across_walls,
    find_damage,
    find_rows_behind_walls,
    is_intact,
)
from ecs_softbody.collision.recover.entanglements import AXES, PASSING_TIME, Entanglements
from ecs_softbody.collision.recover.interpenetration import SUMS
from ecs_softbody.geometry.outlines import Shapes
from ecs_softbody.indices import flatnonzero
from ecs_softbody.storage import Store
from ecs_softbody.storage.resource import Array, Flag, FlagArray, Part, Resource, WholeArray

NO_BODIES = np.zeros(0, np.int64)
"""No body is behind a wall."""
NO_AXES = np.zeros((0, 5))
"""The axes of no body, see depenetration.py."""


class DamageFinder(Resource):
    """The damaged bodies of a world, and their particles behind walls.

    A body is given by its slot, its place in the table of Collider; arrays (B,) have one element
    for each slot. "Rows" are particles. `search` is the number of a search: some tests are made for
    one body in eight in each search, in turns that follow from this number.
    """

    saved = (
        Array(
            "damage.winding",
            "bodies",
            "Which way round its rest shape runs, 1 or -1; 0: not to be mended.",
            name="turn",
        ),
        FlagArray("damage.self_intersecting", "bodies", "Whether it has no contacts with itself."),
        FlagArray("damage.damaged", "bodies", "Whether it is damaged.", name="wounded"),
        Array("damage.kinked", "bodies", "Looks in a row that found a kink or a crossing."),
        Array("lasting", "bodies", "How long it has been damaged.", unit="s"),
        Flag("waits", "Whether any body is or was damaged, so that time is counted."),
        Part("entanglements", "Bodies that hang on small walls.", Entanglements, name="hooks"),
        WholeArray("bodies_behind", "behind", "Bodies with rows behind walls.", below="bodies"),
        Array("axes", ("behind", 5), AXES),
    )

    def __init__(self, colliders: Store, particles: Store, walls: StaticEdges) -> None:
        self._colliders = colliders
        self._particles = particles
        self._walls = walls
        self.damage = Damage(np.zeros(0), np.zeros(0, np.bool_), np.zeros(0, np.bool_), np.zeros(0))
        self.lasting = np.zeros(0)
        self.waits = False
        self.entanglements = Entanglements(walls)
        # Workspace: all rows where they are now [m], groups of rows, sums over crossings.
        self._position = np.zeros((0, 2))
        self._group = np.zeros((2, 0), np.int64)
        self._sums = np.zeros(1, SUMS)
        self.bodies_behind, self.axes = NO_BODIES, NO_AXES
        """Bodies (T,) with rows behind walls, and for each the axis (T, 5) along which the motor
        drives it off them: a point, a direction and a speed, see depenetration.X.
        """

    @property
    def self_intersecting(self) -> Flags:
        """Which bodies (B,) have no contacts with themselves: they cross themselves or are
        damaged.
        """
        return self.damage.self_intersecting

    @property
    def damaged(self) -> Flags:
        """Which bodies are to be mended."""
        return self.damage.damaged

    @property
    def are_any(self) -> bool:
        """Whether any body crosses itself or is damaged."""
        return bool(np.count_nonzero(self.self_intersecting))

    @property
    def stuck(self) -> Flags:
        """Which bodies (B,) may pass small walls now, since they have been damaged for long.

        Damaged bodies may do so for every second PASSING_TIME, see entanglements.py; pinned ones
        never.
        """
        stuck: Flags = self.damaged & (self.lasting % (2.0 * PASSING_TIME) >= PASSING_TIME)
        for body in flatnonzero(stuck).tolist():
            stuck[body] = not self.is_pinned(body)
        return stuck

    def wait(self, dt: float) -> None:
        """Count for how long [s] bodies have been damaged."""
        if self.waits:
            self.lasting = np.where(self.damaged, self.lasting + dt, 0.0)

    def mark(self, bodies: Integers) -> None:
        """Mark these bodies as damaged."""
        self.damaged[bodies] = self.self_intersecting[bodies] = True

    def forget(self, count: int) -> None:
        """Forget the state of all bodies, for a world of discs alone; count: of slots now."""
        if (
            len(self.damage.winding) != count
            or any(map(np.count_nonzero, self.damage))
            or len(self.bodies_behind)
        ):
            self.resize(np.ones(count, np.bool_))

    def resize(self, new: Flags) -> None:
        """Resize the arrays to the slots of now, and clear the state of `new` bodies (B,)."""
        old = self.damage
        count = min(len(new), len(self.damage.winding))
        if len(new) == len(old.winding) and not self._knows(new):
            return
        size = len(new)
        lasting = self.lasting
        self.lasting = np.zeros(size)
        self.lasting[:count] = np.where(new[:count], 0.0, lasting[:count])
        self.damage = Damage(
            np.zeros(size), np.zeros(size, np.bool_), np.zeros(size, np.bool_), np.zeros(size)
        )
        for before, now in zip(old, self.damage, strict=True):
            now[:count] = np.where(new[:count], 0, before[:count])
        if len(self.bodies_behind):
            kept = self.bodies_behind < size
            kept[kept] = ~new[self.bodies_behind[kept]]
            self.bodies_behind, self.axes = self.bodies_behind[kept], self.axes[kept]

    def _knows(self, bodies: Flags) -> bool:
        """Return whether anything is known of some of the bodies (B,)."""
        if not np.count_nonzero(bodies):
            return False
        return any(np.count_nonzero(each[bodies]) for each in self.damage) or bool(
            bodies[self.bodies_behind].any()
        )

    def shapes_now(self, proxies: Proxies) -> Shapes:
        """Return the shapes of all bodies and walls where they are now, not at the last search."""
        if self._position.shape != proxies.reference_position.shape:
            self._position = np.zeros_like(proxies.reference_position)
        self._position[: self._particles.count] = self._particles["position"]
        self._position[proxies.offset :] = self._walls.vertices
        return Shapes(self._position, proxies.radius, proxies.outlines)

    def find(self, new: Flags, shapes: Shapes, search: int) -> int:
        """Find the bodies that cross themselves or are damaged; return how many.

        new (B,): bodies that the last search did not know.
        """
        count = int(
            find_damage(
                self._colliders["self_collision"], search, new, self._rows, shapes, self.damage
            )
        )
        self.waits = count > 0 or (self.waits and bool(np.count_nonzero(self.lasting)))
        return count

    def find_entanglements(self, pairs: Integers, proxies: Proxies, entities: Integers) -> Integers:
        """Return the bodies that hang on small walls, and the walls: slots (T, 2).

        pairs (P, 2): proxies that are near each other. entities (B,): of the slots. None of these
        bodies has rows behind a wall: its way off the wall is the entanglement's.
        """
        if self.waits or len(self.entanglements):
            self.entanglements.find(
                pairs, self.stuck, self._particles["rest_offset"], proxies, entities
            )
        for body in set(self.entanglements.pairs[:, 0].tolist()):
            self._rows.behind[self._rows.particle_first[body] : self._rows.particle_last[body]] = (
                False
            )
        return self.entanglements.pairs

    def look_at_walls(self, pairs: Integers, proxies: Proxies, shapes: Shapes, search: int) -> bool:
        """Return whether a body whose turn it is lies across a wall, between two searches."""
        return bool(
            self._find_across_walls(
                pairs, proxies, shapes, search, np.zeros(proxies.body_count, np.bool_)
            )
        )

    def _find_across_walls(
        self, pairs: Integers, proxies: Proxies, shapes: Shapes, search: int, due: Flags
    ) -> int:
        """Mark bodies across walls in `due` (B,), and return how many are marked there."""
        edges = self._walls.edges
        filters = proxies.filters
        bodies = self._rows
        return int(
            find_across_walls(
                pairs, search, shapes, edges, filters, self._sums, bodies, self.damage, due
            )
        )

    def find_rows_behind_walls(
        self, pairs: Integers, exempt: Flags, proxies: Proxies, search: int
    ) -> None:
        """Find the rows behind walls, of damaged bodies and bodies found across walls.

        exempt (B,): bodies that are new, straddle a wall or hang on one. These leave the wall in
        another way.
        """
        due = self.damaged.copy()
        due[self.bodies_behind] = True
        if not self._find_across_walls(pairs, proxies, proxies.shapes, search, due):
            self.bodies_behind = NO_BODIES
            self.axes = NO_AXES
            return
        rows = self._rows
        found = []
        axes = []
        axis = np.zeros(5)
        for body in flatnonzero(due & ~exempt).tolist():
            first = int(rows.particle_first[body])
            last = int(rows.particle_last[body])
            if self.is_pinned(body) or last <= first:
                rows.behind[first:last] = False
            elif find_rows_behind_walls(
                body, rows, proxies.shapes, self._walls.edges, proxies.filters, self._scratch, axis
            ):
                found.append(body)
                axes.append(axis.copy())
        self.bodies_behind = np.array(found, np.int64)
        self.axes = np.array(axes, np.float64).reshape(-1, 5)
        self.mark(self.bodies_behind)

    def drop_contacts_behind_walls(self, contacts: Candidates, count: int, offset: int) -> int:
        """Take out the contacts between walls and rows behind walls, of the first `count` contacts
        found; return how many are left. offset: row of the first vertex of a wall.
        """
        return (
            int(drop_contacts_behind_walls(contacts, count, self._rows.behind, offset))
            if len(self.bodies_behind)
            else count
        )

    def examine(self, bodies: Flags, proxies: Proxies) -> bool:
        """Test some bodies at once, not in their turn, and mark the damaged ones.

        bodies: flags by slot of Particles, not of Collider. Return whether none is damaged.
        """
        chosen = flatnonzero(bodies[proxies.body] & (self.damage.winding != 0.0))
        if not len(chosen):
            return True
        shapes = self.shapes_now(proxies)
        rows = self._rows
        edges = self._walls.edges
        for body in chosen.tolist():
            winding = self.damage.winding[body]
            pinned = self.is_pinned(body)
            intact = body not in self.entanglements.pairs[:, 0] and is_intact(
                body, rows, shapes, edges, proxies.filters, self._scratch, winding, pinned
            )
            self.damaged[body] = self.self_intersecting[body] = not intact
        return not self.damaged[chosen].any()

    def is_pinned(self, body: int) -> bool:
        """True if a particle of the body is fixed, so that no motor could drive the body away."""
        first = int(self._colliders["particle_first"][body])
        last = int(self._colliders["particle_last"][body])
        return not self._particles["inverse_mass"][first:last].all()

    def are_pinned(self, bodies: Integers) -> Flags:
        """Return `is_pinned` of several bodies (T,).

        `fixed` counts the fixed particles in front of each row: a body has one if the count grows.
        """
        fixed = np.append(0, np.cumsum(self._particles["inverse_mass"] == 0.0))
        pinned: Flags = (
            fixed[self._colliders["particle_last"][bodies]]
            > fixed[self._colliders["particle_first"][bodies]]
        )
        return pinned

    @property
    def _rows(self) -> BodyRows:
        """The columns of particles and bodies that the kernels take."""
        particles = self._particles
        colliders = self._colliders
        shapes = particles["rest_offset"], particles["inverse_mass"], particles["previous_position"]
        spans = (
            colliders["particle_first"].astype(np.int64),
            colliders["particle_last"].astype(np.int64),
        )
        return BodyRows(*shapes, particles["inner"], particles["behind"], *spans)

    @property
    def _scratch(self) -> Integers:
        """Workspace (2, N) for groups of rows."""
        if self._group.shape[1] < self._particles.count:
            self._group = np.zeros((2, self._particles.capacity), np.int64)
        return self._group
