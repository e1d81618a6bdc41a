"""CollisionSpace: all collision data of a world, and the order in which the kernels work on it.

In every substep the stage COLLISION calls `find` (search for contacts, if the last search is no
longer valid), `reflect` (contacts at the present positions; elastic discs bounce) and `solve`
(impulses by sequential impulses, written as forces). After the move CONTACT_CORRECTION calls
`correct` (takes overlap back, sweeps against walls). With joints, CONTACT_SEARCH calls `find_ahead`
before all of these.

Terms of this package. A proxy is a body or one static edge: bodies have the numbers [0, B), static
edges follow. A row is a point: particles have the rows below `offset`, vertices of static edges
follow from there. A slot is the place of an entity in the table of its component. A search lists
pairs of proxies whose boxes overlap (broad phase), then contacts of points and edges closer than
their margins (narrow phase); it stays valid until a body has moved further than its margin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Flags, Floats
from ecs_softbody.collision.contacts.contact_list import ContactList
from ecs_softbody.collision.contacts.edge_following import follow_points
from ecs_softbody.collision.contacts.materials import Materials
from ecs_softbody.collision.contacts.report import ContactReports
from ecs_softbody.collision.contacts.sleeping import SleepingContacts
from ecs_softbody.collision.contacts.touches import mark_pushed
from ecs_softbody.collision.contacts.tracker import TouchTracker
from ecs_softbody.collision.contacts.view import Contacts, ContactView
from ecs_softbody.collision.detect.filters import AttachedBodies
from ecs_softbody.collision.detect.margin_check import (
    Particles,
    exceeds_margin,
    walls_exceed_margin,
)
from ecs_softbody.collision.detect.margins import ParticleSpans
from ecs_softbody.collision.detect.narrow_phase import NarrowPhase
from ecs_softbody.collision.detect.one_way import OneWayStates
from ecs_softbody.collision.detect.pairs import PairFinder
from ecs_softbody.collision.detect.proxies import Proxies
from ecs_softbody.collision.detect.static_edges import StaticEdges
from ecs_softbody.collision.impacts.impact_bodies import ImpactBodies
from ecs_softbody.collision.query.sensors import Sensors
from ecs_softbody.collision.recover.tracker import InterpenetrationTracker
from ecs_softbody.collision.seams.inner_edges import keep_reachable
from ecs_softbody.collision.solve.solver import ContactSolver
from ecs_softbody.collision.solve.stages import AGAIN, LOOK, PREPARE
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.storage import Activity, Table
from ecs_softbody.storage.resource import Number, Part, Resource, Version, Whole, load_fields
from ecs_softbody.storage.saved import Saved

PHASES = "bounds", "pairs", "contacts", "geometry", "impulses"
"""Phases that a profiler measures, in their order: three of the search, two of the solver."""


def run_phase(name: str, phase: Callable[..., None], *arguments: object, **options: object) -> None:
    """Run a phase; a profiler replaces this by a function that measures."""
    phase(*arguments, **options)


class CollisionSpace(Resource):
    """Finds contacts, solves their impulses, and corrects the overlap left after the move.

    `saved` are the fields of a file; `made` and `bound` name what only snapshots in memory keep,
    see Resource.
    """

    made = ("activity", "contacts", "_spare", "_exceeds_margin", "_walls_exceed_margin")
    # A step that raises leaves a look ahead behind.
    bound = ("_has_looked_ahead", "separation_ahead")
    saved = (
        Number("last_dt", "Length of the last substep.", least=0.0, unit="s"),
        Version("version", "That of the packed rows at the last search."),
        Version("changes", "How often bodies had fallen asleep or woken then."),
        Whole("searches", "Number of searches for contacts.", least=0),
        Part("reports", "What games are told of the last frame.", ContactReports),
        Part(
            "held_report",
            "What they are told, where rows have moved since.",
            Contacts,
            optional=True,
        ),
        Part("attached", "Bodies that attachments join.", AttachedBodies),
        Part("proxies", "Bodies, then edges of walls.", Proxies),
        Part("walls", "Edges of all static colliders.", StaticEdges),
        Part("one_way", "What one-way walls are to the bodies near them.", OneWayStates),
        Part("pairs", "Pairs that are near each other.", PairFinder),
        Part("solver", "What bodies remember of the last substep.", ContactSolver),
        Part("interpenetrations", "Bodies that overlap.", InterpenetrationTracker),
        Part("tracker", "Who touches whom, for events.", TouchTracker),
        Part("sleeping", "Contacts of sleeping bodies.", SleepingContacts),
    )

    def __init__(
        self,
        particles: Table,
        colliders: Table,
        static_colliders: Table,
        attachments: Table,
        shapes: Table,
        muscles: Sequence[Table],
        dashpots: Mapping[str, Table],
        holders: Sequence[Table],
        gravity: NDArray[np.float64],
        activity: Activity,
    ) -> None:
        self.bodies = particles
        self.activity = activity
        self.sleeping = SleepingContacts()
        self.particles = particles.rows
        self.colliders = colliders
        self.static_colliders = static_colliders
        self.attached = AttachedBodies(attachments, particles)
        self.walls = StaticEdges(static_colliders)
        self.proxies = Proxies(particles, colliders, self.walls, activity, holders)
        self.one_way = OneWayStates()
        self.solver = ContactSolver(gravity, ImpactBodies(shapes, muscles, dashpots, activity))
        self.contacts = ContactList()
        self._spare = ContactList()
        self.view = ContactView(self.contacts, self.proxies, self.walls, particles, colliders)
        """The contacts with the tables that their rows and proxies belong to."""
        self._view_before = ContactView(self._spare, self.proxies, self.walls, particles, colliders)
        self.sensors = Sensors(particles, colliders, static_colliders)
        self.interpenetrations = InterpenetrationTracker(
            colliders.values, self.particles, self.walls
        )
        self.tracker = TouchTracker(
            self.view,
            static_colliders,
            activity,
            self.sleeping,
            self.interpenetrations,
            self.sensors,
        )
        self.reports = ContactReports()
        self.held_report: Contacts | None = None
        self.last_dt = 0.0
        self.version = self.changes = -1
        self._has_looked_ahead = False
        self.separation_ahead: Floats = np.zeros(0)
        """(C,) separations [m] of the contacts at the present positions, if `find_ahead` has
        searched in this substep; else empty.
        """
        self.pairs = PairFinder()
        self.narrow_phase = NarrowPhase(self.proxies, self.walls, self.pairs)
        self._mark_pushed = PreparedCall(mark_pushed)
        self._follow_points = PreparedCall(follow_points)
        self._exceeds_margin = PreparedCall(exceeds_margin)
        self._walls_exceed_margin = PreparedCall(walls_exceed_margin)
        self.run_phase: Callable[..., None] = run_phase
        self.searches = 0
        """Number of searches for contacts."""

    def load(self, saved: Saved) -> None:
        """Load the last search and sleeping contacts; tables and activity are loaded already.

        If anything has come, gone, fallen asleep or woken since that search, the next substep
        searches again. If something came or went, rows have moved: only the data that contacts
        refer to is needed, and games see the contacts that were reported before.
        """
        fields = {field.name: field for field in self.saved}
        version = saved.lengths["version"]
        load_fields(
            self,
            saved,
            [fields[name] for name in ("last_dt", "searches", "reports", "held_report")],
        )
        is_current = saved.version("changes") == self.activity.changes
        if saved.version("version") == version:
            self.proxies.load(saved.part("proxies"))
        else:
            self.proxies.load_past(saved.part("proxies"))
            if self.held_report is None:
                self.held_report = Contacts.none()
        bodies = self.proxies.body_count
        proxies = len(self.proxies.friction)
        saved.lengths.update(
            bodies=bodies,
            proxies=proxies,
            rows=len(self.proxies.radius),
            offset=self.proxies.offset,
        )
        self.walls.load(saved.part("walls"))
        saved.lengths.update(
            walls_room=self.walls.wall_capacity, bodies_room=self.bodies.values.capacity
        )
        if saved.version("version") == version and is_current:
            self.changes = self.activity.changes
            self.version = version
            self.pairs.load(saved.part("pairs"))
            self.pairs.sort(bodies, self.proxies.outlines.kind)
        behind = "solver", "one_way", "attached", "interpenetrations", "tracker"
        load_fields(self, saved, [fields[name] for name in behind])
        self.sleeping.load(saved.part("sleeping"), self.view)

    @property
    def is_empty(self) -> bool:
        """Whether no body with a collider is awake."""
        return not self.colliders.bound or not len(self.colliders.active_slots)

    def is_up_to_date(self, version: int) -> bool:
        """Whether contacts still count rows as the tables do.

        `version` is the version of the packed rows: it changes when bodies come or go.
        """
        return self.version == version and self.changes == self.activity.changes

    def mark_pushed(self, version: int, pushed: Flags) -> None:
        """Mark the particles (N,) that a contact pushed in the last substep, for water and wind.

        Marks nothing if bodies have come or gone since, as contacts then count other rows.
        """
        if self.is_up_to_date(version):
            self._mark_pushed.bind(self.contacts.arrays, pushed)(self.proxies.offset)

    def find_ahead(self, version: int, frame_dt: float, dt: float, *, new_frame: bool) -> None:
        """Search before the joints are solved, and set the bounce speeds of jointed particles.

        Joints must know which contacts close in this substep. If this call has searched,
        `separation_ahead` gets the present separations; the records keep the separations of the
        last substep. frame_dt, dt: length of a frame and of a substep [s]. new_frame: in a frame's
        first substep.
        """
        searches = self.searches
        self.find(version, frame_dt, dt, new_frame=new_frame)
        self._has_looked_ahead = True
        if searches != self.searches and self.contacts.count:
            separation = self.contacts.records["separation"]
            # A bounce compares the separation with that of the substep before: a look ahead must
            # not overwrite it.
            before = separation.copy()
            self.refresh(dt)
            self.separation_ahead = separation.copy()
            separation[:] = before
        if self.contacts.count:
            self.solver.bounce_ahead(self.separation_ahead, dt)

    def find(self, version: int, frame_dt: float, dt: float, *, new_frame: bool) -> None:
        """Search for contacts, unless the last search is valid for this substep.

        frame_dt, dt: length of a frame and of a substep [s]; margins are made for both.
        """
        new_frame = new_frame and not self._has_looked_ahead
        self._forget_ahead()
        if new_frame:
            self.reports.begin_frame()
        if not self.is_settled(version, dt, new_frame=new_frame):
            have_moved = self.version != version
            # The order matters: pairs need boxes at their largest size, margins depend on the
            # pairs, and contacts on both.
            self.run_phase("bounds", self.prepare, version, frame_dt, dt)
            self.run_phase("pairs", self.find_pairs)
            self.run_phase("contacts", self.find_contacts, new_frame=new_frame)
            if not (new_frame or have_moved):
                self.reports.note_ended(self._view_before)
        elif new_frame:
            self.begin_frame()

    def begin_frame(self) -> None:
        """Begin a frame without a search: reset the frame's sums, read what games have written, and
        move each contact to the edge that is closest to its point now.
        """
        view = self.view
        proxies = self.proxies
        self.solver.begin_frame(view)
        if proxies.has_outlines:
            if self.solver.has_other_bodies(view):
                self.solver.take(view, self.pairs.wall_pairs, self.one_way)
            shapes = self.particles["position"], proxies.radius, proxies.outlines
            self._follow_points.bind(self.contacts.arrays, *shapes)(proxies.offset)

    def forget(self) -> None:
        """Forget the contacts: no body that moves has a collider any more."""
        self._forget_ahead()
        self.reports.begin_frame()
        if self.contacts.count:
            self.contacts.count = 0

    def _forget_ahead(self) -> None:
        """Forget what `find_ahead` has found: it counts for one substep."""
        self._has_looked_ahead = False
        if len(self.separation_ahead):
            self.separation_ahead = np.zeros(0)

    def is_settled(self, version: int, dt: float, *, new_frame: bool) -> bool:
        """Whether the contacts of the last search are valid for another substep.

        False if bodies came or went, a game changed a setting that contacts depend on, or a body or
        wall will be further than its margin from where it was at the search.
        """
        if not self.is_up_to_date(version):
            return False
        if (
            (self.proxies.collect() or self._must_search())
            if new_frame
            else self.walls.has_changed()
        ):
            return False
        return not self._exceeds_margin(dt) and not self._walls_exceed_margin(dt)

    def _must_search(self) -> bool:
        """Whether one-way walls, attachments or interpenetrations need a search in this frame."""
        if self.one_way.is_watching or self.attached.has_changed():
            return True
        return self.proxies.has_outlines and self.interpenetrations.look(
            self.pairs.pairs, self.proxies
        )

    def prepare(self, version: int, frame_dt: float, dt: float) -> None:
        """First phase of a search: bring proxies up to date, and write their boxes.

        The boxes have the largest size that margins may give them; `find_pairs` shrinks them.
        """
        proxies = self.proxies
        offset_before = self.proxies.offset
        if not self.is_up_to_date(version):
            proxies.restructure()
            self.changes = self.activity.changes
            self.version = version
            # Rows of walls lie behind the particles, whose number has changed: old contacts must be
            # found again by their rows, or their impulses are lost.
            of_walls = self.contacts.rows >= offset_before
            self.contacts.rows[of_walls] += np.uint32(proxies.offset) - np.uint32(offset_before)
            self.solver.resize(len(proxies.radius), proxies.body_count)
            self._bind_margins()
        proxies.collect()
        proxies.find_bounds(frame_dt, dt, self.solver.workers)

    def _bind_margins(self) -> None:
        """Hand the arrays to both margin checks once, not in every substep."""
        proxies = self.proxies
        walls = self.walls
        active = self.bodies.active_rows
        slots = self.colliders.active_slots
        spans = self.colliders.values.group(ParticleSpans)
        particles = self.particles.group(Particles)
        self._exceeds_margin.bind(active, slots, spans, particles, proxies.last_search)
        ways = (
            walls.vertices,
            walls.vertex_velocity,
            proxies.reference_position,
            walls.travel,
            proxies.offset,
        )
        self._walls_exceed_margin.bind(*ways)

    def look_again(self) -> None:
        """Hand the prepared kernel calls their arrays again, after other ones replaced these."""
        self.walls.look_again()
        if self.version >= 0:
            self._bind_margins()
            if self.searches:
                self.solver.sort(self.view)
                self.solver.take(self.view, self.pairs.wall_pairs, self.one_way)

    def find_pairs(self) -> None:
        """Second phase of a search: list the pairs of proxies whose boxes overlap.

        Left out are pairs that cannot or must not touch: a body and a one-way wall that is open to
        it, inner edges between joined walls, attached bodies, and overlapping bodies that a motor
        drives apart.
        """
        proxies = self.proxies
        pairs = self.pairs
        pairs.find(proxies.bounds.box, proxies.body_count, proxies.filters, proxies.asleep)
        proxies.set_margins(pairs)
        if self.one_way.is_needed(self.walls):
            before = self.particles["position"] - self.last_dt * self.particles["velocity"]
            bodies = self.colliders.values["entity"]
            solid = self.one_way.find_solid(pairs.pairs, bodies, self.walls, proxies, before)
            if solid is not None:
                pairs.keep(solid)
        if pairs.count and np.count_nonzero(self.walls.edges.inner):
            reachable = np.ones(pairs.count, np.bool_)
            if keep_reachable(
                pairs.pairs, proxies.body_count, proxies.shapes, self.walls.edges, reachable
            ):
                pairs.keep(reachable)
        if self.attached.are_any and pairs.count:
            pairs.keep(~self.attached.holds(pairs.pairs, proxies.body))
        self.interpenetrations.find(pairs.pairs, proxies)
        if np.count_nonzero(self.interpenetrations.marks):
            # An overlapping pair gets no contacts and no sweep: both would hold it together.
            pairs.keep(~self.interpenetrations.marks)
        pairs.sort(proxies.body_count, proxies.outlines.kind)

    def find_contacts(self, *, new_frame: bool) -> None:
        """Third phase of a search: list the contacts of all pairs.

        A contact that the old list had, too, takes over its impulses for the warm start.
        """
        new = self._spare
        self.sleeping.give_to(self.view)
        damage = self.interpenetrations.damage
        workers = self.solver.workers
        needed = self.narrow_phase.find(damage.self_intersecting, workers, new.candidates)
        if needed > new.capacity:
            # The search has counted on beyond the capacity, so a second one finds all.
            new.grow(needed)
            self.narrow_phase.find(damage.self_intersecting, workers, new.candidates)
        new.count = damage.drop_contacts_behind_walls(new.candidates, needed, self.proxies.offset)
        # The old list stays whole in the spare one until the new one has taken over its impulses
        # and the tracker has seen which contacts are gone.
        self.contacts.exchange(self._spare)
        view = self.view
        self.solver.match(self._spare, view, self.materials, new_frame=new_frame)
        self.solver.take(view, self.pairs.wall_pairs, self.one_way)
        self.tracker.note_search(self._view_before, new_frame=new_frame)
        self.searches += 1

    @property
    def materials(self) -> Materials:
        """Friction, restitution and the like of proxies, from which contacts get theirs."""
        proxies = self.proxies
        made_of = proxies.friction, proxies.restitution, proxies.radius
        return Materials(*made_of, proxies.spins, proxies.reflects, self.particles["inverse_mass"])

    def reflect(self, dt: float, respond: Callable[[], None] | None) -> None:
        """Bring contacts to the present positions, and let elastic discs that meet bounce.

        respond: writes how joints answer an impulse on a disc, see ContactSolver.reflect; or None.
        """
        # Contacts are prepared last: they read the velocities of walls, and predict with all
        # forces, including those of motors.
        if self.walls.is_moving:
            self.walls.find_velocities(dt)
        self.interpenetrations.separate(dt)
        if self.contacts.count:
            self._prepare(lambda: self.solver.reflect(dt, respond, PREPARE))

    def reflect_again(self, dt: float, respond: Callable[[], None] | None) -> None:
        """Let discs bounce again after a search that the reflection has asked for: struck discs are
        faster than the search before assumed.
        """
        if self.contacts.count:
            self._prepare(lambda: self.solver.reflect(dt, respond, AGAIN))

    @property
    def is_to_search_again(self) -> bool:
        """Whether a disc that was reflected may meet something that is no contact yet,
        or sleeps.
        """
        return self.contacts.count > 0 and (
            self.solver.asks_for_contacts or self.solver.asks_for_waking
        )

    def solve(self, dt: float) -> None:
        """Add the contact forces of a substep to the particles' force."""
        if self.contacts.count:
            self.run_phase("impulses", self.solver.solve, dt)

    def refresh(self, dt: float) -> None:
        """Bring all contacts to the present positions without bounces, to read separations."""
        self._prepare(lambda: self.solver.prepare(dt, LOOK))

    def _prepare(self, prepare: Callable[[], None]) -> None:
        """Run the phase "geometry"; drag must be in the inverse masses by then."""
        if self.proxies.is_dragged:
            self.proxies.collect_masses()
        self.run_phase("geometry", prepare)

    def correct(self, dt: float) -> None:
        """After the move: push out, bounce, and bring back particles that passed a wall."""
        self.solver.correct(dt)
        self.last_dt = dt

    def resist_rolling(self) -> None:
        """After the last substep of a frame: slow down bodies that roll."""
        resistance = self.colliders.values["rolling_resistance"]
        if self.contacts.count and np.count_nonzero(resistance):
            self.solver.resist_rolling()

    def report(self) -> Contacts:
        """Return `sim.contacts`: the contacts that pushed in this frame or overlap now.

        Sleeping bodies have the contacts of their last frame awake.
        """
        if self.held_report is not None:
            return self.held_report
        return self.reports.report(self.view, self.sleeping)

    def hold_report(self) -> None:
        """Keep the report of now until `release_report`.

        Packing may move rows meanwhile, and a report made then would name wrong particles.
        """
        self.held_report = self.report()

    def release_report(self) -> None:
        """Report new contacts again."""
        self.held_report = None
