"""What pymunk gets in the cases of asked_got_contacts.py that it has, with steps of 1/480 s and its
10 iterations.

Of the four grounds it has the wall.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pymunk

G = 9.81
STEPS = 480


def space(degrees: float = 0.0) -> pymunk.Space:
    """Return a space whose gravity is that on a slope; shapes overlap by no more than 0.1 mm."""
    found = pymunk.Space()
    angle = math.radians(degrees)
    found.gravity = (G * math.sin(angle), -G * math.cos(angle))
    found.collision_slop = 1e-4
    return found


def wall(
    room: pymunk.Space, one: tuple[float, float], two: tuple[float, float], **made_of: float
) -> None:
    """Add a wall."""
    shape = pymunk.Segment(room.static_body, one, two, 0.0)
    shape.friction = made_of.get("friction", 0.0)
    shape.elasticity = made_of.get("restitution", 0.0)
    room.add(shape)


def disc(
    room: pymunk.Space,
    place: tuple[float, float],
    radius: float,
    mass: float = 1.0,
    **made_of: float,
) -> pymunk.Body:
    """Add a disc."""
    body = pymunk.Body(mass, pymunk.moment_for_circle(mass, 0, radius))
    shape = pymunk.Circle(body, radius)
    body.position = place
    shape.friction = made_of.get("friction", 0.0)
    shape.elasticity = made_of.get("restitution", 0.0)
    room.add(body, shape)
    return body


def run(room: pymunk.Space, seconds: float) -> None:
    """Step."""
    for _ in range(round(STEPS * seconds)):
        room.step(1 / STEPS)


def results() -> Iterator[tuple[str, float]]:
    """Yield (case, what it gets); the cases have the names that they have in
    asked_got_contacts.py.
    """
    room = space(15)
    wall(room, (-9, 0), (99, 0), friction=1.0)
    ball = disc(room, (0, 0.2), 0.2, friction=1.0)
    run(room, 2.0)
    yield "ball on a slope of 15 degrees: acceleration", ball.velocity.x / 2.0

    room = space()
    wall(room, (-9, 0), (99, 0), friction=math.sqrt(0.5))
    ball = disc(room, (0, 0.2), 0.2, friction=math.sqrt(0.5))
    ball.velocity = (3, 0)
    run(room, 2.0)
    yield "ball that slid at 3 m/s: speed at which it rolls on", ball.velocity.x

    for degrees, what in ((30, "acceleration"), (15, "speed")):
        room = space(degrees)
        wall(room, (-9, 0), (99, 0), friction=math.sqrt(0.3))
        crate = pymunk.Body(1, pymunk.moment_for_box(1, (0.4, 0.4)))
        shape = pymunk.Poly.create_box(crate, (0.4, 0.4))
        crate.position = (0, 0.2)
        shape.friction = math.sqrt(0.3)
        room.add(crate, shape)
        run(room, 0.5)
        before = crate.velocity.x
        run(room, 1.0)
        gained = crate.velocity.x - (before if degrees == 30 else 0.0)
        yield f"crate on {degrees} degrees with μ = 0.3, the worst of four grounds: {what}", gained

    for gap in (0.0, 0.002):
        room = space()
        balls = []
        for i in range(5):
            x = i * (0.2 + gap)
            angle = math.radians(40) if i == 0 else 0.0
            ball = disc(room, (x - math.sin(angle), -math.cos(angle)), 0.1, restitution=1.0)
            room.add(pymunk.PinJoint(room.static_body, ball, (x, 0)))
            balls.append(ball)
        top = 0.0
        for _ in range(round(1.1 * STEPS)):
            room.step(1 / STEPS)
            top = max(top, 1.0 + balls[-1].position.y)
        name = (
            f"cradle on strings with gaps of {1000 * gap:g} mm: height of the last ball over "
            "that of the first"
        )
        yield name, top / (1.0 - math.cos(math.radians(40)))

    room = pymunk.Space()
    rng = np.random.default_rng(1)
    corners = [(-2, -2), (2, -2), (2, 2), (-2, 2)]
    for one, two in zip(corners, corners[1:] + corners[:1], strict=True):
        wall(room, one, two, restitution=1.0)
    place = [(0.4 * i - 1.6, 0.4 * j - 1.4) for i in range(9) for j in range(7)][:60]
    mass = np.exp(rng.uniform(-2, 2, 60))
    velocity = rng.normal(0, 2, (60, 2))
    gas = [
        disc(room, at, 0.08, float(m), restitution=1.0) for at, m in zip(place, mass, strict=True)
    ]
    for ball, speed in zip(gas, velocity, strict=True):
        ball.velocity = tuple(speed)
    before = sum(ball.kinetic_energy for ball in gas)
    run(room, 20.0)
    yield (
        "gas of 60 discs with restitution 1: energy after 20 s",
        sum(ball.kinetic_energy for ball in gas) / before,
    )
