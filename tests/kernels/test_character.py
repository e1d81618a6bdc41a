"""drive_characters: the acceleration of its formula, and the opposite on what carries the
character.
"""

import numpy as np
import pytest

from ecs_softbody.kernels.groups import Motion
from ecs_softbody.kernels.motion.character import Drives, Supports, drive_characters
from tests.helpers.groups import filled

DT = 0.002


def run(*, target, limit=30.0, held=0.0, spin=0.0, supports=(), seed=0):
    """Drive rows 0 to 5, which stand on rows 5 to 11; return the motion."""
    rng = np.random.default_rng(seed)
    motion = Motion(
        rng.normal(size=(11, 2)),
        rng.normal(size=(11, 2)),
        1.0 / rng.uniform(0.5, 2.0, 11),
        np.zeros((11, 2)),
    )
    along = np.array([[0.8, 0.6]])
    drives = filled(
        Drives,
        particle_first=[0],
        particle_last=[5],
        driven=[True],
        along=along,
        up=[[-0.6, 0.8]],
        target=[target],
        drift=[[0.0, 0.0]],
        limit=[limit],
        brake=[limit],
        only=[0.0],
        held=[held],
        press=[[0.0, 0.0]],
        pull=[0.0],
        fall_speed=[np.inf],
        lift=[np.inf],
        spin=[spin],
        turn=[-2.0],
        rate=[10.0],
        twist=[np.inf],
        wobble=[3.0],
        squeeze=[5.0],
    )
    rows = list(supports)
    below = filled(
        Supports,
        character=[0] * len(rows),
        first=[5] * len(rows),
        last=[11] * len(rows),
        share=[1.0] * len(rows),
        point=np.zeros((len(rows), 2)),
    )
    drive_characters(
        np.array([0], np.int64), drives, below, motion, np.zeros((11, 2)), np.zeros((2, 10)), DT
    )
    return motion, along[0]


@pytest.mark.parametrize(("target", "limit"), [(1.0, 1e9), (1.0, 30.0), (-4.0, 5.0)])
@pytest.mark.parametrize("held", [0.0, -3.0])
def test_the_speed_along_comes_as_near_the_target_as_the_limit_lets_it(target, limit, held):
    motion, along = run(target=target, limit=limit, held=held)
    mass = 1.0 / motion.inverse_mass[:5]
    speed = mass @ motion.velocity[:5] @ along / mass.sum()
    force = motion.force[:5].sum(axis=0)
    wanted = np.clip((target - speed) / DT + held, -limit, limit) - held
    np.testing.assert_allclose(force / mass.sum(), wanted * along, rtol=1e-9)
    assert (motion.force[5:] == 0.0).all()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spin", [0.0, 1.0])
def test_what_carries_it_takes_the_opposite_force_and_torque(seed, spin):
    motion, _ = run(target=3.0, spin=spin, supports=(0,), seed=seed)
    x, y = motion.position.T
    size = np.abs(motion.force).sum()
    assert size > 1.0
    assert np.abs(motion.force.sum(axis=0)).max() < 1e-12 * size
    assert abs((x * motion.force[:, 1] - y * motion.force[:, 0]).sum()) < 1e-11 * size
