"""The scene `two-solvers`: both halves get the same keys, and show what the solvers do with them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from ecs_softbody import Springs
from ecs_softbody.play import Session
from ecs_softbody_games.labs.two_solvers import APART, TwoSolvers
from tests.helpers.games import play

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")
SATURATED, XPBD = 0, 1


@pytest.fixture
def lab() -> Iterator[TwoSolvers]:
    made = TwoSolvers()
    made.start()
    yield made
    made.close()


def test_the_rope_of_one_half_stretches_far_more(lab: TwoSolvers) -> None:
    play(lab, 240)
    assert lab.stretch(XPBD) < 0.01
    assert lab.stretch(SATURATED) > 10 * lab.stretch(XPBD)


def test_both_towers_stand_and_both_jellies_rest(lab: TwoSolvers) -> None:
    play(lab, 240)
    for half in (SATURATED, XPBD):
        assert lab.lean(half) < 0.02
        assert abs(lab.angular_velocity(half)) < 0.05


def test_keys_change_both_halves_alike(lab: TwoSolvers) -> None:
    play(lab, 1, "up", "left")
    assert lab.worlds[0].substeps == lab.worlds[1].substeps == 4
    for bodies in lab.bodies:
        springs = [part for parts in bodies for part in parts if isinstance(part, Springs)]
        assert springs[0].stiffness[0] == 1e6
        assert springs[1].stiffness[0] == 1e5
    play(lab, 12, "space")
    spins = [lab.angular_velocity(half) for half in (SATURATED, XPBD)]
    assert spins == pytest.approx([spins[0]] * 2, rel=0.05)
    assert spins[0] > 3.0


def test_the_right_half_shows_the_other_world(lab: TwoSolvers) -> None:
    play(lab, 30, "space")
    for copy, parts in zip(lab.copies, lab.bodies[XPBD], strict=True):
        np.testing.assert_allclose(copy.position, parts[0].position + APART)


def test_the_script_plays_it_and_it_restarts() -> None:
    session = Session(TwoSolvers(), autopilot=True)
    lab = session.game
    assert isinstance(lab, TwoSolvers)
    for _ in range(130):
        session.frame()
    assert lab.energy(XPBD) > 0.1
    worlds = lab.worlds
    session.restart()
    assert all(sim.closed for sim in worlds)
    assert lab.sim.frame == 0
    session.close()
