"""find_torn: which spring gives way, and when another one may."""

import numpy as np
import pytest

from ecs_softbody.indices import arange, full
from ecs_softbody.kernels.groups import SpringLaw
from ecs_softbody.kernels.materials.tearing import TEARS_ON, WAIT, Tears, find_torn


class Line:
    """Springs end to end, of rest length 1 and stiffness 10."""

    def __init__(self, lengths, *, strain=np.inf, force=np.inf):
        self.count = len(lengths)
        self.position = np.column_stack(
            (np.append(0.0, np.cumsum(lengths, dtype=np.float64)), np.zeros(self.count + 1))
        )
        self.limits = np.array([strain]), np.array([force])
        self.state = [np.zeros(1) for _ in range(3)]
        self.torn = np.array([-1], np.int64)

    def look(self, dt=0.01, rest=1.0):
        pairs = np.column_stack((arange(self.count), arange(1, self.count + 1))).astype(np.uint32)
        tears = Tears(full(1, 0), full(1, self.count), *self.limits, *self.state, self.torn)
        springs = SpringLaw(
            pairs, np.full(self.count, rest), np.full(self.count, 10.0), np.zeros(self.count)
        )
        return find_torn(np.array([0], np.int64), tears, springs, self.position, dt)


@pytest.mark.parametrize(
    ("limits", "torn"),
    [
        ({"strain": 0.51}, -1),
        ({"strain": 0.49}, 1),
        ({"force": 5.1}, -1),
        ({"force": 4.9}, 1),
        ({}, -1),
    ],
)
def test_strain_and_force(limits, torn):
    line = Line([1.2, 1.5, 1.4], **limits)
    assert line.look() == (torn >= 0)
    assert line.torn[0] == torn


def test_squeezing_tears_nothing():
    line = Line([0.1, 0.0], strain=0.01, force=0.01)
    assert line.look() == 0


def test_a_spring_without_rest_length_tears_by_force_only():
    line = Line([1.0], strain=0.01)
    assert line.look(rest=0.0) == 0
    line = Line([1.0], force=9.0)
    assert line.look(rest=0.0) == 1


def test_after_a_tear_only_larger_loads_tear_for_a_while():
    line = Line([1.5, 1.5], strain=0.4)
    assert line.look() == 1
    assert line.look() == 0
    line.position[2, 0] = 1.5 + 1.5 * TEARS_ON
    assert line.look() == 1
    assert sum(line.look() for _ in range(round(WAIT / 0.01) + 1)) == 1


def test_broken_numbers_are_harmless():
    line = Line([1.5, np.nan], strain=0.4)
    line.look()
    assert line.torn[0] in (-1, 0)
