"""Hero: a blob of jelly that rolls, jumps, and knows what it stands on."""

from __future__ import annotations

from dataclasses import dataclass, field

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Collider, Contacts, Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.rendering import Look, palette
from ecs_softbody_games.jelly_platformer.motion import Motion, rigid_motion

Floats = NDArray[np.float64]

RADIUS = 0.55  # m
RUN_SPEED = 6.6  # m/s
GROUND_DRIVE = 34.0  # m/s², towards the wanted speed
AIR_DRIVE = 20.0
BRAKE = 22.0
AIR_BRAKE = 5.0
WALL_DRIVE = 4.0  # into a wall: enough to lean on it
SPIN_DRIVE = 14.0  # 1/s: how fast the rolling follows the running
ROLL_OUT = 0.12  # share of the drive that slows down who is too fast and wants to be
RESPONSE = 9.0  # 1/s: below the drive's limit, the wanted speed is reached this fast

JUMP_SPEED = 10.8  # m/s
JUMP_STRETCH = 0.4  # share of the jump's speed by which the top starts faster than the middle, and the sides closer
COYOTE_TIME = 0.1  # s after the ground was left in which a jump still counts
BUFFER_TIME = 0.12  # s before the ground is reached in which a jump counts already
JUMP_LOCK = 0.15  # s after a jump in which contacts do not count as ground
FALL_PULL = 13.0  # m/s², extra gravity when falling
AIR_RESISTANCE = 0.14  # 1/m: no fall is faster than 16 m/s
SHORT_PULL = 26.0  # m/s², extra gravity when rising with the key let go
SETTLE_PULL = 26.0  # m/s², extra gravity when thrown up by nothing but the own bounce

GROUND_NORMAL = 0.5  # contacts whose normal points up more than this are ground
WALL_NORMAL = 0.75
GRIP, SLIP = 0.9, 0.03  # friction on the ground and in the air: a wall does not hold a jumper
INNER_FRICTION = 15.0  # 1/s
LEAP_FRICTION = 6.0  # 1/s, shortly after a jump: the stretch is to be seen
FLATTENING, ROUNDING = 28.0, 200.0  # 1/s, after a landing: flat at once, and round again slowly, without a hop
LANDING_TIME = 0.3  # s
SETTLED = 1.0  # m/s downwards at which a landing turns from becoming flat to becoming round
HARD_LANDING = 3.5  # m/s


@dataclass(slots=True)
class Wish:
    """What the player wants in this frame."""

    run: float = 0.0
    jump: bool = False
    hold: bool = False


