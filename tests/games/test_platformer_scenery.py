"""Scenery of the platformer: walls are of stones within them, and hints are beside the numbers and
the keys.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ecs_softbody.play import Session
from ecs_softbody.rendering import Layer, Picture, View, WorldPainter
from ecs_softbody.rendering.backend.rasterizer import draw_image
from ecs_softbody.rendering.world import world_painter
from ecs_softbody_games.jelly_platformer import JellyPlatformer
from ecs_softbody_games.jelly_platformer.masonry import walls_of
from ecs_softbody_games.jelly_platformer.rules import boss, clay, gates, grip, split
from tests.games.test_windows_of_all_sizes import box_of, overlap

NAMES = [Path(level).stem for level in JellyPlatformer.levels]


@pytest.mark.brief(2)
@pytest.mark.parametrize(("name", "count"), [("breathe", 3), ("split", 4), ("grip", 2)])
def test_large_walls_are_of_stones_that_end_at_their_edges(name: str, count: int) -> None:
    game = JellyPlatformer()
    game.level_number = NAMES.index(name)
    game.begin()
    walls = walls_of(game.sim, game.level.terrain)
    assert len(walls) >= count
    for wall in walls:
        starts, ends = wall.joints
        assert len(starts) > 1
        both = np.concatenate((starts, ends))
        assert (both >= -1e-9).all()
        assert (both <= wall.size + 1e-9).all()
        heights = np.unique(np.round(both[:, 1], 6))
        assert np.diff(heights).max() < 1.0
        low = wall.collider.vertices.min(axis=0) + wall.sunk
        grounds = [
            np.interp(low[0] + 0.5 * wall.size[0], *np.array(chain).T)
            for chain in game.level.terrain
        ]
        top = low[1] + wall.size[1]
        assert all(
            ground <= low[1] + 1e-9 or ground >= top - 0.1 or wall.sunk[1] > 0.0
            for ground in grounds
        )
    game.close()


@pytest.mark.brief(3)
@pytest.mark.parametrize("size", [(450, 900), (1280, 720), (2560, 1080)])
def test_no_hint_lies_on_the_numbers_or_the_keys(size: tuple[int, int]) -> None:
    game = JellyPlatformer()
    session = Session(game, autopilot=True)
    session.picture(*size)
    session.frame()
    session.autopilot = False
    texts = session.picture(*size).texts
    numbers = [text for text in texts if text.layer >= Layer.HUD]
    sign = game.level.signs[0]
    for up in np.arange(-5.0, 5.0, 0.25):
        picture = Picture(*size)
        picture.view = View((sign.at[0], sign.at[1] + up), 9.0, *size)
        game.scenery.draw(picture, 0.0, [[], []], 0, 0.0)
        game.scenery.draw_signs(
            picture, lambda: {action: game.key_text(action) for action in game.actions}
        )
        for hint in picture.texts:
            for number in numbers:
                assert not overlap(box_of(picture, hint), box_of(picture, number)), (
                    up,
                    hint,
                    number,
                )
    session.close()


@pytest.mark.brief(6)
@pytest.mark.parametrize("level", ["split", "clay", "ropes", "boss"])
def test_what_is_beside_the_picture_is_left_out_and_the_picture_is_the_same(
    level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = JellyPlatformer()
    game.level_number = NAMES.index(level)
    session = Session(game, autopilot=True)
    session.frame()
    left, bottom, right, top = game.level.view
    fewer = 0
    for x in np.linspace(left, right, 9).tolist():
        view = View((x, 0.5 * (bottom + top)), 9.6, 160, 90)
        seen = []
        sizes = []
        for everything in (False, True):
            with monkeypatch.context() as patch:
                if everything:
                    for module in (gates, split, clay, grip, boss):
                        patch.setattr(module, "is_seen", lambda *_: True)
                    patch.setattr(world_painter, "is_beside", lambda *_: False)
                    patch.setattr(type(game.scenery), "_sees", lambda *_: True)
                picture = Picture(160, 90, view)
                WorldPainter().draw(game.sim, picture)
                game.scenery.draw(picture, 0.0, [game.coins_left, game.secrets_left], 0, 0.0)
                for rule in game.rules:
                    rule.draw(picture, 0.0)
                sizes.append(len(picture.triangles()[0]))
                seen.append(draw_image(picture).copy())
        np.testing.assert_array_equal(*seen)
        fewer += sizes[0] < sizes[1]
    assert fewer
    session.close()
