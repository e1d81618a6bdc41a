"""Two games as a player meets them: the menu, the mouse, the keys, and what is seen."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from ecs_softbody.play import Session
from ecs_softbody.play.screens.menu import Choice, Menu
from ecs_softbody_games.bouncing_balls import BouncingBalls
from ecs_softbody_games.jelly_platformer import JellyPlatformer
from tests.helpers.internals import show_screen
from tests.helpers.stage_player import SCALE, SIZE, Player
from tests.rendering.blob_garden import needs_compiled_pixels


@pytest.fixture
def player() -> Iterator[Player]:
    made = Player()
    yield made
    made.stage.close()


@pytest.mark.parametrize(("place", "name"), [(0, "jelly-platformer"), (1, "bouncing-balls")])
def test_a_click_in_the_menu_chooses_the_game(player: Player, place: int, name: str) -> None:
    menu = Menu([Choice.of(BouncingBalls), Choice.of(JellyPlatformer)])
    show_screen(player.stage, menu)
    player.wait(2)
    texts = menu.picture(*SIZE).texts
    x, y = next(text.place for text in texts if text.text == menu.choices[place].title)
    player.click(round(x * SCALE) + 5, round(y * SCALE) + 5)
    assert menu.chosen == name


@needs_compiled_pixels
@pytest.mark.slow
def test_bouncing_balls_with_the_mouse_and_the_keys(player: Player) -> None:
    session = Session(BouncingBalls())
    game = session.game
    assert isinstance(game, BouncingBalls)
    player.start(session)
    player.press("space")
    assert session.state == "playing"
    player.press("g")
    game.crowd.clear()
    ball = game.crowd.add((-3.0, 4.0), 3.0)
    player.wait(2)
    red, green, blue = player.colour(session, ball.place)
    assert red > 1.5 * max(green, blue)
    x, y = player.screen_place(session, ball.place)
    player.point(x, y)
    player.hold("mouse_left")
    assert session.drag.holding
    for step in range(1, 13):
        player.point(x + 12 * step, y)
    player.let_go("mouse_left")
    player.wait(2)
    assert ball.velocity[0] > 4.0
    red, green, blue = player.colour(session, ball.place)
    assert red > 1.5 * max(green, blue)
    red, green, blue = player.colour(session, np.array((-3.0, 4.0)))
    assert red < 1.2 * blue
    player.press("plus", "e", "d")
    assert (len(game.crowd), game.settings.restitution_level, game.settings.fluid_level) == (
        2,
        3,
        2,
    )
    player.stage.press("minus")
    player.stage.release("minus")  # both within one frame
    player.wait(2)
    assert len(game.crowd) == 1
    playing = player.seen(session)
    player.press("p")
    paused = player.seen(session)
    assert session.state == "paused"
    assert paused.mean() < 0.8 * playing.mean()
    player.press("escape")
    assert session.exit_requested
    session.close()


@needs_compiled_pixels
@pytest.mark.slow
def test_the_jelly_runs_and_jumps_and_is_green_where_it_is(player: Player) -> None:
    session = Session(JellyPlatformer())
    game = session.game
    assert isinstance(game, JellyPlatformer)
    player.start(session)
    player.press("space")
    player.wait(40)
    start = game.hero.position
    player.hold("right")
    player.wait(30)
    player.hold("space")
    player.wait(15)
    place = game.hero.position
    assert place[0] > start[0] + 1.5
    assert place[1] > start[1] + 1.0
    red, green, blue = player.colour(session, place - (0.0, 0.3))
    assert green > 1.3 * max(red, blue)
    player.let_go("space")
    player.let_go("right")
    player.press("f3")
    assert session.debug_shown
    springs = player.seen(session)
    player.press("f3")
    assert np.abs(springs - player.seen(session)).max() > 100
    session.close()
