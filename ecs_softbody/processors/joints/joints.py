"""JointProcessor: the stage that holds all joints, once in a substep, before the contacts.

A joint is split into rows. A row is one scalar constraint C on the positions of a few particles:
the x or the y axis of an attachment, the length of a rope or rod. Rows that share particles form a
group. The stage predicts the velocities v that all other forces will give, and lets the kernels
find the impulses λ [N·s] after which every row holds at the end of the substep h:

    C(x + h (v + W Jᵀ λ)) = 0,    W: inverse masses,  J: gradient of C

It adds them to Particles.force as λ/h, so that the integration, and the contacts which are solved
next, see joints as any other force. While discs bounce in the same substep, the contact stage asks
it how joints pass on an impulse (`respond`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats, Integers
from ecs_softbody.components import Attachment, DistanceLimits, Motor, MouseJoint, Particles
from ecs_softbody.elementary.rows import length
from ecs_softbody.indices import bincount, flatnonzero
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.kernels.joints.arrays import PUSHING_CONTACT, SUPPORT, BodySpans, JointMotion
from ecs_softbody.kernels.joints.bends import prepare_bends
from ecs_softbody.kernels.joints.contacts import Touching, find_supports
from ecs_softbody.kernels.joints.motor import Discs, Motors, drive_motors
from ecs_softbody.kernels.joints.responses import (
    Answers,
    Jointed,
    Struck,
    add_impacts,
    find_responses,
)
from ecs_softbody.kernels.joints.rows import (
    find_reactions,
    predict_particles,
    prepare_rows,
    push_forces,
    soften_rows,
)
from ecs_softbody.kernels.joints.solve import solve_joints
from ecs_softbody.processors.joints.breaking import JointBreaking
from ecs_softbody.processors.joints.rows import KINDS, NO_BODY, JointRows, are_those_of
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Force, Spawn, StageContext
from ecs_softbody.storage import Column, add_stage_columns
from ecs_softbody.storage.resource import Part, Version
from ecs_softbody.storage.saved import Saved

add_stage_columns(
    Particles,
    "JointProcessor",
    jointed=Column(dtype=np.bool_, doc="whether a joint acts on it"),
    turning=Column(
        2, dtype=np.float64, unit="m/s", doc="half of what turning joints change its velocity by"
    ),
)

SLOW = 1e-9
"""Least approach speed [m/s] assumed for struck particles: estimates of impulses stay above 0."""
CAUTION = 2.0
"""Divides the estimate of an impulse that strikes a disc (`_expected_impulses`), to be on the low
side. A limit that pulls answers an impact only if the impact takes no more of its pull than this
estimate allows. At 1, limits that pull are let go: elastic ropes of six discs and more gain 1 % of
energy, at 2 and 4 nothing. With more, strings carry blows towards their hooks.
"""


class JointProcessor(Force):
    """Adds the forces to Particles.force that satisfy all joints at the end of the substep.

    Runs at Order.JOINTS, after all other forces and before the contacts (Order.COLLISION), which
    call `respond` and `note_impacts`. Motors are driven here as well: they come first. After a
    frame the simulation calls `measure`, then `break_overloaded`.
    """

    resource = "joints"
    saved = (
        Version("version", "That of the packed rows when rows of joints were listed."),
        Part("rows", "Rows of joints, where there are any.", JointRows, optional=True),
    )
    bound = ("_may_be_marked",)
    order = Order.JOINTS
    components = (Attachment, DistanceLimits, MouseJoint, Motor)
    reads = ("CollisionSpace", "FluidOutlines", "Particles")
    writes = (
        "Attachment.impulse",
        "DistanceLimits.impulse",
        "FluidOutlines",
        "Motor.load",
        "Motor.max_torque",
        "Motor.torque",
        "MouseJoint.impulse",
        "Particles.angular_velocity",
        "Particles.force",
        "Particles.jointed",
        "Particles.turning",
    )

    def __init__(self, context: StageContext) -> None:
        buffers = context.buffers
        self._buffers = buffers
        self._space = context.space
        self._outlines = context.outlines
        self._tables = [buffers[kind] for kind in KINDS]
        self.rows: JointRows | None = None
        """All rows of the world; None while there is no joint, or before the first substep."""
        self._may_be_marked = True
        """Whether particles may be marked as jointed, as in a file whose joints have just been
        removed.
        """
        self.version = -1
        """Version of the packed buffers (`PackedBuffers.version`) for which `rows` were checked."""
        # Workspace of the kernels, with room for every packed particle; see JointMotion in
        # kernels/joints/arrays.py. Of particles that no joint holds it has no meaning.
        # (N, 2) velocity by all other forces [m/s]
        self._predicted: Floats = np.zeros((0, 2))
        # (N, 2) velocity with the joints [m/s]
        self._velocity: Floats = np.zeros((0, 2))
        # (N, 2) impulse of the joints [N·s]
        self._impulse: Floats = np.zeros((0, 2))
        # (N,) the contact that presses on the particle, see `_find_supports`
        self._support = np.zeros(0, SUPPORT)
        # (N,) scratch of `find_supports`
        self._in_use: NDArray[np.bool_] = np.zeros(0, np.bool_)
        # Pairs of discs that may strike each other in this substep, one entry per call of `respond`
        self._struck: list[Struck] = []
        # Largest approach speed of these pairs so far [m/s]
        self._fastest = SLOW
        # Group of each particle, and rows just woken, as of the last `respond`
        self._jointed: Jointed
        # (N,) FREE, SLIDES or STICKS on its support (kernels/joints/contacts.py)
        self._contact_state: NDArray[np.int8] = np.zeros(0, np.int8)
        self._breaking = JointBreaking(buffers)
        self._motors = buffers[Motor]
        self._gravity = context.gravity

    def load(self, saved: Saved) -> None:
        """Load the rows of joints, if they still match the world."""
        self.saved[0].load(self, saved)
        if saved.has("rows") and are_those_of(saved.part("rows"), self._buffers):
            self.rows = JointRows(self._buffers, saved.part("rows"))
            self.rows.load(saved.part("rows"))

    @property
    def is_empty(self) -> bool:
        """Whether there is no joint that holds; motors drive but hold nothing."""
        attachments, limits, mice = self._tables
        return not (attachments.bound or limits.bound or mice.bound)

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """Limits on a chain, and all joints of two bodies."""
        first = spawn(
            Particles([(5.0, 5.0), (6.0, 5.0), (6.0, 6.0)]),
            DistanceLimits([(0, 1), (1, 2)], minimum=0.5),
        )
        second = spawn(Particles([(6.5, 5.0), (7.0, 5.0), (7.0, 6.0)]))
        spawn(
            Attachment((first, second)),
            Motor((first, second), speed=1.0),
            MouseJoint(first, target=(5.0, 5.0)),
        )

    def process(self, dt: float) -> None:
        """Add the forces of motors, then the forces of all joints."""
        # Motors come before joints, which hold against the drive. They use velocities only: joints
        # and contacts hold most of their work, and two brakes that took forces for a motion wound
        # up against each other.
        if self._motors.bound:
            self._drive(dt)
        if self.is_empty:
            self.rest()
            return
        rows = self._current_rows()
        if rows.count:
            # First the rows of sleeping bodies are left out, then limits and targets are read that
            # a game may have written, then all groups are solved and pushed; at last the impulses
            # are summed over the frame, for `force` and for breaking.
            self._follow_activity(rows)
            self._read(rows)
            self._solve(rows, dt)
            self._remember(rows, rows.impulse)

    def rest(self) -> None:
        """Forget the rows of joints that are gone."""
        self.rows = None
        if self._may_be_marked:
            self._mark(np.zeros(0, np.int64))

    def _mark(self, jointed: NDArray[np.int64]) -> None:
        """Mark the rows of jointed particles."""
        column = self._buffers[Particles].rows["jointed"]
        column[:] = False
        column[jointed] = True
        self._may_be_marked = len(jointed) > 0

    def rehearse(self, dt: float) -> None:
        """Solve joints that have carried a load in the substep before, and answer for an impact."""
        self.process(dt)
        if self.hold_any and self._space.searches:
            self.respond()
            self.note_impacts()

    def _drive(self, dt: float) -> None:
        """Add the torques of all motors, as forces on the particles of both of their bodies."""
        table = self._buffers[Particles]
        motors = self._motors
        particles = table.rows
        values = motors.values
        # Both bodies of each motor, by slot of Particles: it turns the second one against the
        # first. A motor with one body turns it against the world, which stands first.
        bodies = np.full((values.count, 2), NO_BODY, np.int64)
        for slot in flatnonzero(values["last"] > values["first"]):  # others are free
            rows = slice(values["first"][slot], values["last"][slot])
            of_owners = particles["body"][motors.rows["packed_rows"][rows]]
            if len(of_owners):  # else the slot is free
                bodies[slot, -len(of_owners) :] = of_owners
        # How many motors drive each body: each of them corrects its part of the body's error.
        driven = bodies[motors.active_slots].ravel()
        count = bincount(driven[driven != NO_BODY], minlength=table.values.count)
        spans = table.values.group(BodySpans)
        driving = values.group(Motors)
        motion = particles.group(Motion)
        rest_offset = particles["rest_offset"]
        drag_share = particles["drag_share"]
        strength = length(self._gravity)
        active = motors.active_slots
        discs = self._discs()
        drive_motors(
            active,
            bodies,
            count,
            spans,
            motion,
            rest_offset,
            discs,
            drag_share,
            driving,
            strength,
            dt,
        )

    def _discs(self) -> Discs:
        """Return spin [rad/s], radius and surface yield of all particles, for motors that turn
        discs; with yields of 0, so that no disc spins, if contacts have not been searched since
        rows moved.
        """
        spin = self._buffers[Particles].rows["angular_velocity"]
        proxies = self._space.proxies
        if self._space.is_up_to_date(self._buffers.version):
            return Discs(spin, proxies.radius, proxies.surface_yield)
        return Discs(spin, spin, np.zeros(len(spin)))

    def _current_rows(self) -> JointRows:
        """Return the rows, rebuilt if any of their inputs has changed."""
        restructured = self.version != self._buffers.version
        if self.rows is None or not self.rows.is_current(self._buffers, restructured=restructured):
            self.rows = JointRows(self._buffers)
            self._mark(self.rows.used)
        self.version = self._buffers.version
        return self.rows

    def _follow_activity(self, rows: JointRows) -> None:
        """Deactivate the joints of bodies that are asleep or frozen."""
        active = [table.active_slots for table in self._tables]
        # Lists of active slots are replaced and never written to: identity tells whether any
        # changed.
        if len(active) == len(rows.seen_active) and all(
            now is seen for now, seen in zip(active, rows.seen_active, strict=True)
        ):
            return
        rows.seen_active = active
        for number, slots in enumerate(active):
            of_kind = rows.component == number
            rows.active[of_kind] = np.isin(rows.slot[of_kind], slots)

    def _read(self, rows: JointRows) -> None:
        """Read values that a game may have written: the places where attachments to the world and
        mouse joints are held, and the longest and shortest lengths of limits.
        """
        held = rows.of(Attachment)
        limits = rows.of(DistanceLimits)
        if len(held):
            attachments = self._buffers[Attachment].values
            source = rows.source[held]
            rows.goal[held] = np.where(
                attachments["to_world"][source, None], attachments["at"][source], 0.0
            )
        if len(pulled := rows.of(MouseJoint)):
            rows.goal[pulled] = self._buffers[MouseJoint].values["target"][rows.source[pulled]]
        if len(limits):
            lengths = self._buffers[DistanceLimits].rows
            source = rows.source[limits]
            rows.upper[limits] = lengths["maximum"][source]
            rows.lower[limits] = np.minimum(lengths["minimum"][source], rows.upper[limits])

    def _solve(self, rows: JointRows, dt: float) -> None:
        """Find the impulses of all rows, and add them to the forces of their particles."""
        table = self._buffers[Particles]
        particles = table.rows
        spans = table.values.group(BodySpans)
        columns = rows.columns
        if len(self._predicted) < particles.count:
            self._predicted, self._velocity, self._impulse = np.zeros((3, particles.capacity, 2))
            self._support = np.zeros(particles.capacity, SUPPORT)
            self._contact_state = np.zeros(particles.capacity, np.int8)
            self._in_use = np.zeros(particles.capacity, np.bool_)
        # A support is a contact of a particle that pushed in the last substep, or may push in this
        # one. Contacts are solved after joints and could not hold 10 kg through particles of 10 g.
        # So while joints are solved, a supported particle can only slide along its contact, or
        # sticks to it.
        self._find_supports(rows, dt)
        before = particles.group(Motion)
        motion = self._motion()
        predict_particles(rows.used, self._predicted, before, dt)
        rows.alive[:] = rows.active
        prepare_rows(columns, motion)
        # A bend is the particle where two limits meet; a damper there resists their turning against
        # each other. Directions are those of the start of the substep, which makes taut chains
        # unstable where h² T / (m l) > 1 (tension T, mass m and length l of a link): at 294 N on
        # 10 g and 10 cm a chain exploded within 66 frames.
        prepare_bends(rows.bend, rows.chain, columns, motion, dt)
        if len(pulled := rows.of(MouseJoint)):
            mice = self._buffers[MouseJoint].values
            source = rows.source[pulled]
            softness = mice["frequency"][source], mice["damping_ratio"][source]
            soften_rows(pulled, columns, spans, before.inverse_mass, *softness, dt)
            rows.max_impulse[pulled] = mice["max_force"][source] * dt
        # Centre and inertia of the bodies of each attachment: for the rotation that gives back the
        # torque of anchors that are apart.
        find_reactions(columns, spans, motion)
        # The impulses λ of all groups, by Newton steps.
        solve_joints(columns, rows.groups, rows.matrix, motion, dt)
        # λ/h into Particles.force.
        push_forces(columns, spans, motion, before, dt)
        # Fluids must know which particles something other than a fluid has pushed.
        self._outlines.note_pushed(rows.used)

    def _motion(self) -> JointMotion:
        """Return the particles as they are now, and the workspace.

        Where drag takes a share of each velocity change, an impulse moves a particle less: the
        inverse mass is smaller by that share.
        """
        particles = self._buffers[Particles].rows
        moved = particles["inverse_mass"]
        if self._space.proxies.is_dragged:
            moved = moved * (1.0 - particles["drag_share"])
        return JointMotion(
            particles["body"],
            particles["position"],
            moved,
            self._predicted,
            self._velocity,
            self._impulse,
            self._support,
            self._contact_state,
            particles["turning"],
        )

    @property
    def hold_any(self) -> bool:
        """Whether there are joints that `respond` can answer for."""
        return self.rows is not None and self.rows.count > 0 and not self.is_empty

    def respond(self) -> None:
        """Tell the reflection how joints pass on the impulses of the contacts for
        which it waits.

        The reflection (collision/reflection) lets discs bounce off each other. Where one of them
        hangs on joints, an impulse on it also moves the particles that these joints hold. The
        answer for each pair is the list of these particles, with their shares of a unit of impulse.
        """
        solver = self._space.solver
        rows = self.rows
        motion = self._motion()
        assert rows is not None
        particles, normal = solver.list_struck()
        self._follow_activity(rows)  # bodies that were run into have been woken since
        # Rows that had no part when the joints were solved, since their bodies slept.
        awake = rows.active & ~rows.alive
        if awake.any():
            rows.alive[awake] = True
            rows.impulse[awake] = 0.0
            prepare_rows(rows.columns, motion)
            awake &= rows.alive
        group = rows.group_of(len(self._predicted))
        self._jointed = Jointed(group, awake, *np.zeros((2, rows.count), np.bool_))
        self._struck.append(Struck(particles, normal, self._expected_impulses(particles, normal)))
        # `list_struck` has just added these pairs to the known ones: the answers to them start
        # behind those to earlier pairs. `find_responses` returns how many entries it needs; where
        # the arrays are too short it is called again with longer ones.
        known = int(solver.responses_with(0).known[0]) - len(particles)
        count = 0
        while True:
            found = solver.responses_with(count)
            answers = Answers(found.first[known:], found.particle, found.share)
            arguments = rows.columns, rows.groups, rows.matrix, motion, self._jointed, answers
            count = find_responses(self._struck[-1], *arguments)
            if count <= len(found.particle):
                return

    def _expected_impulses(self, struck: Integers, normal: Floats) -> Floats:
        """Return a lower estimate of the impulses (K,) [N·s] that will strike K pairs of discs.

        It is 1/CAUTION of the impulse that stops two free discs, v / (w_a + w_b) with the inverse
        masses w. A disc that passes a blow on is at rest itself, so v is the highest approach speed
        of any pair in this substep.
        """
        particles = self._buffers[Particles].rows
        is_row = struck >= 0
        velocity = np.where(is_row[..., None], particles["velocity"][struck], 0.0)
        closing = ((velocity[:, 1] - velocity[:, 0]) * normal).sum(axis=1)
        mobility = np.where(is_row, particles["inverse_mass"][struck], 0.0).sum(axis=1)
        self._fastest = max(self._fastest, float(closing.max(initial=0.0)))
        expected: Floats = self._fastest / (CAUTION * mobility)
        return expected

    def note_impacts(self) -> None:
        """After a reflection: find which impulses the joints took when discs bounced, and add them
        to the sums of the frame. They count for the mean `force` of a joint, and for breaking.
        """
        if self._struck and self.rows is not None:
            rows = self.rows
            taken = np.zeros(self.rows.count)
            every = Struck(*(np.concatenate(arrays) for arrays in zip(*self._struck, strict=True)))
            impulses = self._space.solver.struck_impulses
            add_impacts(
                every,
                impulses,
                rows.columns,
                rows.groups,
                rows.matrix,
                self._motion(),
                self._jointed,
                taken,
            )
            self._remember(rows, taken)
        self._struck.clear()
        self._fastest = SLOW

    def _find_supports(self, rows: JointRows, dt: float) -> None:
        """Find the contacts that press on particles of joints: write the strongest ones of each
        particle, as one contact, to `_support`.

        Contacts count packed rows: none is known after rows have moved, until the next search.
        """
        space = self._space
        contacts = self._space.contacts
        particles = self._buffers[Particles].rows
        is_known = space.is_up_to_date(self._buffers.version) and not space.is_empty
        count = contacts.count if is_known else 0
        read = np.empty(count, PUSHING_CONTACT)
        records = contacts.records[:count]
        for name in PUSHING_CONTACT.names or ():
            read[name] = records[name]
        if count and len(reflecting := space.solver.reflecting) == count:
            read["active"][reflecting] = False  # see collision/reflection/responses.py
        touching = Touching(
            space.proxies.offset,
            particles["body"],
            space.proxies.inverse_mass,
            particles["velocity"],
            space.walls.vertex_velocity,
            space.separation_ahead,
            self._in_use,
            rows.group_of(len(self._in_use)),
            space.proxies.radius,
            space.proxies.surface_yield,
            particles["angular_velocity"],
        )
        find_supports(contacts.rows[:count], read, touching, rows.used, self._support, dt)

    def _remember(self, rows: JointRows, impulse: Floats) -> None:
        """Add the impulses (R,) [N·s] of this substep to the sums of the frame.

        An impulse below 0 pulls the ends of a limit together; the sum of a limit has the opposite
        sign, so that tension is positive.
        """
        if len(limits := rows.of(DistanceLimits)):
            self._buffers[DistanceLimits].rows["impulse"][rows.source[limits]] -= impulse[limits]
        for kind in (Attachment, MouseJoint):
            if len(held := rows.of(kind)):
                self._buffers[kind].values["impulse"][rows.source[held], rows.axis[held]] += (
                    impulse[held]
                )

    def measure(self, dt: float) -> None:
        """After the last substep of a frame of dt seconds: write the mean forces of all joints."""
        if not self.is_empty:
            self._breaking.measure(dt)

    def break_overloaded(self) -> None:
        """At the end of a frame: remove overloaded joints, and report them."""
        if self.rows is not None and self.rows.count and not self.is_empty:
            self._breaking.break_overloaded(self.rows)
