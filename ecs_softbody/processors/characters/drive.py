"""CharacterForceProcessor: the forces that drive characters, and the opposite forces on their
ground.

At the start of a frame it decides for each character how it may move in this frame: a direction t
to run along, a target speed over its supports, limits of acceleration, a wanted rotation and a
squeeze. These are the columns below. In each substep the kernel turns them into forces
(kernels/motion/character.py has the formulas). Supports are the bodies below; walls take no force.
All strengths are accelerations, which act on every particle alike.
"""

from __future__ import annotations

import math

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.components import Character, Particles, StaticCollider
from ecs_softbody.elementary.angles import atan2, cos, sin
from ecs_softbody.elementary.rows import length
from ecs_softbody.elementary.sums import dot
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.kernels.motion.character import Drives, Supports, drive_characters
from ecs_softbody.processors.characters.character import CharacterProcessor
from ecs_softbody.processors.characters.footing import Touch, velocity_at
from ecs_softbody.processors.characters.jumps import AFLOAT, Actor, CharacterState
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Stage, StageContext
from ecs_softbody.storage import Value, add_stage_columns

# The drive of a character in a frame; t is `along`, the supports are the ground below.
add_stage_columns(
    Character,
    "CharacterForceProcessor",
    driven=Value(dtype=np.bool_, doc="whether the rest is valid"),
    along=Value(2, dtype=np.float64, doc="direction of running"),
    target=Value(dtype=np.float64, unit="m/s", doc="wanted, along it over the supports"),
    drift=Value(
        2, dtype=np.float64, unit="m/s", doc="of the walls that it stands on by their share"
    ),
    limit=Value(dtype=np.float64, unit="m/s²", doc="largest acceleration along"),
    brake=Value(dtype=np.float64, unit="m/s²", doc="the same against the motion"),
    only=Value(dtype=np.float64, doc="the only sign of the acceleration; 0: both"),
    held=Value(dtype=np.float64, unit="m/s²", doc="gravity along, which is held back"),
    press=Value(2, dtype=np.float64, unit="m/s²", doc="towards a surface that it holds"),
    pull=Value(dtype=np.float64, unit="m/s²", doc="along up, in the air"),
    lift=Value(dtype=np.float64, unit="m/s", doc="it leaves walls below no faster"),
    spin=Value(dtype=np.float64, doc="0: as it is, 1: rolls, 2: turns to an angle"),
    turn=Value(dtype=np.float64, doc="turn over way [1/m], or angle [rad]"),
    rate=Value(dtype=np.float64, unit="rad/s", doc="how fast it turns to that angle"),
    twist=Value(dtype=np.float64, unit="rad/s²", doc="largest angular acceleration"),
    wobble=Value(dtype=np.float64, unit="1/s", doc="damping of wobbles"),
    squeeze=Value(dtype=np.float64, unit="1/s²", doc="of the squash"),
)

WALL_SHARE = 0.15
"""Share of its acceleration with which a character pushes a wall that it runs into."""
HOLD_PRESS = 3.0
"""Acceleration [m/s²] towards a surface that it holds (`stick`), on top of the acceleration that
holds it against gravity.
"""
HOLD_LIFT = 0.1
"""Speed [m/s] at which it leaves a wall that it holds, at most."""
RIGHTING_TIME = 0.3
"""Time in the air [s] from which on a body rights itself to the vertical, not to the slope that it
has left.
"""
UPRIGHT_RATE = 16.0
"""Angular speed [rad/s] at which a body with a mean radius up to `UPRIGHT_REACH` rights itself."""
UPRIGHT_REACH = 0.5
"""Mean radius [m] beyond which bodies right themselves slower, by 1/√radius, since they wobble
slower.
"""
STEEP_TIME = 0.3
"""Time [s] after a touch of a slope that is too steep in which it cannot steer up that slope."""
THROWN = 0.5
"""A change of velocity between two frames by more than this [m/s] throws a character off the
ground.
"""
SQUEEZE_RATE = 6000.0
"""How fast the squeeze, an acceleration per length, grows while the body is not flat enough
[1/s³].
"""
MOST_SQUEEZE = 4000.0
"""Limit [1/s²] of that squeeze: a body that something keeps from getting flat enough gathers no
more of it.
"""


def no_supports() -> Supports:
    """Return the supports of characters that stand on walls, or in the air."""
    none = np.zeros(0, np.int64)
    return Supports(none, none, none, np.zeros(0), np.zeros((0, 2)))


