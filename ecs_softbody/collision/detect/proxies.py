"""Proxies: bodies and static edges as the search for contacts sees them, with their settings.

A proxy has a box, filters, friction and restitution: bodies are the proxies [0, B), by their slots
in the table of Collider, then come the static edges. Their points are rows: all particles, then
from `offset` on the vertices of walls. At the start of each frame `collect` copies the columns that
a game may have written, and tells whether they call for a new search.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags, Flags1, Floats, Floats1, Integers, Uint32s1
from ecs_softbody.collision.detect.filters import Filters
from ecs_softbody.collision.detect.margin_check import LastSearch, find_limits
from ecs_softbody.collision.detect.margins import (
    MARGIN_FRAMES,
    SUBSTEPS_AHEAD,
    Bounding,
    Bounds,
    ParticleSpans,
    find_bounds,
    find_edge_bounds,
    set_margins,
)
from ecs_softbody.collision.detect.pairs import PairFinder
from ecs_softbody.collision.detect.static_edges import StaticEdges
from ecs_softbody.geometry.outlines import (
    DISCS,
    FILLED,
    LEAST_RADIUS,
    LOOP,
    Outlines,
    Shapes,
    find_kinds,
    list_outlines,
)
from ecs_softbody.indices import flatnonzero
from ecs_softbody.parallel.compiling import entry
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.parallel.workers import Workers
from ecs_softbody.storage import Activity, Table
from ecs_softbody.storage.resource import (
    Array,
    Flag,
    FlagArray,
    Number,
    Resource,
    Whole,
    WholeArray,
    load_fields,
)
from ecs_softbody.storage.saved import Saved


class BodySettings(NamedTuple):
    """Columns of Collider that a game may write, or the copies of them that proxies have.

    All are (B,); copies of all but `self_collision` go on with static edges.
    """

    category: Uint32s1
    mask: Uint32s1
    self_collision: Flags1
    friction: Floats1
    restitution: Floats1


class RowSettings(NamedTuple):
    """Columns of N particles that proxies follow."""

    radius: Floats1  # (N,) [m]
    inverse_mass: Floats1  # (N,) [1/kg]
    body: Uint32s1  # (N,) slot of the particle's body in the table of Particles


MOST_LINKED = 12
"""Most discs that a body on distance limits may have if they are to bounce by themselves
(reflection/): a net of 200 took a second to compute for its fall on a floor.
"""


class Spinning(NamedTuple):
    """Which bodies are discs that turn by themselves, as balls do, and how easily friction turns
    them.
    """

    # (P,) by slot of Particles
    spins: Flags1
    # (P,) by slot of Particles, moment of inertia over m r²
    inertia_factor: Floats1
    # (R,) [1/kg] r²/I, written: the change of surface speed per unit of tangential impulse
    surface_yield: Floats1


class DraggedRows(NamedTuple):
    """Columns of N particles from which the inverse masses of contact impulses follow."""

    drag_share: Floats1  # (N,) fraction of the velocity by an impulse that drag takes in a substep
    inverse_mass: Floats1  # (N,) [1/kg]
    body: Uint32s1  # (N,) slot of the particle's body in the table of Particles


OUTLINE = "0: discs, 1: an open outline, 2: a closed one, 3: a filled one."
"""Meaning of the kinds of outlines, in files."""


class Proxies(Resource):
    """All proxies, bodies [0, B) and then static edges, and all R rows, particles and then vertices
    of walls from `offset` on.

    `shapes` has the positions of all rows at the last search, and the outlines of the bodies, of
    which a frozen body (with numbers that are not finite) has an empty one. `bounds` are boxes and
    margins of that moment. `inverse_mass` (R,) [1/kg] is 0 for walls and sleeping bodies;
    `surface_yield` (R,) [1/kg] is r²/I of discs that turn by themselves and are awake, else 0, see
    solve/spin.py.
    """

    bound = (
        "asleep",
        "body",
        "has_outlines",
        "inverse_mass",
        "limits",
        "surface_yield",
        "_excluded",
        "_settings",
        "_spins",
    )
    saved = (
        Whole("offset", "Rows of particles, before those of the vertices of walls.", least=0),
        Number(
            "seconds_ahead",
            "Time for which paths are looked ahead after the last search.",
            least=0.0,
            unit="s",
        ),
        Flag("is_dragged", "Whether drag takes a share of what impulses give."),
        Array("filters.category", "proxies", "Bits of what it is.", dtype=np.uint32),
        Array("filters.mask", "proxies", "Bits of what it touches.", dtype=np.uint32),
        Array("friction", "proxies", "As its collider had it when it was last collected."),
        Array("restitution", "proxies", "As its collider had it when it was last collected."),
        FlagArray("self_collision", "bodies", "Whether it touches itself."),
        FlagArray("spins", "bodies", "Whether its discs turn by themselves."),
        FlagArray("reflects", "bodies", "Whether its discs bounce by themselves."),
        Array("shapes.radius", "rows", "Radius of each particle and vertex.", unit="m"),
        WholeArray("shapes.outlines.kind", "bodies", OUTLINE, below=FILLED + 1, in_place=True),
        Flag("is_new", "Whether bodies or walls came or went, and no frame has begun since."),
        Array(
            "bounds.box", ("proxies", 4), "Low x, low y, high x, high y, with the margin.", unit="m"
        ),
        Array(
            "bounds.margin",
            "proxies",
            "How far it may move before contacts have to be found anew.",
            unit="m",
        ),
        Array(
            "bounds.reach",
            "bodies",
            "How far it may move in a substep, if that is more than its margin.",
            unit="m",
        ),
        Array(
            "bounds.own_margin",
            "bodies",
            "How far its particles may move relative to their mean.",
            unit="m",
        ),
        Array("bounds.thickness", "bodies", "Largest radius of its points.", unit="m"),
        FlagArray(
            "bounds.crowded", "bodies", "Whether another body is near, one of them with edges."
        ),
    )

    def __init__(
        self,
        particles: Table,
        colliders: Table,
        walls: StaticEdges,
        activity: Activity,
        holders: Sequence[Table],
    ) -> None:
        """holders: tables of components that hold bodies together; the first one is of limits.

        Discs of such bodies neither turn nor bounce by themselves; discs held only by limits still
        bounce by themselves.
        """
        self._holders = holders
        self._particles = particles
        self._colliders = colliders
        self._walls = walls
        self._activity = activity
        self._collect_bodies = PreparedCall(collect_bodies)
        self._collect_rows = PreparedCall(collect_rows)
        self._collect_masses = PreparedCall(collect_masses)
        self._find_bounds = PreparedCall(find_bounds)
        self._list_limits = PreparedCall(find_limits)
        self._find_edge_bounds = PreparedCall(find_edge_bounds)
        self.offset = 0
        none = np.zeros(0, np.int64)
        self.shapes = Shapes(
            np.zeros((0, 2)), np.zeros(0), Outlines(np.zeros(0, np.uint32), none, none, none)
        )
        self.inverse_mass = self.surface_yield = np.zeros(0)
        self.asleep = self._excluded = self._spins = np.zeros(0, np.bool_)
        self.spins = np.zeros(0, np.bool_)
        """(B,) whose discs turn by themselves, see solve/spin.py."""
        self.reflects = self.spins
        """(B,) whose discs bounce by themselves, see reflection/: also if limits hold them."""
        self.body = none
        """Slot in the table of Particles of every proxy that is a body."""
        self.has_outlines = False
        self.is_new = True
        self.seconds_ahead = 0.0
        """Time for which paths are looked ahead after the last search [s]."""
        self.is_dragged = False
        """Whether drag takes a fraction of what impulses give, in this substep."""
        self._resize(0, 0)
        spans = ParticleSpans(*np.zeros((2, 0), np.uint32))
        self._bounding = Bounding(self.shapes, np.zeros((0, 2)), spans, 0.0, 0.0, self.bounds)
        """Arguments of `find_bounds`, which `set_margins` takes again in the same search."""
        self.limits = np.zeros(0)
        """(R,) [m²] squared margin of each row's body, inf where nothing moves, see LastSearch."""

    def _resize(self, body_count: int, edge_count: int) -> None:
        """Allocate settings and bounds; all zero, so `collect` finds them changed."""
        count = body_count + edge_count
        self.filters = Filters(np.zeros(count, np.uint32), np.zeros(count, np.uint32))
        self.friction = np.zeros(count)
        self.restitution = np.zeros(count)
        reach, own_margin, thickness = np.zeros((3, body_count))
        crowded = np.zeros(body_count, np.bool_)
        self.bounds = Bounds(
            np.zeros((count, 4)), np.zeros(count), reach, own_margin, thickness, crowded
        )
        self.self_collision = np.zeros(body_count, np.bool_)
        self._settings = BodySettings(
            *self.filters, self.self_collision, self.friction, self.restitution
        )

    @property
    def body_count(self) -> int:
        """Number of proxies that are bodies: slots of Collider, free ones among them."""
        return len(self.shapes.outlines.first)

    @property
    def outlines(self) -> Outlines:
        """The outlines of the bodies."""
        return self.shapes.outlines

    @property
    def disc_of(self) -> Integers:
        """Row of every body (B,) that is a single disc, else -1."""
        points, first, last, _ = self.outlines
        found = np.full(len(first), -1, np.int64)
        single = flatnonzero(last - first == 1)
        found[single] = points[first[single]]
        return found

    @property
    def radius(self) -> Floats:
        """Radius of every row [m]."""
        return self.shapes.radius

    @property
    def velocity(self) -> Floats:
        """Velocity of every particle [m/s]."""
        velocity: Floats = self._particles.rows["velocity"]
        return velocity

    @property
    def reference_position(self) -> Floats:
        """Position of every row at the last search [m]."""
        return self.shapes.position

    @property
    def last_search(self) -> LastSearch:
        """The data by which margin checks decide whether contacts must be searched again."""
        return LastSearch(
            self.shapes.position, self.limits, self.bounds.own_margin, self.self_collision
        )

    @property
    def rolls(self) -> Flags:
        """Which bodies (B,) are rings that are awake: they roll, so friction turns them."""
        if not self.has_outlines:
            return np.zeros(self.body_count, np.bool_)
        rolls: Flags = (self.outlines.kind >= LOOP) & ~self.asleep
        return rolls

    def restructure(self) -> None:
        """List outlines and allocate new arrays, after a body or wall came, went, fell asleep or
        woke: rows and proxies have changed their numbers or their masses.
        """
        activity = self._activity
        self.offset = self._particles.rows.capacity
        self._walls.rebuild(self.offset)
        outlines = list_outlines(self._colliders)
        self.body = activity.bodies_of(self._colliders).astype(np.int64)
        self.asleep = activity.asleep[self.body]
        # A frozen body has no points: its box is empty, and nothing finds it.
        outlines = outlines._replace(
            last=np.where(activity.frozen[self.body], outlines.first, outlines.last)
        )
        self._excluded = activity.asleep | activity.frozen
        self.has_outlines = bool((outlines.kind != DISCS).any())
        self.is_new = True
        self._resize(self._colliders.values.count, self._walls.edge_count)
        rows = self.offset + self._walls.vertex_count
        if len(self.inverse_mass) != rows:
            self.inverse_mass, self.surface_yield, self.limits = np.zeros((3, rows))
            self.shapes = Shapes(np.zeros((rows, 2)), np.zeros(rows), outlines)
        else:
            self.shapes = self.shapes._replace(outlines=outlines)
        self._find_spinning()

    def _find_spinning(self) -> None:
        """Find the bodies whose discs turn, or at least bounce, by themselves (`spins`,
        `reflects`).

        These are bodies without outline that no component on their own entity holds; for bouncing,
        distance limits on at most MOST_LINKED discs may. A spring between two bodies does not
        count: it is on an entity of its own, and pulls at the centre of a disc.
        """
        spins = np.zeros(len(self._activity.asleep), np.bool_)
        used = self._colliders.values["particle_last"] > 0
        spins[self.body[used]] = self.outlines.kind[used] == DISCS
        reflects = spins.copy()
        for number, table in enumerate(self._holders):
            if table.bound:
                bodies = self._activity.bodies_of(table)
                is_own = table.values["entity"] == self._particles.values["entity"][bodies]
                held = bodies[is_own & (table.values["particle_last"] > 0)]
                spins[held] = False
                size = self._particles.values["last"][held] - self._particles.values["first"][held]
                reflects[held] &= (number == 0) & (size <= MOST_LINKED)
        self.spins = spins[self.body] & used
        self._spins = spins
        self.reflects = reflects[self.body] & used

    def load(self, saved: Saved) -> None:
        """List the present bodies and walls, then load their state at the last search from a
        file.
        """
        self.restructure()
        bodies = self.body_count
        count = self.body_count + self._walls.edge_count
        saved.lengths.update(bodies=bodies, proxies=count, rows=len(self.radius))
        load_fields(self, saved, self.saved[1:])
        joined = self._colliders.values["last"] > self._colliders.values["first"]
        if ((self.outlines.kind != DISCS) != joined).any():
            kinds = self.outlines.kind.tolist()
            saved.fail("kind", kinds, "kinds of outlines where there are outlines, 0 elsewhere")
        self._settings = BodySettings(
            *self.filters, self.self_collision, self.friction, self.restitution
        )
        self._follow_rows(self.radius.copy())

    def load_past(self, saved: Saved) -> None:
        """Load a last search after which bodies or walls came or went.

        Only the data that its contacts refer to is needed: the next substep searches again.
        """
        bodies, rows = (
            saved.view(name, kind, (None,)).size
            for name, kind in (("kind", np.int64), ("radius", float))
        )
        count = saved.view("friction", np.float64, (None,)).size
        offset = saved.whole("offset", 0, self._particles.rows.capacity)
        if not bodies <= count or not offset <= rows <= offset + self._walls.vertex_capacity:
            saved.fail(
                "radius",
                f"{rows} rows of {bodies} bodies and {count} proxies",
                "no more than tables have",
            )
        none = np.zeros(bodies, np.int64)
        outlines = Outlines(np.zeros(0, np.uint32), none, none, none.copy())
        self.shapes = Shapes(np.zeros((rows, 2)), np.zeros(rows), outlines)
        self.inverse_mass, self.surface_yield, self.limits = np.zeros((3, rows))
        saved.lengths.update(bodies=bodies, proxies=count, rows=rows)
        load_fields(self, saved, self.saved[:12])
        self._settings = BodySettings(
            *self.filters, self.self_collision, self.friction, self.restitution
        )

    def collect(self) -> bool:
        """Update the settings that a game may have written; true if contacts must be searched again
        because of a change.
        """
        values = self._colliders.values
        walls = self._walls
        filters = self.filters
        changed = self._collect_bodies.bind(
            values.group(BodySettings), values["sensor"], values["smooth"], self._settings
        )()
        changed |= find_kinds(values["first"], values["last"], values["closed"], self.outlines.kind)
        if walls.refresh() or self.is_new:
            self.is_new = False
            edges = slice(self.body_count, None)
            sensor = walls.of_edges("sensor")
            filters.category[edges] = np.where(sensor, 0, walls.of_edges("category"))
            filters.mask[edges] = np.where(sensor, 0, walls.of_edges("mask"))
            self.friction[edges] = walls.of_edges("friction")
            self.restitution[edges] = walls.of_edges("restitution")
            self.radius[self.offset :] = walls.radius
            changed = True
        grown = self._follow_rows(self.radius)
        return bool(changed or grown)

    def _follow_rows(self, radius: Floats) -> bool:
        """Update masses and radii of the particles; true if one of `radius` (R,) has changed."""
        rows = self._particles.rows.group(RowSettings)
        spinning = Spinning(
            self._spins, self._particles.values["inertia_factor"], self.surface_yield
        )
        return bool(
            self._collect_rows.bind(
                rows, self._excluded, spinning, LEAST_RADIUS, self.inverse_mass, radius
            )()
        )

    def collect_masses(self) -> None:
        """Write the inverse masses of all particles, less the share that drag takes in this
        substep.
        """
        self._collect_masses.bind(
            self._particles.rows.group(DraggedRows), self._excluded, self.inverse_mass
        )()

    def find_bounds(self, frame_dt: float, dt: float, workers: Workers) -> None:
        """Note where all rows are, and find the boxes at their largest size.

        frame_dt, dt: length of a frame and of a substep [s]; margins are to last MARGIN_FRAMES
        frames, and at least SUBSTEPS_AHEAD substeps.
        """
        rows = self._particles.rows
        values = self._colliders.values
        walls = self._walls
        self.reference_position[: rows.count] = rows["position"]
        self.reference_position[self.offset :] = walls.vertices
        spans = values.group(ParticleSpans)
        seconds = MARGIN_FRAMES * frame_dt
        run = workers.run if workers.are_used else workers.run_alone
        ahead = self.seconds_ahead = SUBSTEPS_AHEAD * dt
        self._bounding = Bounding(self.shapes, rows["velocity"], spans, seconds, ahead, self.bounds)
        self._find_bounds.bind(self._bounding)
        run(self._find_bounds)
        of_walls = walls.edges, walls.motion, self.shapes, self.bounds, walls.travel
        self._find_edge_bounds.bind(*of_walls)(self.offset, seconds)

    def set_margins(self, pairs: PairFinder) -> None:
        """Find the margins from the pairs of overlapping boxes; keep pairs that still overlap."""
        pairs.count = set_margins(pairs.pairs, self._bounding)
        self.find_limits()

    def find_limits(self) -> None:
        """Write `limits` (R,), the squared margin of each row's body, for the margin check."""
        spans = self._colliders.values.group(ParticleSpans)
        self._list_limits.bind(self._colliders.active_slots, spans, self.bounds, self.limits)()


