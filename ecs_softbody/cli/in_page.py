"""In a page: what `page.js` calls when Python is there, to begin the game that is asked for."""

from __future__ import annotations

import os
import site
from functools import partial
from pathlib import Path

from ecs_softbody.cli.games import UnknownGame, find_game, find_games, installed_game, loadable
from ecs_softbody.cli.scene_files import game_of_scene
from ecs_softbody.play import Game
from ecs_softbody.play.launch.playing import choosing, playing
from ecs_softbody.reading import reading_within
from ecs_softbody.web.links import LIGHT, file_name, text_to_scene
from ecs_softbody.web.stage import PageScript, WebStage

SHARED = Path("/shared")
"""Folder for a scene that a link has brought: nothing else is in it, and a scene reads no file
outside of its own.
"""


def begin(
    script: PageScript, width: int, height: int, game: str, asked: str, scene: str
) -> WebStage | None:
    """Begin a game, and return its stage; None where there is no such game, and the page has been
    told why.

    Args:
        script: the page.
        width, height: of the canvas [pixels].
        game: that of the page, as `ecs-softbody play` takes it; "" for a menu of the included ones.
        asked: name of an included game that the address asks for, or "".
        scene: what a link carries of a scene, or "".
    """
    chosen: type[Game] | None = None
    try:
        if game or asked or scene:
            chosen = _chosen(game, asked, scene)
            script.caption(chosen.title)
        stage = WebStage(script, (width, height))
    except (UnknownGame, RuntimeError, ValueError) as problem:
        script.wrong(str(problem))
        return None
    if chosen is None:
        stage.begin(partial(choosing, loadable(find_games())))
    else:
        stage.begin(partial(playing, chosen))
    return stage


def _chosen(game: str, asked: str, scene: str) -> type[Game]:
    """Return the game that is meant.

    A link is a stranger's: it names a game that is here, or carries data.
    """
    if scene:
        content = text_to_scene(scene)
        SHARED.mkdir(exist_ok=True)
        path = SHARED / file_name(content)
        path.write_bytes(content)
        with reading_within(None, most=LIGHT):
            return game_of_scene(path)
    if asked:
        return installed_game(asked, find_games())
    # a game that is one file lies in a folder of its own
    folder, slash, name = game.rpartition("/")
    os.chdir(Path(site.getsitepackages()[0]) / folder)
    return find_game(name if slash else game, find_games())