class CharacterForceProcessor(Stage):
    """Adds the drive of characters to Particles.force, and its opposite.

    Runs at Order.CHARACTER_FORCE.
    """

    order = Order.CHARACTER_FORCE
    components = (Character,)
    reads = ("Frame", "Particles")
    writes = ("Character.*", "Particles.force")

    def __init__(self, context: StageContext, characters: CharacterProcessor) -> None:
        self._buffers = context.buffers
        self._frame = context.frame
        self._characters = characters
        self._supports = no_supports()
        """The bodies below all characters, in this frame."""
        self._sums = np.zeros((2, 10))
        """Scratch of the kernel."""

    def process(self, dt: float) -> None:
        """Drive all awake characters; their controls are read at the start of a frame."""
        buffers = self._buffers
        table = self._buffers[Character]
        if buffers.frame_start:
            self._prepare()
        particles = buffers[Particles].rows
        drive_characters(
            table.active_slots, table.values.group(Drives), self._supports, particles.group(Motion),
            particles["rest_offset"], self._sums, dt,
        )  # fmt: skip

    def _prepare(self) -> None:
        """Compute the drive of each character in this frame."""
        self._buffers[Character].values["driven"][:] = False
        # A row of Supports each: slot of the character, first and last particle of the body below,
        # its share of the load, and where it carries.
        rows: list[tuple[int, int, int, float, Floats]] = []
        for actor in self._characters.actors.values():
            state = CharacterState(actor.character)
            character = actor.character
            state.pull = 0.0
            state.press = (0.0, 0.0)
            state.held = 0.0
            state.only = 0.0
            state.lift = math.inf
            state.wobble = character.damping
            state.twist = math.inf
            state.driven = True
            stands = actor.stands
            if stands:
                self._drive_on_ground(actor, state)
            elif character.sticking and character.stick:
                self._hold(actor, state)
            else:
                self._drive_in_air(actor, state)
            self._turn(character, state, stands=stands)
            state.squeeze = self._squeeze(actor, state)
            if stands or state.press.any():
                below = self._stand(
                    actor, state, actor.footing.ground if stands else actor.footing.hold
                )
                if not below and not self._is_thrown(actor, state):
                    state.lift = state.bounce_speed if stands else HOLD_LIFT
                if below:  # it pushes a body no harder than its weight lets it
                    weight = length(state.gravity)
                    state.limit, state.brake = min(state.limit, weight), min(state.brake, weight)
                    state.twist = weight / state.reach
                rows += below
        columns = list(zip(*rows, strict=True)) or [(), (), (), (), ()]
        slots, first, last = (np.array(column, np.int64) for column in columns[:3])
        points = np.array(columns[4], np.float64).reshape(-1, 2)
        self._supports = Supports(slots, first, last, np.array(columns[3], np.float64), points)

    def _drive_on_ground(self, actor: Actor, state: CharacterState) -> None:
        """Set the drive of a character on the ground: run along it, and hold against gravity."""
        character = actor.character
        normal = actor.character.normal
        along = np.array((normal[1], -normal[0]), np.float64)
        state.along = along
        state.target = character.move * character.speed
        state.held = float(dot(state.gravity, along))
        state.limit = character.acceleration if character.move else character.braking
        state.brake = (
            max(character.acceleration, character.braking) if character.move else character.braking
        )
        if self._leans(actor, along):
            state.limit = WALL_SHARE * character.acceleration

    def _is_thrown(self, actor: Actor, state: CharacterState) -> bool:
        """Return whether a game, or an explosion, has thrown it up since the last frame."""
        return float(dot(actor.velocity() - state.last_velocity, actor.character.normal)) > THROWN

    def _leans(self, actor: Actor, along: Floats) -> bool:
        """Return whether it runs into a StaticCollider, not into a body."""
        sides = actor.footing.sides
        if not len(sides.entity):
            return False
        against = dot(sides.normal, along) * actor.character.move < 0.0
        walls = self._buffers[StaticCollider].bound
        return any(entity in walls for entity in sides.entity[against].tolist())

    def _hold(self, actor: Actor, state: CharacterState) -> None:
        """Set the drive of a character that sticks to a wall: pressed to it, at rest along it."""
        character = actor.character
        normal = actor.character.normal
        state.along = (normal[1], -normal[0])
        state.target = 0.0
        state.limit = state.brake = character.grip
        state.press = -min(
            HOLD_PRESS + max(float(dot(state.gravity, normal)), 0.0), character.grip
        ) * np.array(normal)

    def _drive_in_air(self, actor: Actor, state: CharacterState) -> None:
        """Set the drive of a character in the air: steering, and the extra gravity `pull` that
        shortens a jump that is let go, or quickens a fall.
        """
        character = actor.character
        up = actor.character.up
        move = actor.character.move
        along = np.array((up[1], -up[0]), np.float64)
        state.along = along
        state.target = move * character.speed
        state.drift = character.ground_velocity
        state.only = math.copysign(1.0, move) if move else 0.0
        state.limit = (
            character.air_control * character.acceleration if move else character.air_braking
        )
        # It steers up a slope that is too steep, which it has just touched.
        climbs = actor.since_steep <= STEEP_TIME and move * float(dot(actor.steep, along)) < 0.0
        if climbs:
            state.limit = 0.0
        elif self._leans(actor, along):
            state.limit = min(state.limit, WALL_SHARE * character.acceleration)
        state.brake = (
            character.air_control * character.acceleration if move and not climbs else state.limit
        )
        gravity = length(state.gravity)
        if character.submerged > AFLOAT:
            return
        if state.rising:
            state.pull = (
                0.0
                if state.thrown or character.jump
                else -gravity * (1.0 / character.short_jump - 1.0)
            )
        elif float(dot(actor.velocity(), up)) < 0.0 and not character.sliding:
            state.pull = -gravity * (character.fall_gravity - 1.0)

    def _turn(self, character: Character, state: CharacterState, *, stands: bool) -> None:
        """Set the rotation: upright bodies turn to the normal of the ground, or to the vertical;
        others roll while they touch something, by 1/radius for each metre.
        """
        state.spin = 0.0
        if character.upright > 0.5:
            axis = character.normal if state.since_ground < RIGHTING_TIME else character.up
            state.spin = 2.0
            state.turn = atan2(-axis[0], axis[1])
            state.rate = UPRIGHT_RATE / math.sqrt(max(state.reach, UPRIGHT_REACH) / UPRIGHT_REACH)
        elif stands or state.press.any():
            state.turn = -1.0 / state.reach
            state.spin = 1.0

    def _squeeze(self, actor: Actor, state: CharacterState) -> float:
        """Return the squeeze s [1/s²] that squashes a body by its charge: accelerations -s y along
        the normal and s x along the ground, at the place (x, y) from the centre.

        The integral of the error: it grows while the body is higher than wanted, at SQUEEZE_RATE.
        """
        character = actor.character
        squeeze = float(state.squeeze)
        if not (character.squash and character.grounded) or character.squash_depth == 0.0:
            return 0.0
        mass = actor.free_mass()
        axis = character.normal
        arm = actor.body.position - actor.body.center
        rest = np.array(actor.body.rest_offset)
        angle = actor.body.pose().angle
        turned = dot(
            rest, np.array([[cos(angle), sin(angle)], [-sin(angle), cos(angle)]], np.float64)
        )
        turned -= dot(mass, turned) / max(float(mass.sum()), 1e-300)
        # Height now over height of the turned rest shape, as root mean squares along the normal.
        flat = math.sqrt(
            float(dot(mass, dot(arm, axis) ** 2))
            / max(float(dot(mass, dot(turned, axis) ** 2)), 1e-300)
        )
        wanted = 1.0 - character.squash_depth * character.charge
        step = SQUEEZE_RATE * (flat - wanted) * self._frame.dt
        return float(min(max(squeeze + step, 0.0), MOST_SQUEEZE))

    def _stand(
        self, actor: Actor, state: CharacterState, touch: Touch
    ) -> list[tuple[int, int, int, float, Floats]]:
        """Write the mean velocity that walls below give the character (`drift`); return the bodies
        below as rows of Supports. Each counts by its share of the load.
        """
        velocity = velocity_at(self._buffers, touch)
        bodies = self._buffers[Particles].bound
        entities = touch.entity
        is_wall = np.array([entity not in bodies for entity in entities.tolist()], np.bool_)
        if is_wall.all() and not np.count_nonzero(velocity):
            state.drift = 0.0
            return []
        share = touch.weight / touch.weight.sum()
        rows = []
        state.drift = dot(share * is_wall, velocity)
        for entity in dict.fromkeys(touch.entity[~is_wall].tolist()):
            there = touch.entity == entity
            body = bodies[entity]
            point = dot(share[there], touch.point[there]) / share[there].sum()
            rows.append(
                (state.slot, body.row_start, body.row_stop, float(share[there].sum()), point)
            )
        return rows
