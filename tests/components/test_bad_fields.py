"""Bad fields are refused at the door, by name."""

import numpy as np
import pytest

from ecs_softbody import Collider, Particles, PointGravity, Water, Wind


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: PointGravity((0, 0), strength=np.nan), "PointGravity.strength"),
        (lambda: PointGravity((0, np.inf), strength=1.0), "PointGravity.position"),
        (lambda: PointGravity(strength=1.0, exponent=-1.0), "PointGravity.exponent"),
        (lambda: PointGravity(strength=1.0, reach=0.0), "PointGravity.reach"),
        (lambda: PointGravity(strength=1.0, least_distance=-0.1), "PointGravity.least_distance"),
        (lambda: Wind((3, 0), density=-1.0), "Wind.density"),
        (lambda: Wind((1, 2, 3)), "Wind.velocity"),
        (lambda: Wind(3.0), "Wind.velocity"),
        (lambda: Wind((3,)), "Wind.velocity"),
        (lambda: Wind((1, np.inf)), "Wind.velocity"),
        (lambda: Wind((1, 0), drag=-1), "Wind.drag"),
        (lambda: Wind((1, 0), region=((0, 0), (0, 1))), "Wind.region"),
        (lambda: Wind((1, 0), region=(0, 1)), "Wind.region"),
        (lambda: Wind((1, 0), mask=-1), "Wind.mask"),
        (lambda: Water(np.inf), "Water.level"),
        (lambda: Water(density=-1.0), "Water.density"),
        (lambda: Water(left=2.0, right=1.0), "Water.right"),
        (lambda: Water(left=np.nan), "Water.left"),
        (lambda: Water(bottom=0.0), "Water.bottom"),
        (lambda: Water(linear_drag=-0.1), "Water.linear_drag"),
        (lambda: Water(flow=(0, np.nan)), "Water.flow"),
        (lambda: Particles([(0, 0)], gravity_scale=np.inf), "Particles.gravity_scale"),
        (lambda: Collider(skin=-0.1), "Collider.skin"),
    ],
)
def test_bad_fields_are_named(make, named):
    with pytest.raises(ValueError, match=rf"^{named}: .* is not allowed; expected "):
        make()


def test_live_values_are_checked_as_well():
    water = Water(1.0)
    wind = Wind((1, 0), region=((0, 0), (1, np.inf)))
    with pytest.raises(ValueError, match=r"Water\.density: -2"):
        water.density = -2.0
    with pytest.raises(ValueError, match=r"Wind\.low"):
        wind.low = (np.nan, 0.0)
    assert water.density == 1000.0
    assert (water.left, water.right, water.bottom) == (-np.inf, np.inf, -np.inf)
    assert wind.high.tolist() == [1.0, np.inf]