@dataclass(slots=True)
class Hero:
    """The jelly's entity, and what a platformer has to remember about it."""

    sim: Simulation
    entity: int
    particles: Particles
    collider: Collider
    motion: Motion
    look: Look
    shape: Floats
    since_ground: float = 9.0
    since_wish: float = 9.0
    since_jump: float = 9.0
    since_landing: float = 9.0
    rising: bool = False
    boosted: bool = False
    wall: float = 0.0
    floating: bool = False
    ground_velocity: Floats = field(default_factory=lambda: np.zeros(2))
    ground_normal: Floats = field(default_factory=lambda: np.array((0.0, 1.0)))
    ground_entities: frozenset[int] = frozenset()
    fall_speed: float = 0.0
    landed: float = 0.0
    jumped: bool = False

    @classmethod
    def spawn(cls, sim: Simulation, position: tuple[float, float]) -> Hero:
        """Make a hero whose middle is at `place` [m]."""
        particles, *rest = blueprints.blob(
            position, RADIUS, particles=26, mass=1.2, pressure=170.0, frequency=60.0, damping_ratio=0.1, friction=GRIP
        )
        motion, look = Motion(inner_friction=INNER_FRICTION), Look(fill=palette.GREEN, style="body", eyes=2)
        shape = particles.position - np.array(position)
        entity = sim.spawn(particles, *rest, motion, look)
        return cls(sim, entity, particles, sim.get(entity, Collider), motion, look, shape)

    @property
    def position(self) -> Floats:
        """Middle of the body [m]."""
        middle: Floats = self.particles.position.mean(axis=0)
        return middle

    @property
    def velocity(self) -> Floats:
        """Velocity of the middle [m/s]."""
        mean: Floats = self.particles.velocity.mean(axis=0)
        return mean

    @property
    def grounded(self) -> bool:
        """Whether the hero stood on something in the last frame."""
        return self.since_ground == 0.0

    def control(self, wish: Wish, dt: float) -> None:
        """Turn the player's wish into a jump and this frame's motion."""
        self.since_wish = 0.0 if wish.jump else self.since_wish + dt
        self.since_jump += dt
        self.since_landing += dt
        self.jumped = False
        if self.since_wish < BUFFER_TIME and self.since_ground <= COYOTE_TIME and self.since_jump > JUMP_LOCK:
            self.launch(JUMP_SPEED)
            self.jumped = True
        velocity = self.velocity
        if velocity[1] <= self.ground_velocity[1] and self.since_jump > JUMP_LOCK:
            self.rising = False
        self.motion.acceleration = (
            self._drive(wish.run, float(velocity[0])),
            self._pull(wish.hold, float(velocity[1])),
        )
        self.motion.inner_friction = self._inner_friction(float(velocity[1]))
        self.collider.friction = GRIP if self.since_ground <= COYOTE_TIME else SLIP

    def launch(self, speed: float, *, boosted: bool = False) -> None:
        """Leave the ground upwards at a speed [m/s], stretched; boosted: as high whether or not a key is held."""
        velocity = self.particles.velocity
        arm = self.particles.position - self.position
        base = max(float(self.ground_velocity[1]), 0.0)
        velocity[:, 1] += speed + base - velocity[:, 1].mean()
        velocity += JUMP_STRETCH * speed / RADIUS * arm * (-1.0, 1.0)
        self.since_wish = self.since_ground = self.since_landing = 9.0
        self.since_jump = 0.0
        self.rising, self.boosted = True, boosted

    def _inner_friction(self, speed: float) -> float:
        if self.since_landing < LANDING_TIME:
            falling = speed < self.ground_velocity[1] - SETTLED
            return FLATTENING if falling else ROUNDING
        return LEAP_FRICTION if self.since_jump < JUMP_LOCK else INNER_FRICTION

    def _drive(self, run: float, speed: float) -> float:
        """Return the acceleration along x [m/s²], and let the body roll as it goes."""
        steady = self.since_ground <= COYOTE_TIME
        ground = float(self.ground_velocity[0]) if steady else 0.0
        lag = ground + run * RUN_SPEED - speed
        if run and lag * run < 0.0:
            lag *= ROLL_OUT if steady else 0.0  # what a slope gives is kept for a while
        limit = (GROUND_DRIVE if run else BRAKE) if steady else (AIR_DRIVE if run else AIR_BRAKE)
        drive = float(np.clip(RESPONSE * lag, -limit, limit))
        if drive * self.wall < 0.0:
            drive = float(np.clip(drive, -WALL_DRIVE, WALL_DRIVE))
        _, drift, turning = rigid_motion(self.particles)
        normal = self.ground_normal
        along = float((drift - self.ground_velocity) @ (normal[1], -normal[0]))
        self.motion.angular_acceleration = SPIN_DRIVE * (-along / RADIUS - turning) if steady and not self.wall else 0.0
        return drive

    def _pull(self, hold: bool, speed: float) -> float:
        """Return the extra acceleration along y [m/s²] that makes jumps light."""
        if self.floating:
            return 0.0
        if self.rising:
            return 0.0 if hold or self.boosted else -SHORT_PULL
        if speed > 0.3 and self.since_ground > 0.0:
            return -SETTLE_PULL
        return 0.0 if self.grounded else -FALL_PULL + AIR_RESISTANCE * min(speed, 0.0) ** 2

    def observe(self, contacts: Contacts, dt: float) -> None:
        """Read after a step what the hero touches; sets `landed` to the speed of a landing in this frame."""
        up = contacts.normal[:, 1] > GROUND_NORMAL
        side = np.abs(contacts.normal[:, 0]) > WALL_NORMAL
        self.ground_entities = frozenset(contacts.entity_b[up].tolist())
        self.landed = 0.0
        if up.any() and self.since_jump > JUMP_LOCK:
            if self.since_ground > COYOTE_TIME:
                self.landed = self.fall_speed
                if self.landed > HARD_LANDING:
                    self.since_landing = 0.0
            self.since_ground = 0.0
            self.rising = False
            normal = contacts.normal[up].mean(axis=0)
            self.ground_normal = normal / np.hypot(*normal)
            self.ground_velocity = self._velocity_of(int(contacts.entity_b[up][0]))
        else:
            self.since_ground += dt
        rigid = [self._is_static(int(entity)) for entity in contacts.entity_b[side]]
        normals = contacts.normal[side, 0][np.array(rigid, bool)] if rigid else np.zeros(0)
        self.wall = float(np.sign(normals.sum())) if len(normals) else 0.0
        self.fall_speed = max(0.0, -float(self.velocity[1]))

    def _is_static(self, entity: int) -> bool:
        with self.sim:
            return bool(esper.has_component(entity, StaticCollider))

    def _velocity_of(self, entity: int) -> Floats:
        with self.sim:
            wall = esper.try_component(entity, StaticCollider)
        return np.zeros(2) if wall is None else np.array(wall.velocity)

    def appear(self, position: tuple[float, float]) -> None:
        """Be round and still at a place [m]."""
        particles = self.particles
        particles.position[:] = self.shape + position
        particles.velocity[:] = 0.0
        particles.pinned[:] = False
        self.since_ground = self.since_wish = self.since_jump = self.since_landing = 9.0
        self.rising = self.floating = False
        self.wall = self.fall_speed = 0.0
        self.ground_velocity = np.zeros(2)

    def rest(self) -> None:
        """Stop driving; the body goes on by itself."""
        self.motion.acceleration, self.motion.angular_acceleration = (0.0, 0.0), 0.0

    def freeze(self) -> None:
        """Stay where it is until it appears again."""
        self.particles.velocity[:] = 0.0
        self.particles.pinned[:] = True
        self.rest()