@entry
def collect_bodies(
    bodies: BodySettings, sensor: Flags1, smooth: Flags1, proxies: BodySettings
) -> bool:
    """Copy the settings of bodies to their proxies; true if any differs from before.

    A sensor gets no bits, so it touches nothing; a body with a smooth surface gets no friction.
    """
    category = proxies.category
    mask = proxies.mask
    self_collision = proxies.self_collision
    friction = proxies.friction
    restitution = proxies.restitution
    changed = False
    for i in range(sensor.shape[0]):
        bits, accepts = (
            (np.uint32(0), np.uint32(0)) if sensor[i] else (bodies.category[i], bodies.mask[i])
        )
        folds = bodies.self_collision[i] and not sensor[i]
        changed |= category[i] != bits or mask[i] != accepts or self_collision[i] != folds
        rough = 0.0 if smooth[i] else bodies.friction[i]
        changed |= friction[i] != rough or restitution[i] != bodies.restitution[i]
        category[i] = bits
        mask[i] = accepts
        self_collision[i] = folds
        restitution[i] = bodies.restitution[i]
        friction[i] = rough
    return changed


@entry
def collect_rows(
    rows: RowSettings,
    excluded: Flags1,
    spinning: Spinning,
    least_radius: float,
    inverse_mass: Floats1,
    radius: Floats1,
) -> bool:
    """Write inverse mass [1/kg], radius [m] and surface yield of the particles; true if a radius
    has changed.

    excluded (P,): bodies by slot of Particles that are asleep or frozen, and as if of infinite
    mass. r²/I of a disc is 1 / (m factor), with I = factor m r².
    """
    changed = False
    for p in range(rows.radius.shape[0]):
        b = rows.body[p]
        inverse_mass[p] = 0.0 if excluded[b] else rows.inverse_mass[p]
        spinning.surface_yield[p] = (
            inverse_mass[p] / spinning.inertia_factor[b] if spinning.spins[b] else 0.0
        )
        thickness = rows.radius[p] if rows.radius[p] > least_radius else least_radius
        changed |= radius[p] != thickness
        radius[p] = thickness
    return changed


@entry
def collect_masses(rows: DraggedRows, excluded: Flags1, inverse_mass: Floats1) -> None:
    """Write the inverse masses for contact impulses, (1 - drag share) / m [1/kg].

    excluded (P,): bodies by slot of Particles that are asleep or frozen.
    """
    for p in range(rows.inverse_mass.shape[0]):
        moved = (1.0 - rows.drag_share[p]) * rows.inverse_mass[p]
        inverse_mass[p] = 0.0 if excluded[rows.body[p]] else moved
