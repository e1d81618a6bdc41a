"""ContactSolver: runs the contact solver of a world in each substep, on arrays looked up once.

After each search `match` sorts the new contacts into batches and gives them the old impulses, and
`take` binds all arrays to the jobs. In a substep `reflect` prepares the contacts and lets elastic
discs bounce, `solve` finds the impulses, and `correct` takes back overlap after the move. The jobs
themselves are in stages.py and run on several threads where that pays.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Flags, Floats, Integers
from ecs_softbody.collision.contacts.contact import ParticleArrays, Rows, Walls
from ecs_softbody.collision.contacts.contact_list import ContactList
from ecs_softbody.collision.contacts.materials import Materials, begin_frame
from ecs_softbody.collision.contacts.view import ContactView
from ecs_softbody.collision.detect.margins import ParticleSpans
from ecs_softbody.collision.detect.one_way import OneWayStates
from ecs_softbody.collision.impacts.impact_bodies import ImpactArrays, ImpactBodies
from ecs_softbody.collision.reflection.approaching import (
    ASKS,
    IS_INDEXED,
    LISTED,
    MUST_SEARCH,
    MUST_WAKE,
    PENDING,
    Reflection,
)
from ecs_softbody.collision.reflection.responses import (
    NONE,
    Responses,
    list_struck,
    predict_jointed,
)
from ecs_softbody.collision.solve.active import ActiveContacts
from ecs_softbody.collision.solve.bounce import bounce_ahead
from ecs_softbody.collision.solve.firm import Firmness
from ecs_softbody.collision.solve.partition import MOST_PARTITIONS, Batches
from ecs_softbody.collision.solve.rigid_motion import RIGID_BODY, RIGID_VELOCITY
from ecs_softbody.collision.solve.rolling import RollingBodies, resist_rolling, resist_spinning
from ecs_softbody.collision.solve.spin import Spins
from ecs_softbody.collision.solve.stages import (
    CORRECT,
    PREPARE,
    REFLECT,
    SOLVE,
    Matching,
    Solver,
    match_batches,
    solve_contacts,
)
from ecs_softbody.collision.sweep.ccd import SweptBodies, SweptEdges, sweep_bodies
from ecs_softbody.parallel.prepared import PreparedCall
from ecs_softbody.parallel.workers import Workers
from ecs_softbody.storage.resource import Array, Resource
from ecs_softbody.storage.saved import Saved


class ContactSolver(Resource):
    """Solves the contacts that were found last.

    Arrays by row (R,) and by body (B,) are workspace of a substep, but `spin` (B, 2) [N·m·s], the
    angular impulses of friction in the last two substeps, and `bearing_time` (B,) [s], how long a
    body still counts as touching another body.
    """

    saved = (
        Array(
            "spin",
            ("bodies", 2),
            "Angular impulses of friction in the last two substeps.",
            unit="N·m·s",
        ),
        Array(
            "bearing_time",
            "bodies",
            "How long it still counts as one that touches another body.",
            unit="s",
            name="bearing",
        ),
    )
    made = ("batches", "speed_limit", "_impact_bodies", "_solve", "_sweep", "_bounce")
    bound = (
        "reflecting",
        "_active",
        "_predicted",
        "_has_left",
        "_surface_speed",
        "_rigid_bodies",
        "_share",
        "_passed",
        "_reflection",
        "_view",
        "_solver",
    )

    def __init__(self, gravity: NDArray[np.float64], impact_bodies: ImpactBodies) -> None:
        self._gravity = gravity
        self._impact_bodies = impact_bodies
        self.workers = Workers()
        self.batches = Batches()
        self.iterations = 4
        """Iterations of sequential impulses in a substep."""
        self.speed_limit = math.inf
        """Largest speed of particles [m/s], as the simulation has it set."""
        self._active = ActiveContacts.reserve(0)
        self._changes = np.zeros(2 * MOST_PARTITIONS)
        self._pair = np.zeros(2, RIGID_BODY)
        self._predicted = np.zeros((0, 2))
        self._has_left = np.zeros(0, np.bool_)
        self._surface_speed = np.zeros(0)
        self._rigid_bodies = np.zeros(0, RIGID_BODY)
        self.spin = np.zeros((0, 2))
        self.bearing_time = np.zeros(0)
        self._share = np.zeros(0)
        self._passed = np.zeros((2, 0), RIGID_VELOCITY)
        self._reflection = Reflection.reserve(0, 0, np.zeros((0, 2)), np.zeros(0))
        self.reflecting: Flags = np.zeros(0, np.bool_)
        """(C,) which contacts of discs on joints will reflect in this substep, as far as is known
        ahead of joints.
        """
        self._view: ContactView
        self._solver: Solver
        self._match = PreparedCall(match_batches)
        self._solve = PreparedCall(solve_contacts)
        self._sweep = PreparedCall(sweep_bodies)
        self._bounce = PreparedCall(bounce_ahead)
        self._begin_frame = PreparedCall(begin_frame)
        self._predict_jointed = PreparedCall(predict_jointed)

    @property
    def elastic_bodies(self) -> Flags:
        """Which bodies (B,) have an outline and restitution 1, and neither a rest shape, joints nor
        damping: they lose no energy.
        """
        return self._impact_bodies.elastic

    @property
    def are_elastic(self) -> bool:
        """Whether there are any `elastic_bodies`."""
        return self._impact_bodies.are_elastic

    def resize(self, row_count: int, body_count: int) -> None:
        """Allocate arrays for all rows and bodies, whose numbers have changed; bodies then remember
        nothing of the last substep.
        """
        self._predicted = np.zeros((row_count, 2))
        self._has_left = np.zeros(body_count, np.bool_)
        self._surface_speed = np.zeros(row_count)
        self._rigid_bodies = np.zeros(body_count, RIGID_BODY)
        self.spin = np.zeros((body_count, 2))
        self.bearing_time = np.zeros(body_count)
        self._share = np.zeros(body_count)
        self._passed = np.zeros((2, body_count), RIGID_VELOCITY)

    def load(self, saved: Saved) -> None:
        """Load what bodies keep from substep to substep: `spin` and `bearing_time`."""
        self.resize(saved.lengths["rows"], saved.lengths["bodies"])
        super().load(saved)

    def sort(self, view: ContactView) -> None:
        """Sort contacts into batches that threads can solve at the same time, see partition.py."""
        bodies = view.colliders.values
        starts = bodies["particle_first"], bodies["particle_last"]
        self.batches.divide(view.proxies.bounds.box, view.colliders.active_slots, *starts)
        self.batches.sort(view.contacts, self.workers)

    def match(
        self, old: ContactList, view: ContactView, materials: Materials, *, new_frame: bool
    ) -> None:
        """Sort newly found contacts into batches, and give them the records of the old ones."""
        new = view.contacts
        self.sort(view)
        chains = old.chains(view.offset + view.walls.vertex_capacity)
        start = self.batches.start
        self._match.bind(
            Matching(old.arrays, new.arrays, chains, materials, view.offset, start, new_frame)
        )
        self._run(self._match)

    def take(self, view: ContactView, wall_pairs: NDArray[np.int64], one_way: OneWayStates) -> None:
        """Bind the jobs to the arrays of the new contacts, which stay until the next search.

        view: the contacts and their tables. wall_pairs (P, 2): bodies and static edges near them,
        for the sweep. one_way: which one-way walls are solid to which bodies.
        """
        self._view = view
        contacts = view.contacts
        proxies = view.proxies
        walls = view.walls
        if len(self._active.speculative) < contacts.count:
            self._active = ActiveContacts.reserve(contacts.capacity)
        # `find_spins` writes the surface speed in each substep, but only for discs that turn by
        # themselves.
        self._surface_speed.fill(0.0)
        rows = self._rows(view)
        particles = view.particles.rows.group(ParticleArrays)
        surface = walls.angular_velocity, walls.tangent_speed
        edges = Walls(
            walls.vertices, walls.vertex_velocity, walls.seams, *surface, proxies.body_count
        )
        batches = self.batches.arrays
        changes = self._changes
        bodies = view.colliders.values
        span = bodies["particle_first"], bodies["particle_last"]
        spins = Spins(proxies.rolls, proxies.spins, *span, self._rigid_bodies, self.spin)
        impacts = self._impact_bodies.find(view, spins.rolls)
        firmness = Firmness(self.bearing_time, self._share, self._passed[0], self._passed[1])
        reflection = self._reflection = self._reserve_reflection(view)
        self._solver = Solver(
            batches,
            contacts.arrays,
            self._active,
            particles,
            edges,
            rows,
            spins,
            impacts,
            firmness,
            reflection,
            self._gravity,
            changes,
        )
        self._solve.bind(self._solver)
        arrays = (
            contacts.arrays,
            self._active,
            self.batches.start,
            impacts,
            spins,
            particles,
            edges,
            rows,
        )
        self._impact_bodies.use(ImpactArrays(*arrays))
        spans = view.colliders.values.group(ParticleSpans)
        box = proxies.bounds.box
        filters = proxies.filters
        behind = view.particles.rows["behind"]
        swept = SweptBodies(
            proxies.outlines, spans, box, filters, wall_pairs, self._has_left, behind
        )
        static = SweptEdges(walls.edges, one_way.keys, one_way.states)
        self.reflecting = np.zeros(contacts.count, np.bool_)
        self._bounce.bind(contacts.arrays, particles, rows, self.reflecting)
        self._sweep.bind(view.colliders.active_slots, swept, static, particles, edges, rows)

    def _rows(self, view: ContactView) -> Rows:
        """Return the arrays of all rows that can touch, see Rows."""
        proxies = view.proxies
        surface_speed = self._surface_speed
        return Rows(
            proxies.inverse_mass,
            proxies.radius,
            self._predicted,
            proxies.surface_yield,
            surface_speed,
            proxies.offset,
        )

    def _reserve_reflection(self, view: ContactView) -> Reflection:
        """Return the workspace of reflections with room for these contacts.

        The index of reflecting contacts by row is marked as not made yet.
        """
        known = self._reflection
        last = view.proxies.last_search
        proxies = view.proxies
        rows = len(proxies.radius)
        if len(known.of_rows) != rows or len(known.members) < view.contacts.count:
            known = Reflection.reserve(rows, view.contacts.capacity, last.position, last.limits)
        known.state[IS_INDEXED] = 0
        return known._replace(
            last_position=last.position,
            limits=last.limits,
            box=proxies.bounds.box,
            disc_of=proxies.disc_of,
        )

    def begin_frame(self, view: ContactView) -> None:
        """Begin a frame without a search: reset its impulses, and see whether a game has pinned or
        freed particles, so that other contacts reflect.
        """
        proxies = view.proxies
        inverse_mass = view.particles.rows["inverse_mass"]
        self._surface_speed.fill(0.0)  # a game may have pinned turning discs
        if self._begin_frame.bind(
            view.contacts.arrays, proxies.friction, proxies.spins, proxies.reflects, inverse_mass
        )():
            self.forget_index()

    def forget_index(self) -> None:
        """Invalidate the index of reflecting contacts: it may no longer match the contacts."""
        self._reflection.state[IS_INDEXED] = 0

    @property
    def asks_for_contacts(self) -> bool:
        """Whether a reflection has struck a disc that may now meet others with which it has no
        contact yet.
        """
        return bool(self._reflection.state[MUST_SEARCH])

    @property
    def asks_for_waking(self) -> bool:
        """Whether a reflection has struck a disc that now meets a sleeping disc."""
        return bool(self._reflection.state[MUST_WAKE])

    def has_other_bodies(self, view: ContactView) -> bool:
        """Whether a game has changed which bodies take part in impacts, and how, since `take`."""
        return self._impact_bodies.have_changed(view, view.proxies.rolls)

    def prepare(self, dt: float, part: int = PREPARE) -> None:
        """Bring all contacts up to the present positions; part: PREPARE, AGAIN, or LOOK, without
        bounces.
        """
        # Rows of walls need no stage: their velocity is given, and no impulse changes it.
        self._predicted[self._view.offset :] = self._view.walls.vertex_velocity
        self._run(self._solve, part, self.iterations, dt, self.speed_limit)

    def reflect(self, dt: float, respond: Callable[[], None] | None, part: int = PREPARE) -> None:
        """Prepare all contacts, and reflect the approaching ones at once.

        Where a disc on joints is struck, its mass depends on the joints: the reflection stops,
        lists these contacts (`list_struck`), calls `respond`, which writes how the joints answer a
        unit impulse, and goes on. respond: None without joints. part: PREPARE, or AGAIN after a
        search.
        """
        state = self._reflection.state
        responses = self._reflection.responses
        # Responses depend on the positions of the joints: old ones of the last substep are of no
        # use.
        state[PENDING] = 0
        state[ASKS] = respond is not None
        if responses.known[0] > 0:
            responses.known[0] = 0
            responses.place.fill(NONE)
        self.prepare(dt, part)
        if respond is not None and state[PENDING] > 0:
            self._predict_jointed.bind(self._solver.particles, self._predicted)(dt)
        while respond is not None and state[PENDING] > 0:
            respond()
            self._run(self._solve, REFLECT, self.iterations, dt, self.speed_limit)

    def list_struck(self) -> tuple[Integers, Floats]:
        """Return the contacts for which the reflection waits until joints respond.

        Rows (K, 2) of both discs, -1 for one that needs no response, and normals (K, 2).
        """
        solver = self._solver
        reflection = self._reflection
        listed = np.ascontiguousarray(reflection.of_contacts[: reflection.state[PENDING], LISTED])
        particles = np.empty((len(listed), 2), np.int64)
        normal = np.empty((len(listed), 2))
        jointed = solver.particles.jointed
        found = list_struck(
            listed, solver.contacts, jointed, solver.rows, reflection.responses, particles, normal
        )
        return particles[:found], normal[:found]

    @property
    def struck_impulses(self) -> Floats:
        """Impulses (K,) [N·s] of all contacts that `list_struck` has returned in this substep."""
        responses = self._reflection.responses
        return responses.impulse[: responses.known[0]]

    def responses_with(self, entries: int) -> Responses:
        """Return the arrays for the responses of joints, with room for this many entries."""
        known = self._reflection.responses
        if (more := entries - len(known.particle)) > 0:
            more += entries
            particle = np.append(known.particle, np.zeros(more, np.int64))
            share = np.vstack((known.share, np.zeros((more, 2))))
            self._reflection = self._reflection._replace(
                responses=known._replace(particle=particle, share=share)
            )
            self._solver = self._solver._replace(reflection=self._reflection)
            self._solve.bind(self._solver)
        return self._reflection.responses

    def bounce_ahead(self, separation: Floats, dt: float) -> None:
        """Decide before joints are solved which contacts of jointed particles bounce in this
        substep; separation: see `bounce.bounce_ahead`.
        """
        self._predicted[self._view.offset :] = self._view.walls.vertex_velocity
        self._bounce(separation, self._gravity, dt)

    def solve(self, dt: float) -> None:
        """Solve the impulses of all contacts and add them to the particles' force."""
        lands = self._impact_bodies.are_landing
        # Stiff shapes stop ahead of the contact impulses. Restitution comes after them, since it
        # depends on how hard contacts pushed: from there e = 0.5 and 0.8 come out within 0.5 %.
        if lands:
            self._impact_bodies.stop_stiff_bodies(self._gravity, dt)
        self._run(self._solve, SOLVE, self.iterations, dt, self.speed_limit)
        if lands:
            self._impact_bodies.apply_restitution(self._gravity, dt)

    def warm_up(self, dt: float) -> None:
        """Run the kernels of impacts once, after a search, so that no frame of a game waits for
        their compilation.
        """
        bodies = self._impact_bodies
        bodies.stop_stiff_bodies(self._gravity, dt)
        bodies.apply_restitution(self._gravity, dt)
        bodies.note_speeds()
        bodies.follow_impacts(dt)

    def correct(self, dt: float) -> None:
        """After the move: push out, and bring back particles that passed a wall."""
        lands = self._impact_bodies.are_landing
        # Speeds are noted ahead of the sweep, which throws light bodies up: `follow_impacts` takes
        # the difference back as far as it exceeds restitution.
        if lands:
            self._impact_bodies.note_speeds()
        if self._view.contacts.count:
            self._run(self._solve, CORRECT, self.iterations, dt, self.speed_limit)
        if self._view.walls.edge_count:
            (self.workers.run if self.workers.are_used else self.workers.run_alone)(self._sweep, dt)
        if lands:
            self._impact_bodies.follow_impacts(dt)

    def resist_rolling(self) -> None:
        """After the last substep of a frame: slow down bodies that roll."""
        view = self._view
        bodies = self._view.colliders.values
        span = bodies["particle_first"], bodies["particle_last"]
        resistance = bodies["rolling_resistance"]
        of_walls = view.walls.angular_velocity
        rolling = RollingBodies(view.proxies.rolls, view.proxies.spins, resistance, *span, of_walls)
        particles = view.particles.rows.group(ParticleArrays)
        contacts = view.contacts.arrays
        if view.proxies.has_outlines:
            resist_rolling(contacts, rolling, particles, self._pair, self.speed_limit)
        if np.count_nonzero(view.proxies.spins):
            resist_spinning(
                contacts, rolling, particles, self._rows(view), self._pair, self.speed_limit
            )

    def _run(self, job: Callable[..., None], *arguments: Any) -> None:
        """Run a job over the batches, with other threads where it pays."""
        together = self.workers.are_used and self.batches.partitions > 1
        (self.workers.run if together else self.workers.run_alone)(job, *arguments)
