"""Carts on disc wheels: each wheel rolls as its inertia says, and joints and contacts agree on what
holds it.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pytest

from ecs_softbody import Attachment, Motor, Particles, Simulation, StaticCollider, blueprints
from tests.helpers.stepping import run_frames

RADIUS = 0.2
GRAVITY = 9.81


@dataclass
class Cart:
    """A box on discs in a row, on a plane that leans by `degrees`."""

    wheels: int
    substeps: int = 8
    solver: str = "saturated"
    degrees: float = 0.0
    friction: float = 1.0
    mass: float = 2.0  # Of the box, and of each wheel [kg]
    wheel_mass: float = 0.3
    speed: float | None = None
    torque: float = 2.0

    def __post_init__(self):
        angle = math.radians(self.degrees)
        gravity = GRAVITY * math.sin(angle), -GRAVITY * math.cos(angle)
        self.sim = Simulation(
            world="cart", solver=self.solver, substeps=self.substeps, gravity=gravity
        )
        self.sim.spawn(StaticCollider([(-100.0, 0.0), (100.0, 0.0)], friction=self.friction))
        parts = blueprints.box(
            (0.0, RADIUS + 0.2), (0.5 * self.wheels, 0.3), mass=self.mass, friction=self.friction
        )
        self.box = self.sim.spawn(*parts)
        self.bodies = [parts[0]]
        for k in range(self.wheels):
            place = 0.45 * (k - 0.5 * (self.wheels - 1)), RADIUS
            ball = blueprints.ball(place, RADIUS, mass=self.wheel_mass, friction=self.friction)
            wheel = self.sim.spawn(*ball)
            self.bodies.append(ball[0])
            self.sim.spawn(Attachment((self.box, wheel), at=place))
            if self.speed is not None:
                self.sim.spawn(Motor((self.box, wheel), speed=self.speed, max_torque=self.torque))

    def speed_along(self) -> float:
        body: Particles = self.bodies[0]
        return float(body.mass @ body.velocity[:, 0] / body.mass.sum())

    def run(self, frames: int) -> float:
        """Return the largest speed of anything while it runs."""
        fastest = 0.0
        for _ in range(frames):
            self.sim.step()
            fastest = max(
                fastest, *(float(np.hypot(*body.velocity.T).max()) for body in self.bodies)
            )
        self.sim.close()
        return fastest


@pytest.mark.parametrize("friction", [0.2, 0.5, 1.0])
@pytest.mark.parametrize("substeps", [4, 8])
def test_a_soft_box_on_two_discs_comes_to_rest(substeps, friction):
    """Friction held the centres of its wheels, as far as joints knew, and let them roll: it rocked
    by 1 mm for ever.
    """
    sim = Simulation(world="soft cart", substeps=substeps)
    sim.spawn(StaticCollider([(-4, 0), (4, 0)], friction=friction))
    box = sim.spawn(*blueprints.box((0, 0.45), (1.2, 0.4)))
    for x in (-0.5, 0.5):
        wheel = sim.spawn(*blueprints.ball((x, 0.25), 0.25, mass=1.0, friction=friction))
        sim.spawn(Attachment((box, wheel), at=(x, 0.25)))
    run_frames(sim, 420)
    assert sim.is_asleep(box)
    sim.close()


@pytest.mark.parametrize("substeps", [4, 8, 16])
@pytest.mark.parametrize(
    ("mass", "wheel_mass"), [(2.0, 0.1), (5.0, 0.3), (20.0, 0.3), (20.0, 0.02)]
)
@pytest.mark.parametrize("wheels", [2, 3, 5])
def test_a_heavy_cart_rests_on_light_wheels(wheels, mass, wheel_mass, substeps):
    """What a wheel carries was taken for the speed at which it hits the ground: carts hopped by 1
    to 27 mm for ever.
    """
    for solver in ("saturated", "xpbd"):
        cart = Cart(wheels, substeps, solver, mass=mass, wheel_mass=wheel_mass)
        run_frames(cart.sim, 400)
        assert cart.sim.is_asleep(cart.box), solver
        cart.sim.close()


@pytest.mark.brief(3)
@pytest.mark.parametrize("substeps", [2, 4, 8, 16])
@pytest.mark.parametrize("wheels", [2, 3, 5])
def test_a_cart_rolls_down_as_its_wheels_turn(wheels, substeps):
    """The discs take half their mass more.

    Three of them and their supports are dependent: carts got up to 8 km/s.
    """
    for degrees, solver in itertools.product((5.0, 40.0), ("saturated", "xpbd")):
        cart = Cart(wheels, substeps, solver, degrees)
        run_frames(cart.sim, 30)
        before = cart.speed_along()
        run_frames(cart.sim, 60)
        gained = cart.speed_along() - before
        turning = 1.5 * wheels * cart.wheel_mass
        whole = cart.mass + wheels * cart.wheel_mass
        expected = GRAVITY * math.sin(math.radians(degrees)) * whole / (cart.mass + turning)
        assert gained == pytest.approx(expected, rel=0.005)
        assert cart.run(30) < 2.2 * expected


@pytest.mark.parametrize(
    ("mass", "wheel_mass"), [(2.0, 0.3), (20.0, 0.003), (200.0, 0.03), (0.1, 3.0)]
)
@pytest.mark.parametrize("wheels", [1, 2, 3, 5])
def test_motors_at_its_wheels_fling_nothing(wheels, mass, wheel_mass):
    """Friction that turns a light wheel under a heavy cart was thought to push it for as long as it
    slips: 10 km/s.
    """
    for substeps, solver, torque in itertools.product(
        (2, 3, 8), ("saturated", "xpbd"), (2.0, 50.0)
    ):
        cart = Cart(
            wheels, substeps, solver, mass=mass, wheel_mass=wheel_mass, speed=-6.0, torque=torque
        )
        assert cart.run(80) < 6.0, (substeps, solver, torque)


@pytest.mark.parametrize("wheels", [2, 4, 5])
def test_friction_does_not_push_a_cart_through_its_wheels(wheels):
    """Wheels that spin up against a slope jam: sliding friction answered a load with more load, and
    nothing held it.
    """
    cases = itertools.product((2, 4, 8), ("saturated", "xpbd"), (-30.0, -3.0), (0.5, 5.0))
    for substeps, solver, speed, torque in cases:
        cart = Cart(
            wheels, substeps, solver, 10.0, mass=15.0, wheel_mass=0.025, speed=speed, torque=torque
        )
        height = cart.bodies[0].position[:, 1].mean()
        assert cart.run(60) < 9.0, (substeps, solver, speed, torque)
        assert cart.bodies[0].position[:, 1].mean() > height - 0.03
