"""CharacterProcessor: reads the controls of characters, lets them jump, and finds their ground.

A frame of a character has three parts. At its start this stage (Order.CHARACTERS) reads the
controls that the game has written (`move`, `jump`, `squash`, `stick`, `launch`) and gives jumping
bodies their speed. In each substep CharacterForceProcessor (drive.py) adds the forces that run,
hold and right them. After the frame `find_footing` sorts the contacts of the body into ground,
walls and surfaces to hold on to (footing.py), and writes the results that the game reads
(`grounded`, `on_wall` and the like); `tell` runs the handlers of `jumped` and `landed`.
"""

from __future__ import annotations

import math

import esper
import numpy as np

from ecs_softbody.components import Character, Collider, Particles
from ecs_softbody.elementary.rows import directions, length
from ecs_softbody.elementary.sums import dot
from ecs_softbody.geometry.polygon import signed_area
from ecs_softbody.processors.characters.footing import (
    NO_FOOTING,
    Footing,
    FootingFinder,
    gravity_at,
    mean_velocity,
)
from ecs_softbody.processors.characters.jumps import (
    GRACE_TIME,
    Actor,
    CharacterState,
    jump_speed,
    may_jump,
    throw,
)
from ecs_softbody.processors.handler_errors import HandlerErrors
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Spawn, Stage, StageContext
from ecs_softbody.storage.resource import Members, Part, Row, Version, Whole
from ecs_softbody.storage.saved import Saved

LANDING_TIME = 0.1
"""A flight of at least this long [s] ends in the event `landed`."""
HOP = 0.05
"""Height of the hop that the ground may give a body after a landing without a bounce, over the
radius of the body.
"""
LEAVING_TIME = 0.15
"""How long [s] after a jump contacts are no ground while they are left behind."""
SLOPE = 0.9986295347545738
"""cos 3 degrees: ground whose normal points further up counts as level, for `on_slope`."""
DISCHARGE_TIME = 0.15
"""How long [s] a full charge lasts after the squash."""
JUMPED = "jumped"
"""Event (entity, speed): a character has left the ground at a speed [m/s]."""
LANDED = "landed"
"""Event (entity, speed, ground entity): a character has come down at a speed [m/s]."""


