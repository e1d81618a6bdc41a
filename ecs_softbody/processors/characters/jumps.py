"""Jumps: when a character may jump, its speed, and the reaction on the ground.

For CharacterProcessor. Also declares the values that the stages of characters keep for each of
them, and `Actor`, a character with its body and its footing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.components import Character, Collider, Particles, StaticCollider
from ecs_softbody.elementary.rows import length
from ecs_softbody.elementary.sums import dot
from ecs_softbody.processors.characters.footing import (
    NO_FOOTING,
    NO_TOUCH,
    TOUCH,
    Footing,
    Touch,
    mean_velocity,
)
from ecs_softbody.storage import PackedBuffers, Value, add_stage_columns
from ecs_softbody.storage.resource import Array, Flag, Number, Part, Resource
from ecs_softbody.storage.saved import Saved

add_stage_columns(
    Character,
    "CharacterProcessor",
    started=Value(dtype=np.bool_, doc="whether the rest has been set"),
    was_jump=Value(dtype=np.bool_, doc="`jump` of the frame before"),
    since_press=Value(dtype=np.float64, unit="s", doc="time since `jump` went down"),
    since_ground=Value(
        dtype=np.float64, unit="s", doc="time since the ground was left without a jump"
    ),
    leaving=Value(
        dtype=np.bool_, doc="whether it has jumped and does not come down yet: no contact is ground"
    ),
    rising=Value(dtype=np.bool_, doc="whether a jump is on its way up"),
    thrown=Value(
        dtype=np.bool_, doc="whether that was a launch, which letting go does not shorten"
    ),
    gravity=Value(2, dtype=np.float64, unit="m/s²", doc="at the body"),
    last_velocity=Value(2, dtype=np.float64, unit="m/s", doc="at the end of the frame before"),
    reach=Value(dtype=np.float64, unit="m", doc="mean radius of the body"),
    landing=Value(dtype=np.float64, unit="s", doc="time since it came down on the ground"),
    bounce_speed=Value(dtype=np.float64, unit="m/s", doc="at which it may leave the ground again"),
)

AFLOAT = 0.05
"""A character with more than this share of its area under water swims."""
GRACE_TIME = 0.08
"""How long [s] ground, a wall or a hold counts after the last touch: a wobble may lift a body off
for a moment.
"""
STROKE_TIME = 0.25
"""Time from one stroke to the next [s]."""
CEILING = -0.3
"""Cosine between up and the normal below which a surface is a ceiling: a jump there only lets go of
it, without a speed upwards.
"""
STUCK_SHARE = 0.5
"""A jump from a surface that a character sticks to leads away from it at this share of the speed of
the jump, or at its `wall_jump`, if that is more.
"""
LET_GO = 1.0
"""Speed [m/s] at which a jump leaves a ceiling."""
ROUNDING = 1e-9
"""Tolerance [s] of times that are sums of frames: a press at exactly `buffer_time`, or ground at
exactly `coyote_time`, still counts.
"""


class CharacterState:
    """Reads and writes the values of a character in the packed table as attributes: its own ones,
    and those declared above and in drive.py; `slot` is its slot.
    """

    arrays: dict[str, NDArray[Any]]
    slot: int

    def __init__(self, character: Character) -> None:
        self.__dict__["arrays"] = character.value_arrays
        self.__dict__["slot"] = character.slot

    def __getattr__(self, name: str) -> Any:
        array = self.arrays[name]
        return array.item(self.slot) if array.ndim == 1 else array[self.slot]

    def __setattr__(self, name: str, value: Any) -> None:
        self.arrays[name][self.slot] = value


@dataclass
class Actor(Resource):
    """A character and its footing, while they are packed."""

    entity: int
    character: Character
    body: Particles
    collider: Collider
    footing: Footing = NO_FOOTING
    """The contacts of its body; parts of it stay for GRACE_TIME after the last touch."""
    stands: bool = False
    """Whether it is on the ground, or was a moment ago."""
    since_side: float = 0.0
    """Time since it touched a wall [s]."""
    since_hold: float = 0.0
    """Time since it touched something to hold on to [s]."""
    since_steep: float = math.inf
    """Time since it slid on a slope that is too steep to stand on [s]."""
    steep: Floats = field(default_factory=lambda: np.zeros(2))
    """Normal of the slope that it slid on last."""

    saved = (
        Part("footing.ground", "What it stands on.", Touch, TOUCH),
        Part("footing.sides", "Walls beside it.", Touch, TOUCH),
        Part("footing.hold", "What it can hold on to.", Touch, TOUCH),
        Flag("footing.walkable", "Whether the ground is flat enough to walk on."),
        Flag("stands", "Whether it is on the ground, or was a moment ago."),
        Number("since_side", "Since it touched a wall.", least=0.0, unit="s"),
        Number("since_hold", "Since it could hold on.", least=0.0, unit="s"),
        Number("since_steep", "Since it slid on a slope.", least=0.0, infinite=True, unit="s"),
        Array("steep", (2,), "Normal of the slope that it slid on last."),
    )

    def load(self, saved: Saved) -> None:
        """Load the state from a file."""
        super().load(saved)
        for touch in (self.footing.ground, self.footing.sides, self.footing.hold):
            Touch.fixed(*touch)

    def remember(self, footing: Footing, dt: float) -> None:
        """Take a new footing; walls that a wobble has left for a moment stay."""
        self.since_side = 0.0 if len(footing.sides.entity) else self.since_side + dt
        self.since_hold = 0.0 if len(footing.hold.entity) else self.since_hold + dt
        if 0.0 < self.since_side <= GRACE_TIME:
            footing = footing._replace(sides=self.footing.sides)
        if 0.0 < self.since_hold <= GRACE_TIME:
            footing = footing._replace(hold=self.footing.hold)
        self.since_steep += dt
        if not footing.walkable and len(footing.ground.entity):
            self.steep = footing.ground.mean_normal()
            self.since_steep = 0.0
        self.footing = footing

    def free_mass(self) -> Floats:
        """Return the masses (N,) that can be pushed, 0 for others [kg]."""
        body = self.body
        mass = self.body.mass
        if (
            np.count_nonzero(body.pinned)
            or np.count_nonzero(body.kinematic)
            or not math.isfinite(np.add.reduce(mass))
        ):
            mass = np.where(body.free, mass, 0.0)
        return mass

    def velocity(self) -> Floats:
        """Return the velocity of the centre of mass [m/s]."""
        mass = self.free_mass()
        velocity: Floats = dot(mass, self.body.velocity) / max(float(mass.sum()), 1e-300)
        return velocity


def may_jump(character: Character, state: CharacterState) -> str:
    """Return the kind of jump that is possible now: "ground", "hold", "wall" or "water"; "" for
    none.
    """
    if state.since_press > character.buffer_time + ROUNDING or character.jump_height == 0.0:
        return ""
    if state.since_ground <= character.coyote_time + ROUNDING:
        return "ground"
    if character.sticking:
        return "hold"
    if character.on_wall and character.wall_jump > 0.0 and not state.leaving:
        return "wall"
    if (
        character.submerged > AFLOAT
        and character.swim > 0.0
        and character.since_jump >= STROKE_TIME
    ):
        return "water"
    return ""


def jump_speed(character: Character, state: CharacterState, dt: float, kind: str) -> float:
    """Return the speed [m/s] that lifts the centre of mass by the wanted height, in substeps of dt.

    √(2 g height) + g dt/2: symplectic Euler takes g dt from the speed before the first move, half
    of which the exact motion would have lost.
    """
    gravity = length(state.gravity)
    height = character.jump_height + character.charge * character.charge_height
    speed = math.sqrt(2.0 * gravity * height) + 0.5 * gravity * dt
    return speed * character.swim if kind == "water" else speed


def throw(buffers: PackedBuffers, actor: Actor, speed: float, kind: str) -> None:
    """Give a body its jump velocity; its footing takes the opposite momentum.

    speed: upwards, relative to the footing [m/s]. kind: "ground", "hold", "wall" or "water", as
    `may_jump` returns it, or "launch". The velocity changes as a whole, plus a stretch: the top
    leads, and the sides move in.
    """
    character = actor.character
    up = np.array(actor.character.up)
    velocity = actor.velocity()
    footing = actor.footing
    touch = {"ground": footing.ground, "hold": footing.hold, "wall": footing.sides}.get(
        kind, NO_TOUCH
    )
    if kind == "launch" and character.grounded:
        touch = footing.ground
    base = (
        np.array(character.ground_velocity) if kind == "ground" else mean_velocity(buffers, touch)
    )
    rise = float(dot(base, up))
    if not all(entity in buffers[StaticCollider].bound for entity in touch.entity.tolist()):
        rise = max(rise, 0.0)  # soft ground gives way under a landing
    change = (speed + rise - float(dot(velocity, up))) * up
    # Besides upwards, jumps from walls lead away from the wall.
    if kind in ("hold", "wall"):
        normal = np.array(character.normal if kind == "hold" else character.wall_normal)
        if dot(normal, up) < CEILING:
            change = np.zeros(2)
            away = LET_GO
        else:
            away = max(character.wall_jump, STUCK_SHARE * speed if kind == "hold" else 0.0)
        change = change + (away - float(dot(velocity - base, normal))) * (
            normal - dot(normal, up) * up
        )
    # The stretch, as velocities (N, 2): without the parts that would move or turn the whole body.
    free = actor.body.free
    _push_ground(buffers, actor, touch, change)
    arm = actor.body.position - actor.body.center
    right = np.array((up[1], -up[0]), np.float64)
    radius = float(CharacterState(character).reach)
    lead = (
        character.stretch
        * speed
        / radius
        * (np.outer(dot(arm, up), up) - np.outer(dot(arm, right), right))
    )
    mass = actor.free_mass()
    lead -= dot(mass, lead) / max(float(mass.sum()), 1e-300)
    inertia = float(dot(mass, (arm**2).sum(axis=1)))
    if inertia > 0.0:
        turning = float(dot(mass, arm[:, 0] * lead[:, 1] - arm[:, 1] * lead[:, 0])) / inertia
        lead -= turning * arm[:, ::-1] * (-1.0, 1.0)
    actor.body.velocity[free] += (change + lead)[free]


def _push_ground(buffers: PackedBuffers, actor: Actor, touch: Touch, change: Floats) -> None:
    """Push the bodies of a touch with the reaction to the velocity change of the character.

    Each takes its share, by load, of the opposite impulse, at the centre of the character: a body
    without fixed particles turns as well, so that angular momentum is kept.
    """
    impulse = float(actor.free_mass().sum()) * change
    total = float(touch.weight.sum())
    center = actor.body.center
    for entity in dict.fromkeys(touch.entity.tolist()):
        body = buffers[Particles].bound.get(entity)
        if not isinstance(body, Particles):
            continue
        free = body.free
        mass = np.where(free, body.mass, 0.0)
        if not free.any():
            continue
        push = -float(touch.weight[touch.entity == entity].sum()) / total * impulse
        middle = dot(mass, body.position) / mass.sum()
        body.velocity[free] += push / mass.sum()
        arm = body.position - middle
        inertia = float(dot(mass, (arm**2).sum(axis=1)))
        if free.all() and inertia > 0.0:
            away = center - middle
            turning = (away[0] * push[1] - away[1] * push[0]) / inertia
            body.velocity[:] += turning * arm[:, ::-1] * (-1.0, 1.0)
