"""What stands still is not drawn anew, and looks the same as if it were."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Literal

import numpy as np
import pytest

from ecs_softbody import Simulation, StaticCollider
from ecs_softbody.play import Session
from ecs_softbody.rendering import Look, Picture, View, WorldPainter, draw_cached, themes
from included import included_games

MOVED = 1e-3
"""What moves with the camera is there but for so much [px]."""


@pytest.mark.brief(6)
@pytest.mark.parametrize(
    "name",
    ["bouncing-balls", "jelly-car", "jelly-platformer", "muscles", "rope-bridge", "windy-pond"],
)
def test_kept_triangles_are_those_that_would_be_made(name: str) -> None:
    session = Session(included_games()[name].load(), autopilot=True)
    again = Picture(640, 360)
    for _ in range(12):
        session.frame()
        kept = session.picture(640, 360, into=again).triangles()
        anew = session.picture(640, 360)
        fresh = anew.triangles()
        assert again.texts == anew.texts
        for one, other in zip(kept, fresh, strict=True):
            assert one.shape == other.shape
            assert np.abs(one - other).max(initial=0.0) < MOVED
    session.close()


def test_a_kept_part_is_asked_again_only_when_what_it_shows_changes() -> None:
    picture = Picture(320, 180)
    asked = 0
    # a new letter changes the atlas, and with it what is kept
    picture.text("34 coins", (20.0, 20.0))

    def show(count: int, view: View, space: Literal["screen", "world"]) -> list[str]:
        def draw() -> None:
            nonlocal asked
            asked += 1
            picture.text(f"{count} coins", (20.0, 20.0))
            picture.panel((0.0, 0.0), (90.0, 40.0))

        picture.clear(320, 180, view)
        draw_cached(picture, "coins", count, draw, space=space)
        fresh = Picture(320, 180, view)
        fresh.text(f"{count} coins", (20.0, 20.0))
        fresh.panel((0.0, 0.0), (90.0, 40.0))
        assert np.array_equal(picture.triangles()[0], fresh.triangles()[0])
        assert picture.texts == fresh.texts
        return [text.text for text in picture.texts]

    # texts are not moved along with the camera
    for space, moving in (("screen", 0), ("world", 2)):
        here = View((0.0, 0.0), 9.0, 320, 180)
        there = View((1.0, 0.0), 9.0, 320, 180)
        for count in (3, 4):
            asked = 0
            for view in (here, here, here, here, there, there, there, here):
                assert show(count, view, space) == [f"{count} coins"]
            assert asked == 2 + moving
    picture.clear(640, 360)
    draw_cached(picture, "coins", 4, lambda: picture.disc((0.0, 0.0), 1.0, (9, 9, 9)))
    assert picture.texts == []


def test_a_kept_part_of_the_world_goes_along_with_the_camera() -> None:
    picture = Picture(320, 180)
    asked = 0

    def draw(on: Picture) -> None:
        on.polygon(((-1.0, 0.0), (1.0, 0.0), (0.0, 1.5)), (90, 60, 40), outline=(9, 9, 9))

    def count() -> None:
        nonlocal asked
        asked += 1
        draw(picture)

    # zoomed in, the outline is as wide as before
    for height, calls in ((9.0, 2), (4.0, 4)):
        for k in range(8):
            view = View((0.3 * k, -0.7 * k), height, 320, 180)
            picture.clear(320, 180, view)
            draw_cached(picture, "tent", 0, count, space="world")
            fresh = Picture(320, 180, view)
            draw(fresh)
            vertices, indices = picture.triangles()
            expected, order = fresh.triangles()
            assert np.array_equal(indices, order)
            assert np.abs(vertices - expected).max() < MOVED
        assert asked == calls


def drawn(picture: Picture, sim: Simulation, painter: WorldPainter) -> np.ndarray:
    view = picture.view
    picture.clear(320, 180, view)
    painter.draw(sim, picture)
    return picture.triangles()[0].copy()


def test_what_changes_is_drawn_anew() -> None:
    with Simulation(world="kept") as sim:
        ground = StaticCollider([(-9, 0), (0, 0.5), (9, 0)])
        look = Look(style="ground", fill=(90, 60, 40))
        sim.spawn(ground, look)
        sim.step()
        picture = Picture(320, 180)
        painter = WorldPainter()
        picture.theme = themes.SUMMER
        seen = [drawn(picture, sim, painter) for _ in range(3)]
        assert np.array_equal(seen[0], seen[2])
        look.fill = (200, 60, 40)
        seen.append(drawn(picture, sim, painter))
        ground.vertices[1, 1] = 1.0
        seen.append(drawn(picture, sim, painter))
        look.fill = None
        seen.append(drawn(picture, sim, painter))
        picture.theme = dataclasses.replace(themes.SUMMER, ground_edge=(255, 0, 0))
        seen.append(drawn(picture, sim, painter))
        picture.view = View((1.0, 0.0), 9.0, 320, 180)
        seen.append(drawn(picture, sim, painter))
    sim.close()
    for before, after in itertools.pairwise(seen[2:]):
        assert before.shape != after.shape or not np.array_equal(before, after)


def test_a_picture_in_the_same_layer_is_kept_out() -> None:
    picture = Picture(64, 64)
    calls = []

    def draw_disc() -> None:
        calls.append(1)
        picture.disc((10, 10), 5, (255, 0, 0), space="screen")

    def draw() -> None:
        draw_disc()
        picture.image(np.zeros((4, 4, 3), np.uint8), (20, 20), space="screen")

    for _ in range(4):
        picture.clear(64, 64)
        picture.meshes.again("both", 0, draw, picture.texts)
    assert len(calls) == 4
    for _ in range(4):
        picture.clear(64, 64)
        picture.meshes.again("one", 0, draw_disc, picture.texts)
        assert len(picture.triangles()[0]) == 4
    assert len(calls) == 6


def test_what_takes_long_is_kept_at_once_and_moved_only_from_where_it_was_seen_twice() -> None:
    picture = Picture(320, 180)
    places = []
    ends = np.array(((10.3, 20.7), (200.1, 90.9)))

    def show(x: float) -> np.ndarray:
        picture.clear(320, 180)

        def draw() -> None:
            places.append(x)
            picture.stroke(np.add(ends, (x, 0.0)), 3.0, (200, 80, 60), space="screen")

        picture.meshes.again("line", 0, draw, picture.texts, (x, 0.0), at_once=True)
        return picture.triangles()[0].copy()

    first = show(0.0)
    assert np.array_equal(show(0.0), first)
    assert places == [0.0]  # it stands: what was kept at once is right
    moved = show(5.5)
    assert places == [0.0]
    assert np.allclose(moved[:, 0], first[:, 0] + 5.5, atol=MOVED)
    picture.meshes = type(picture.meshes)()
    places.clear()
    show(0.0)
    show(5.5)
    # it moves already: it is kept where it was seen for the second time
    assert places == [0.0, 5.5]
    show(7.25)
    assert places == [0.0, 5.5]


def test_ground_that_a_game_changes_is_drawn_where_it_is_now() -> None:
    with Simulation(world="changed ground") as sim:
        wall = sim.spawn(
            StaticCollider([(-1, 0), (1, 0), (1, 1), (-1, 1)], closed=True), Look(style="solid")
        )
        slope = sim.spawn(StaticCollider([(-4, -2), (4, -1.5)]), Look())
        sim.step()
        painter = WorldPainter()
        changes = [
            lambda: None,
            lambda: sim.get(wall, StaticCollider).vertices.__iadd__((0.5, 0.25)),
            lambda: setattr(sim.get(wall, Look), "style", "room"),
            lambda: setattr(sim.get(slope, StaticCollider), "radius", 0.2),
            lambda: setattr(sim.get(slope, Look), "style", "line"),
            lambda: setattr(sim.get(slope, StaticCollider), "closed", True),
            lambda: setattr(sim.get(wall, StaticCollider), "velocity", (1.5, 0.0)),
        ]
        for change, alpha in itertools.product(changes, (1.0, 0.4)):
            change()
            kept = Picture(320, 180, View((0.0, 0.0), 9.0, 320, 180))
            anew = Picture(320, 180)
            anew.view = kept.view
            painter.draw(sim, kept, alpha)
            WorldPainter().draw(sim, anew, alpha)
            for one, other in zip(kept.triangles(), anew.triangles(), strict=True):
                assert np.array_equal(one, other)
