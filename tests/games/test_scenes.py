"""Every game goes through start screen, round, pause, help, end and restart, and its demo warns of
nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest

from ecs_softbody import Particles
from ecs_softbody.play import RESERVED_KEYS, Controls, Game, Session
from ecs_softbody.rendering.glyphs import lacks
from ecs_softbody_games.bouncing_balls import BouncingBalls
from ecs_softbody_games.jelly_car import JellyCar
from ecs_softbody_games.jelly_platformer import JellyPlatformer
from ecs_softbody_games.labs.cut_and_tear import CutAndTear
from ecs_softbody_games.labs.lab import Lab
from ecs_softbody_games.labs.little_planet import LittlePlanet
from ecs_softbody_games.labs.muscles import MusclesLab
from ecs_softbody_games.labs.windy_pond import WindyPond
from ecs_softbody_games.rope_bridge import RopeBridge
from ecs_softbody_games.slingshot import Slingshot
from ecs_softbody_games.springs_lab import SpringsLab
from included import included_games

LABS: tuple[type[Lab], ...] = (
    CutAndTear, JellyCar, LittlePlanet, MusclesLab, RopeBridge, WindyPond,
)  # fmt: skip
GAMES: tuple[type[Game], ...] = (BouncingBalls, JellyPlatformer, Slingshot, SpringsLab, *LABS)


def positions(game: Game) -> np.ndarray:
    return np.asarray(game.sim.interpolated_positions(1.0))


def texts(session: Session) -> set[str]:
    return {text.text for text in session.picture(640, 360).texts}


@pytest.fixture(autouse=True)
def _warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.brief(14)
@pytest.mark.parametrize("scene", GAMES, ids=lambda scene: scene.name)
def test_a_game_from_the_start_screen_to_its_end_and_a_restart(scene: type[Game]) -> None:
    session = Session(scene())
    game = session.game
    for _ in range(20):
        session.frame()
    assert {game.title, game.tagline} <= texts(session)
    session.frame(Controls(pressed={"space"}))
    assert session.state == "playing"
    first = positions(game)
    for _ in range(30):
        session.frame(Controls(held={"right"}))
    assert {meaning for _, meaning in game.keys} <= texts(session)
    if isinstance(game, Lab):
        assert {label for label, _ in game.numbers()} <= texts(session)
    session.frame(Controls(pressed={"p"}))
    assert session.state == "paused"
    session.frame(Controls(pressed={"h"}))
    assert "Keys" in texts(session)
    session.frame(Controls(pressed={"h"}))
    session.frame(Controls(pressed={"space"}))
    session.frame(Controls(pressed={"tab"}))
    assert session.state == "playing"
    assert "bodies" in texts(session)
    game.outcome = "won"
    session.frame()
    assert "You won!" in texts(session)
    session.restart()
    session.frame()
    assert np.array_equal(positions(game), first)
    session.close()


@pytest.mark.slow
@pytest.mark.parametrize("scene", GAMES, ids=lambda scene: scene.name)
def test_the_demo_of_every_level_says_nothing_in_the_terminal_and_stays_finite(
    scene: type[Game], capfd: pytest.CaptureFixture[str]
) -> None:
    session = Session(scene(), autopilot=True)
    levels = max(len(scene.levels), 1)
    for level in range(levels):
        session.game.level_number = level
        session.restart()
        for frame in range(max(720 // levels, 300)):
            session.frame()
            if frame % 60 == 0:
                session.picture(640, 360, 0.5)
                assert np.isfinite(session.game.sim.buffers[Particles].rows["position"]).all()
    session.close()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("scene", LABS, ids=lambda scene: scene.name)
def test_the_script_of_a_scene_uses_its_own_keys(scene: type[Lab]) -> None:
    for act in scene.script:
        assert not set(act.keys.split()) & RESERVED_KEYS
        assert act.first < act.last <= 720


def test_all_games_that_can_be_chosen_are_here() -> None:
    assert {scene.name for scene in GAMES} >= included_games().keys()


def test_names_are_different_and_short() -> None:
    names = [scene.name for scene in GAMES]
    assert len(set(names)) == len(names)
    for scene in GAMES:
        assert scene.name == scene.name.lower()
        assert 5 < len(scene.tagline) < 60


@pytest.mark.brief(12)
@pytest.mark.parametrize("scene", GAMES, ids=lambda scene: scene.name)
def test_every_character_on_the_screen_has_a_glyph(scene: type[Game]) -> None:
    session = Session(scene(), autopilot=True)
    for _ in range(30):
        session.frame()
    shown = "".join(
        texts(session)
        | {scene.title, scene.tagline}
        | {word for pair in scene.keys for word in pair}
    )
    assert not {sign for sign in shown if lacks(sign)}
    session.close()
