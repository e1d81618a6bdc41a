"""In a page: called by `page.js` to begin the requested game once Python has loaded."""

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
from ecs_softbody.web.links import MOST_BY_LINK, file_name, text_to_scene
from ecs_softbody.web.stage import PageScript, WebStage

SHARED = Path("/shared")
"""Folder for a scene from a link: it holds nothing else, and a scene reads no file outside its
folder.
"""


def begin(
    script: PageScript, width: int, height: int, game: str, asked: str, scene: str
) -> WebStage | None:
    """Begin a game, and return its stage; None for an unknown game, after the page has shown why.

    Args:
        script: the page.
        width, height: of the canvas [pixels].
        game: the page's game, as `ecs-softbody play` takes it; "" for a menu of the included ones.
        asked: name of an included game in the address, or "".
        scene: the scene text from a link, or "".
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
    """Return the requested game.

    Links are untrusted: they name an existing game, or carry data.
    """
    if scene:
        content = text_to_scene(scene)
        SHARED.mkdir(exist_ok=True)
        path = SHARED / file_name(content)
        path.write_bytes(content)
        with reading_within(None, most=MOST_BY_LINK):
            return game_of_scene(path)
    if asked:
        return installed_game(asked, find_games())
    # A game of one file has a separate folder.
    folder, slash, name = game.rpartition("/")
    os.chdir(Path(site.getsitepackages()[0]) / folder)
    return find_game(name if slash else game, find_games())
