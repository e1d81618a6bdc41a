"""WoundFinder: which bodies are wounded, remembered from search to search."""

from __future__ import annotations

import numpy as np

from ecs_softbody.arrays import Flags, Integers
from ecs_softbody.collision.detect.candidates import Candidates
from ecs_softbody.collision.detect.proxies import Proxies
from ecs_softbody.collision.detect.static_edges import StaticEdges
from ecs_softbody.collision.recover.hooks import AXES, TURN, Hooks
from ecs_softbody.collision.recover.interpenetration import SUMS
from ecs_softbody.collision.recover.wounds import (
    BodyRows,
    Wounds,
    drop_behind,
    find_behind,
    find_walled,
    find_wounds,
    is_whole,
)
from ecs_softbody.geometry.outlines import Shapes
from ecs_softbody.indices import flatnonzero
from ecs_softbody.storage import Store
from ecs_softbody.storage.resource import Array, Flag, FlagArray, Part, Resource, WholeArray

NO_BODIES = np.zeros(0, np.int64)
"""No body is behind a wall."""
NO_AXES = np.zeros((0, 5))
"""The axes of no body, see depenetration.py."""


class WoundFinder(Resource):
    """The wounded bodies of a world, and their rows behind walls.

    Arrays of bodies: by slot of Collider.
    """

    saved = (
        Array(
            "wounds.turn",
            "bodies",
            "Which way round its rest shape runs, 1 or -1; 0: not to be mended.",
        ),
        FlagArray("wounds.self_intersecting", "bodies", "Whether it has no contacts with itself."),
        FlagArray("wounds.wounded", "bodies", "Whether it is wounded."),
        Array("wounds.kinked", "bodies", "Looks in a row that found a kink or a crossing."),
        Array("lasting", "bodies", "How long it has been wounded.", unit="s"),
        Flag("waits", "Whether any body is or was wounded, so that time is counted."),
        Part("hooks", "Bodies that hang on small walls.", Hooks),
        WholeArray("bodies_behind", "behind", "Bodies with rows behind walls.", below="bodies"),
        Array("axes", ("behind", 5), AXES),
    )

    def __init__(self, colliders: Store, particles: Store, walls: StaticEdges) -> None:
        self._colliders = colliders
        self._particles = particles
        self._walls = walls
        self.wounds = Wounds(np.zeros(0), np.zeros(0, np.bool_), np.zeros(0, np.bool_), np.zeros(0))
        self.lasting = np.zeros(0)
        self.waits = False
        self.hooks = Hooks(walls)
        self._position = np.zeros((0, 2))
        self._group = np.zeros((2, 0), np.int64)
        self._sums = np.zeros(1, SUMS)
        self.bodies_behind, self.axes = NO_BODIES, NO_AXES
        """Bodies (T,) with rows behind walls, and the axes (T, 5) off the walls, see Separated."""

    @property
    def self_intersecting(self) -> Flags:
        """Which bodies are to have no contacts of their own: they cross themselves,
        or are wounded.
        """
        return self.wounds.self_intersecting

    @property
    def wounded(self) -> Flags:
        """Which bodies are to be mended."""
        return self.wounds.wounded

    @property
    def are_any(self) -> bool:
        """Whether a body crosses itself or is wounded."""
        return bool(np.count_nonzero(self.self_intersecting))

    @property
    def stuck(self) -> Flags:
        """Which bodies have been wounded for long, and are to pass small walls, see hooks.py."""
        stuck: Flags = self.wounded & (self.lasting % (2.0 * TURN) >= TURN)
        for body in flatnonzero(stuck).tolist():
            stuck[body] = not self.is_held(body)
        return stuck

    def wait(self, dt: float) -> None:
        """Count for how long [s] bodies have been wounded."""
        if self.waits:
            self.lasting = np.where(self.wounded, self.lasting + dt, 0.0)

    def mark(self, bodies: Integers) -> None:
        """Mark these bodies as wounded."""
        self.wounded[bodies] = self.self_intersecting[bodies] = True

    def forget(self, count: int) -> None:
        """Forget the state of all bodies; count: number of bodies now."""
        if (
            len(self.wounds.turn) != count
            or any(map(np.count_nonzero, self.wounds))
            or len(self.bodies_behind)
        ):
            self.resize(np.ones(count, np.bool_))

    def resize(self, new: Flags) -> None:
        """Follow the slots of bodies; of `new` ones (B,) nothing is known."""
        old = self.wounds
        count = min(len(new), len(self.wounds.turn))
        if len(new) == len(old.turn) and not self._knows(new):
            return
        size = len(new)
        lasting = self.lasting
        self.lasting = np.zeros(size)
        self.lasting[:count] = np.where(new[:count], 0.0, lasting[:count])
        self.wounds = Wounds(
            np.zeros(size), np.zeros(size, np.bool_), np.zeros(size, np.bool_), np.zeros(size)
        )
        for before, now in zip(old, self.wounds, strict=True):
            now[:count] = np.where(new[:count], 0, before[:count])
        if len(self.bodies_behind):
            kept = self.bodies_behind < size
            kept[kept] = ~new[self.bodies_behind[kept]]
            self.bodies_behind, self.axes = self.bodies_behind[kept], self.axes[kept]

    def _knows(self, bodies: Flags) -> bool:
        """Return whether anything is known of some of the bodies (B,)."""
        if not np.count_nonzero(bodies):
            return False
        return any(np.count_nonzero(each[bodies]) for each in self.wounds) or bool(
            bodies[self.bodies_behind].any()
        )

    def shapes_now(self, proxies: Proxies) -> Shapes:
        """Return the shapes of all bodies and walls where they are now."""
        if self._position.shape != proxies.reference_position.shape:
            self._position = np.zeros_like(proxies.reference_position)
        self._position[: self._particles.count] = self._particles["position"]
        self._position[proxies.offset :] = self._walls.vertices
        return Shapes(self._position, proxies.radius, proxies.outlines)

    def find(self, new: Flags, shapes: Shapes, search: int) -> int:
        """Find the bodies that cross themselves or are wounded; return how many."""
        count = int(
            find_wounds(
                self._colliders["self_collision"], search, new, self._rows, shapes, self.wounds
            )
        )
        self.waits = count > 0 or (self.waits and bool(np.count_nonzero(self.lasting)))
        return count

    def find_hooks(self, pairs: Integers, proxies: Proxies, entities: Integers) -> Integers:
        """Return the bodies that hang on small walls, and the walls (T, 2)."""
        if self.waits or len(self.hooks):
            self.hooks.find(pairs, self.stuck, self._particles["rest_offset"], proxies, entities)
        for body in set(self.hooks.pairs[:, 0].tolist()):
            self._rows.behind[self._rows.particle_first[body] : self._rows.particle_last[body]] = (
                False
            )
        return self.hooks.pairs

    def look_at_walls(self, pairs: Integers, proxies: Proxies, shapes: Shapes, search: int) -> bool:
        """Return whether a body tested in its turn lies across a wall."""
        return bool(
            self._find_walled(
                pairs, proxies, shapes, search, np.zeros(proxies.body_count, np.bool_)
            )
        )

    def _find_walled(
        self, pairs: Integers, proxies: Proxies, shapes: Shapes, search: int, due: Flags
    ) -> int:
        edges = self._walls.edges
        filters = proxies.filters
        bodies = self._rows
        return int(
            find_walled(pairs, search, shapes, edges, filters, self._sums, bodies, self.wounds, due)
        )

    def find_behind(self, pairs: Integers, exempt: Flags, proxies: Proxies, search: int) -> None:
        """Find the rows behind walls, of wounded bodies and bodies found across walls."""
        due = self.wounded.copy()
        due[self.bodies_behind] = True
        if not self._find_walled(pairs, proxies, proxies.shapes, search, due):
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
            if self.is_held(body) or last <= first:
                rows.behind[first:last] = False
            elif find_behind(
                body, rows, proxies.shapes, self._walls.edges, proxies.filters, self._scratch, axis
            ):
                found.append(body)
                axes.append(axis.copy())
        self.bodies_behind = np.array(found, np.int64)
        self.axes = np.array(axes, np.float64).reshape(-1, 5)
        self.mark(self.bodies_behind)

    def drop_behind(self, contacts: Candidates, count: int, offset: int) -> int:
        """Take the contacts of rows behind walls with walls out of the first `count`; return how
        many are left.
        """
        return (
            int(drop_behind(contacts, count, self._rows.behind, offset))
            if len(self.bodies_behind)
            else count
        )

    def examine(self, bodies: Flags, proxies: Proxies) -> bool:
        """Mark which of the bodies (P,), by slot of Particles, are wounded;
        return whether none is.
        """
        chosen = flatnonzero(bodies[proxies.body] & (self.wounds.turn != 0.0))
        if not len(chosen):
            return True
        shapes = self.shapes_now(proxies)
        rows = self._rows
        edges = self._walls.edges
        for body in chosen.tolist():
            turn = self.wounds.turn[body]
            held = self.is_held(body)
            whole = body not in self.hooks.pairs[:, 0] and is_whole(
                body, rows, shapes, edges, proxies.filters, self._scratch, turn, held
            )
            self.wounded[body] = self.self_intersecting[body] = not whole
        return not self.wounded[chosen].any()

    def is_held(self, body: int) -> bool:
        """True if a particle of a body is fixed, so that no motor could drive it away for good."""
        first = int(self._colliders["particle_first"][body])
        last = int(self._colliders["particle_last"][body])
        return not self._particles["inverse_mass"][first:last].all()

    def are_held(self, bodies: Integers) -> Flags:
        """Return the same for several bodies."""
        fixed = np.append(0, np.cumsum(self._particles["inverse_mass"] == 0.0))
        held: Flags = (
            fixed[self._colliders["particle_last"][bodies]]
            > fixed[self._colliders["particle_first"][bodies]]
        )
        return held

    @property
    def _rows(self) -> BodyRows:
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
        if self._group.shape[1] < self._particles.count:
            self._group = np.zeros((2, self._particles.capacity), np.int64)
        return self._group
