"""Stages hand on only what they declare: thrown away and made anew before a frame, they go on with
the same bits.

The new ones have the tables and what a file would tell them (`saved`). Anything else that one frame
leaves to the next is a fault, and most were faults of the engine beside: numbers that nobody wrote,
which a fresh stage has as zeros.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest

from ecs_softbody import Collider, Simulation, StaticCollider, blueprints
from ecs_softbody.play import Game
from included import included_games
from tests.helpers.internals import forget_stages
from tests.helpers.starts import WHOLE
from tests.simulation.random_full_worlds import FullWorld

EVERY, FRAMES = (1, 1500) if WHOLE else (10, 200)
"""How often the stages of games are thrown away, and how many frames of each are played."""
SEEDS = range(600) if WHOLE else [19, 54, 188, 237, 258, 354, 604]
"""The few are those of worlds in which a stage once kept something for itself,
each something else.
"""


def hashes_of(game: Game, every: int) -> Iterator[str]:
    """Yield the hash after each frame of a scripted player's game; every: how often the stages are
    thrown away.
    """
    game.begin()
    for frame in range(FRAMES):
        if every and frame % every == 0:
            forget_stages(game.sim)
        game.advance(game.autopilot())
        yield game.sim.state_hash()
    game.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", included_games())
def test_games_go_on_with_stages_made_anew(name: str) -> None:
    kind = included_games()[name].load()
    pairs = zip(hashes_of(kind(), 0), hashes_of(kind(), EVERY), strict=True)
    assert [frame for frame, (one, other) in enumerate(pairs) if one != other][:1] == []


class ChangingWorld(FullWorld):
    """A random world in which a game also changes materials and filters."""

    def write(self) -> None:
        """Write a value of some component, often one of a collider."""
        if not self.choose.chance(0.4):
            super().write()
            return
        entries = self.entries(self.pick((Collider, StaticCollider)))
        if entries:
            _, collider = self.pick(entries)
            field = self.pick(("restitution", "friction", "mask", "category"))
            values = {
                "restitution": self.pick((0.0, 0.5, 1.0)),
                "friction": self.pick((0.0, 0.5, 1.0)),
                "mask": self.pick((1, 0, 0xFFFFFFFF)),
                "category": self.pick((1, 2)),
            }
            setattr(collider, field, values[field])


def play(seed: int, *, forgetful: bool) -> list[str]:
    """Return the hashes of 90 frames of a random world."""
    world = ChangingWorld(seed, solver=("saturated", "xpbd")[seed % 2])
    hashes = []
    for frame in range(90):
        if forgetful and frame > 0:
            forget_stages(world.sim)
        for _ in range(3 if world.choose.chance(0.1) else 0):
            world.act()
        world.sim.step()
        hashes.append(world.sim.state_hash())
    world.sim.close()
    return hashes


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_random_worlds_go_on_with_stages_made_anew(seed: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            hashes = play(seed, forgetful=False)
        except ValueError:
            pytest.skip("the world asks for what has gone")
        again = play(seed, forgetful=True)
    assert [
        frame for frame, (one, other) in enumerate(zip(hashes, again, strict=True)) if one != other
    ][:1] == []


def hashes_of_balls(restitution: float, *, forgetful: bool) -> list[str]:
    """Return the hashes of a crowd of fast elastic balls in a box that bounce as `restitution` says
    now and then.
    """
    choose = np.random.default_rng(5)
    sim = Simulation(world="less", gravity=(0.0, 0.0), sleeping=False)
    sim.spawn(
        StaticCollider(
            [(-1, -1), (1, -1), (1, 1), (-1, 1)], closed=True, restitution=1.0, friction=0.9
        )
    )
    for number in range(49):
        place = 0.27 * (number % 7) - 0.81, 0.27 * (number // 7) - 0.81
        ball, *parts = blueprints.ball(place, 0.1, restitution=1.0, friction=0.9)
        ball.velocity[:] = choose.uniform(-8.0, 8.0, 2)
        sim.spawn(ball, *parts)
    colliders = [
        sim.get(entity, kind)
        for kind in (Collider, StaticCollider)
        for entity in sim.entities(kind)
    ]
    hashes = []
    for frame in range(40):
        if frame % 4 == 3:
            if forgetful:
                forget_stages(sim)
            for collider in colliders:
                collider.restitution = restitution if frame % 8 == 3 else 1.0
        sim.step()
        hashes.append(sim.state_hash())
    sim.close()
    return hashes


@pytest.mark.parametrize("restitution", [0.0, 0.4])
def test_balls_made_to_bounce_less_in_flight_go_on_with_stages_made_anew(
    restitution: float,
) -> None:
    """What they had been reflected with stayed with contacts that bounce no more, and let them rub
    harder.
    """
    assert hashes_of_balls(restitution, forgetful=True) == hashes_of_balls(
        restitution, forgetful=False
    )
