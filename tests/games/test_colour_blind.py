"""Whoever sees fewer colours tells enemies from the hero all the same, with and without the setting
for it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
import pytest

from ecs_softbody.rendering import Look, palette
from ecs_softbody.rendering.screen.vision import KINDS, correction, difference, seen_as
from ecs_softbody_games.jelly_platformer import JellyPlatformer
from ecs_softbody_games.slingshot import Slingshot
from ecs_softbody_games.slingshot.round import ROUNDS
from ecs_softbody_games.slingshot.sling import KINDS as SHOTS

LEAST = 25.0
Colours = Iterable[palette.Colour]


def check_apart(heroes: Colours, enemies: Colours) -> None:
    for hero, enemy in itertools.product(set(heroes), set(enemies)):
        for kind, corrected in itertools.product(KINDS, (False, True)):
            apart = difference(hero, enemy, kind, corrected=corrected)
            assert apart > LEAST, (hero, enemy, kind, corrected, apart)


def fill(look: Look) -> palette.Colour:
    assert look.fill is not None
    return look.fill


def test_the_platformers_hero_stands_out_from_grumps() -> None:
    heroes = set()
    enemies = set()
    for number in range(len(JellyPlatformer.levels)):
        game = JellyPlatformer()
        game.level_number = number
        game.begin()
        heroes.add(fill(game.sim.get(game.hero.entity, Look)))
        enemies |= {fill(game.sim.get(grump.entity, Look)) for grump in game.world.grumps}
        game.close()
    assert enemies
    check_apart(heroes, enemies)


def test_every_shot_stands_out_from_what_it_is_shot_at() -> None:
    targets = set()
    for number in range(len(ROUNDS)):
        game = Slingshot()
        game.level_number = number
        game.begin()
        targets |= {fill(game.sim.get(target, Look)) for target in game.targets}
        game.close()
    assert targets
    check_apart([kind.fill for kind in SHOTS.values()], targets)


@pytest.mark.parametrize("kind", KINDS[1:])
def test_the_setting_shows_what_would_be_lost(kind: str) -> None:
    assert difference((255, 255, 255), (0, 0, 0), kind) == pytest.approx(100.0, abs=0.5)  # type: ignore[arg-type]
    red = (190, 80, 60)
    green = (110, 120, 60)
    if kind != "tritanopia":
        plain = difference(red, green, kind)  # type: ignore[arg-type]
        assert plain < 0.6 * difference(red, green)
        assert difference(red, green, kind, corrected=True) > plain  # type: ignore[arg-type]


def test_differences_are_those_of_tables() -> None:
    """Red and green of the screen are 53.24, 80.09, 67.20 and 87.73, -86.18, 83.18 in L*a*b*."""
    assert difference((255, 0, 0), (0, 255, 0)) == pytest.approx(170.6, abs=0.3)
    assert seen_as((0.5, 0.5, 0.5), "deuteranopia") == pytest.approx((0.5, 0.5, 0.5), abs=1e-3)
    assert (correction("usual") == np.eye(3)).all()