class CharacterProcessor(Stage):
    """Reads the controls set by the game at the start of a frame, and lets characters jump.

    Runs at Order.CHARACTERS.

    After a frame, `find_footing` finds the ground of each character, and `tell` runs the handlers
    of `jumped` and `landed`.
    """

    resource = "characters"
    saved = (
        Version("version", "That of the packed rows when characters were last looked for."),
        Members(
            "actors",
            "What characters stand on.",
            Row("", "", Whole("entity"), Part("actor", "", Actor)),
            dict,
        ),
    )
    # A step that raises leaves events that no handler has had yet.
    made = ("_events",)
    order = Order.CHARACTERS
    components = (Character,)
    reads = ("Collider", "CollisionSpace")
    writes = ("Character.*", "Collider.smooth")

    def __init__(self, context: StageContext) -> None:
        self._context = context
        self._buffers = context.buffers
        self._finder = FootingFinder(context.buffers, context.space)
        self.version = -1
        """Version of the packed buffers when characters were last looked for."""
        self.actors: dict[int, Actor] = {}
        """The characters by entity."""
        self._events: list[tuple[str, tuple[int | float, ...]]] = []
        """Waiting events: name, and the arguments of its handlers."""

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """A character on a body."""
        spawn(
            Particles([(0.0, 7.0), (1.0, 7.0), (1.0, 8.0)], radius=0.1),
            Collider(outline=range(3)),
            Character(),
        )

    def load(self, saved: Saved) -> None:
        """Load the footing of characters; only for characters present in both the file and the
        world.
        """
        self.saved[0].load(self, saved)
        values = self._buffers[Character].values
        if not (values["reach"][values["started"]] > 0.0).all():
            saved.fail("reach", "the radius of a character", "a number above 0")
        bodies = self._buffers.components(Particles)
        colliders = self._buffers.components(Collider)
        characters = self._buffers.components(Character)
        for pair in saved.lists("actors", 2):
            entity = pair.whole(0)
            if entity in characters and entity in bodies and entity in colliders:
                self.actors[entity] = Actor(
                    entity, characters[entity], bodies[entity], colliders[entity]
                )
                self.actors[entity].load(pair.part(1))

    def rest(self) -> None:
        """Give all bodies their friction back."""
        self.actors = {}
        self._buffers[Collider].values["smooth"][:] = False

    def process(self, dt: float) -> None:
        """At the start of a frame: read the controls, and jump."""
        if not self._buffers.frame_start:
            return
        if self.version != self._buffers.version:
            self.version = self._buffers.version
            self._follow()
        frame = self._context.frame
        for actor in self.actors.values():
            self._read(actor, frame.dt)
            self._jump(actor, dt)
            self._charge(actor.character, frame.dt)

    def _follow(self) -> None:
        """Find the characters, after anything came or went; they have no friction."""
        bodies = self._buffers.components(Particles)
        colliders = self._buffers.components(Collider)
        before = self.actors
        self.actors = {}
        smooth = self._buffers[Collider].values["smooth"]
        smooth[:] = False
        for entity, character in sorted(self._buffers.components(Character).items()):
            if entity in bodies and entity in colliders:
                old = before.get(entity)
                footing = old.footing if old is not None else NO_FOOTING
                self.actors[entity] = Actor(
                    entity, character, bodies[entity], colliders[entity], footing
                )
                smooth[colliders[entity].slot] = True

    def _read(self, actor: Actor, dt: float) -> None:
        """Find which way is up, whether `jump` was pressed since the last frame, and which way it
        faces; begin the state of a new character.
        """
        character = actor.character
        state = CharacterState(actor.character)
        if not state.started:
            state.started = True
            state.since_press = state.since_ground = state.landing = character.value_arrays[
                "since_jump"
            ][state.slot] = math.inf
            state.reach = _radius_of(actor.body)
            character.value_arrays["up"][state.slot] = (0.0, 1.0)
            character.value_arrays["facing"][state.slot] = 1.0
        gravity = gravity_at(self._buffers, self._context.gravity, actor.body, actor.entity)
        state.gravity = gravity
        if gravity.any():
            character.value_arrays["up"][state.slot] = -gravity / length(gravity)
        pressed = character.jump and not state.was_jump
        state.was_jump = character.jump
        state.since_press = 0.0 if pressed else state.since_press + dt
        if character.move:
            character.value_arrays["facing"][state.slot] = math.copysign(1.0, character.move)

    def _charge(self, character: Character, dt: float) -> None:
        """Raise the charge, 0 to 1, while the character squashes on the ground, else lower it."""
        charge = character.charge
        if character.squash:
            charge += dt / character.charge_time if character.grounded else 0.0
        else:
            charge -= dt / DISCHARGE_TIME
        character.value_arrays["charge"][character.slot] = min(max(charge, 0.0), 1.0)

    def _jump(self, actor: Actor, dt: float) -> None:
        """Leave the ground, a wall or the water, if that is wanted and possible."""
        character = actor.character
        state = CharacterState(actor.character)
        kind = "launch" if character.launch > 0.0 else may_jump(character, state)
        if not kind:
            return
        speed = character.launch if kind == "launch" else jump_speed(character, state, dt, kind)
        state.thrown = kind == "launch"
        character.launch = 0.0
        throw(self._buffers, actor, speed, kind)
        state.since_press = state.since_ground = state.landing = math.inf
        state.leaving = state.rising = True
        values = character.value_arrays
        slot = state.slot
        values["since_jump"][slot] = values["charge"][slot] = 0.0
        values["grounded"][slot] = values["sticking"][slot] = actor.stands = False
        self._events.append((JUMPED, (actor.entity, speed)))

    def find_footing(self, dt: float) -> None:
        """After a frame of dt seconds: find the footing of awake characters."""
        space = self._context.space
        asleep = self._context.space.activity.asleep
        # Contacts count rows: after rows have moved, footing waits for the next search.
        if self.version != self._buffers.version or not space.is_up_to_date(self._buffers.version):
            return
        awake = [actor for actor in self.actors.values() if not asleep[actor.body.slot]]
        if not awake:
            return
        up = np.array([actor.character.up for actor in awake], np.float64)
        slots = np.array([actor.collider.slot for actor in awake], np.int64)
        found = self._finder.find(slots, up, [actor.character.slope_limit for actor in awake])
        for actor, footing in zip(awake, found, strict=True):
            self._observe(actor, footing, dt)

    def _observe(self, actor: Actor, footing: Footing, dt: float) -> None:
        """Write the results of a frame of dt seconds that the game reads, given the new footing."""
        character = actor.character
        state = CharacterState(actor.character)
        values = character.value_arrays
        slot = state.slot
        values["since_jump"][slot] += dt
        state.landing += dt
        before = actor.footing.ground
        actor.remember(footing, dt)
        footing = actor.footing
        velocity = actor.velocity()
        # All speeds count relative to the ground, which may move.
        reference = mean_velocity(self._buffers, footing.ground)
        grounded = footing.walkable
        if state.leaving:
            # Contacts with the surface that it jumps off last for some frames: they are no ground.
            state.leaving = character.since_jump < LEAVING_TIME and bool(
                dot(velocity - reference, character.up) > 0.1
            )
            grounded = grounded and not state.leaving
        # `airtime` above 0 tells that it was in the air until now.
        if grounded:
            normal = footing.ground.mean_normal()
            values["normal"][slot] = normal
            values["ground_velocity"][slot] = reference
            if character.airtime > 0.0:
                self._land(
                    actor, state, max(-float(dot(state.last_velocity - reference, normal)), 0.0)
                )
            state.since_ground = 0.0
            state.rising = False
        else:
            state.since_ground += dt
            state.rising = state.rising and bool(
                dot(velocity - character.ground_velocity, character.up) > 0.0
            )
        # The results that the game reads.
        values["airtime"][slot] = 0.0 if grounded else character.airtime + dt
        values["grounded"][slot] = grounded
        values["on_slope"][slot] = grounded and bool(dot(character.normal, character.up) < SLOPE)
        values["sliding"][slot] = (
            not grounded and not state.leaving and len(footing.ground.entity) > 0
        )
        values["on_wall"][slot] = len(footing.sides.entity) > 0
        values["wall_normal"][slot] = footing.sides.mean_normal()
        actor.stands = grounded or state.since_ground <= GRACE_TIME
        sticks = (
            character.stick and not grounded and len(footing.hold.entity) > 0 and not state.leaving
        )
        values["sticking"][slot] = sticks
        if sticks:
            values["normal"][slot] = footing.hold.mean_normal()
        on = footing.ground if grounded else footing.hold
        values["ground_entity"][slot] = (
            int(on.entity[on.weight.argmax()]) if grounded or sticks else 0
        )
        values["submerged"][slot] = _submerged(actor)
        # In the moments after it has left the ground it still stands on the ground of before.
        if actor.stands and not grounded:
            actor.footing = footing._replace(ground=before)
        state.last_velocity = velocity

    def _land(self, actor: Actor, state: CharacterState, speed: float) -> None:
        """Note a landing at a speed [m/s] towards the ground, and how fast the body may leave the
        ground again: the speed of a hop v = √(2 g height), or a share of the landing's speed.
        """
        character = actor.character
        ground = actor.footing.ground
        hop = math.sqrt(2.0 * length(state.gravity) * HOP * state.reach)
        # Hops after a landing come down at the speed of a hop, and are no landings themselves.
        if character.airtime >= LANDING_TIME and speed > 1.2 * hop:
            entity = int(ground.entity[ground.weight.argmax()])
            self._events.append((LANDED, (actor.entity, speed, entity)))
        state.bounce_speed = max(
            max(character.bounce, float(ground.restitution.max())) * speed, hop
        )
        state.landing = 0.0

    def tell(self) -> None:
        """Run the handlers of the events of this frame, except events of deleted entities."""
        if not self._events:
            return
        events = self._events.copy()
        self._events.clear()
        errors = HandlerErrors("jumped and landed")
        world = esper.current_world
        for name, arguments in events:
            if esper.current_world != world:
                esper.switch_world(world)  # a handler has entered another one
            if esper.entity_exists(int(arguments[0])):
                with errors.kept():
                    esper.dispatch_event(name, *arguments)
        errors.raise_first()


def _radius_of(body: Particles) -> float:
    """Return the mean radius of a body, skin included [m]: half of its width, as the mean over 16
    directions of a half turn.
    """
    angle = np.arange(16, dtype=np.float64) * (math.pi / 16.0)
    widths = np.ptp(dot(body.position, directions(angle).T), axis=0)
    return float(0.5 * widths.mean() + body.radius.max()) or 1.0


def _submerged(actor: Actor) -> float:
    """Return the share of a body that is under water."""
    wet = float(actor.collider.submerged_area)
    if wet == 0.0:
        return 0.0
    if actor.collider.row_count:
        area = abs(signed_area(actor.body.position[actor.collider.outline]))
    else:
        area = float(math.pi * (actor.body.radius**2).sum())
    return min(wet / max(area, 1e-300), 1.0)
