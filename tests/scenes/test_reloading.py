"""Hot reload of everything that a scene is made of: maps, drawings, pictures, includes, tilesets;
and derived games.
"""

from __future__ import annotations

import json
import os
import sys
import types
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ecs_softbody import Particles
from ecs_softbody.cli.games import find_game
from ecs_softbody.play import Game, Session
from ecs_softbody.rendering import Skin
from ecs_softbody.scenes import SceneError
from tests.imports.samples import SVG, a_map, a_project, pictures, png

SECOND = 60
HERO = "[entities.hero]\nball = { center = [0, 1], radius = 0.5 }\n"


def put(path: Path, content: bytes | str) -> Path:
    """Write a file so that its time of change is another one, however coarse the clock of the disk
    is.
    """
    before = path.stat().st_mtime_ns if path.exists() else 10**18
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    os.utime(path, ns=(before + 10**9,) * 2)
    return path


def tile_set(height: float) -> str:
    """Return a tileset of one picture, solid up to a height [px]."""
    box = {
        "id": 1,
        "x": 0,
        "y": 16 - height,
        "width": 16,
        "height": height,
        "rotation": 0,
        "visible": True,
    }
    group = {
        "type": "objectgroup",
        "name": "",
        "opacity": 1,
        "visible": True,
        "draworder": "index",
        "objects": [box],
    }
    picture = {"image": "tiles.png", "imagewidth": 16, "imageheight": 16}
    sizes = {
        "tilewidth": 16,
        "tileheight": 16,
        "tilecount": 1,
        "columns": 1,
        "spacing": 0,
        "margin": 0,
    }
    return json.dumps({"name": "t", **sizes, **picture, "tiles": [{"id": 0, "objectgroup": group}]})


def tile_map() -> str:
    raw = a_map()
    raw["tilesets"] = [{"firstgid": 1, "source": "tiles.tsj"}]
    raw["layers"][0] |= {"data": [1] * 288, "encoding": "csv", "compression": ""}
    raw["layers"][1]["objects"] = [{"id": 1, "template": "coin.tj", "x": 10, "y": 10}]
    return json.dumps(raw)


def template(kind: str) -> str:
    return json.dumps(
        {"object": {"id": 1, "name": "c", "type": kind, "point": True, "visible": True}}
    )


def grown(text: str) -> str:
    """Return a project with one more entity."""
    raw = json.loads(text)
    entities = raw["levels"][0]["layerInstances"][0]["entityInstances"]
    entities.append({**entities[0], "px": [150, 60]})
    return json.dumps(raw)


def colour(red: int, side: int = 32) -> bytes:
    return png(Image.new("RGBA", (side, side), (red, 0, 0, 255)))


def a_folder(folder: Path) -> None:
    """Write files of every kind, and a scene that names them."""
    put(folder / "map.tmj", tile_map())
    put(folder / "tiles.tsj", tile_set(16))
    put(folder / "coin.tj", template("coin"))
    put(folder / "tiles.png", colour(10, 16))
    put(folder / "world.ldtk", json.dumps(a_project()))
    put(folder / "hill.svg", SVG)
    put(folder / "star.png", png(pictures()["star"]))
    put(folder / "face.png", colour(10))
    put(folder / "more" / "rubber.toml", "[materials.rubber]\nfriction = 0.5\n")
    put(folder / "more" / "base.toml", 'include = "rubber.toml"\n' + HERO)
    put(
        folder / "all.toml",
        'include = "more/base.toml"\nimport = "map.tmj"\n[entities.hero]\nskin = "face.png"\n',
    )


def bodies(game: Game) -> list[float]:
    """Return numbers that tell one world from another: places of all particles and vertices."""
    from ecs_softbody import StaticCollider

    rows = [game.sim.get(entity, Particles).position for entity in game.sim.entities(Particles)]
    rows += [
        game.sim.get(entity, StaticCollider).vertices
        for entity in game.sim.entities(StaticCollider)
    ]
    return sorted(np.concatenate(rows).ravel().tolist())


def colours(game: Game) -> list[list[int]]:
    """Return the first pixel of the picture of every skin."""
    skins = [game.sim.get(entity, Skin) for entity in game.sim.entities(Skin)]
    return sorted(skin.picture.level(0)[0, 0].tolist() for skin in skins)


def data(game: Game) -> object:
    assert game.loaded is not None
    return game.loaded.data


def frictions(game: Game) -> object:
    assert game.loaded is not None
    return game.loaded.spec.tree.data["materials"]


CHANGES: list[tuple[str, str, bytes | str, Callable[[Game], object]]] = [
    ("map.tmj", "map.tmj", tile_map().replace("[1, 1, 1,", "[0, 0, 0,"), bodies),
    ("map.tmj", "tiles.tsj", tile_set(8), bodies),
    ("map.tmj", "coin.tj", template("heart"), data),
    ("world.ldtk", "world.ldtk", grown(json.dumps(a_project())), bodies),
    ("hill.svg", "hill.svg", SVG.replace("400 140", "400 100"), bodies),
    ("star.png", "star.png", png(pictures()["ring"]), bodies),
    (
        "all.toml",
        "more/base.toml",
        HERO.replace("0.5", "0.75"),
        lambda game: game.loaded and game.loaded.files,
    ),
    ("all.toml", "more/rubber.toml", "[materials.rubber]\nfriction = 0.9\n", frictions),
    ("all.toml", "map.tmj", tile_map().replace("[1, 1, 1,", "[0, 0, 0,"), bodies),
    ("all.toml", "tiles.tsj", tile_set(8), bodies),
    ("all.toml", "coin.tj", template("heart"), data),
    ("all.toml", "face.png", colour(200), colours),
]


@pytest.mark.brief(12)
@pytest.mark.parametrize(
    ("played", "changed", "content", "seen"), CHANGES, ids=[f"{a}-{b}" for a, b, _, _ in CHANGES]
)
def test_a_running_game_takes_every_file(
    tmp_path: Path, played: str, changed: str, content: bytes | str, seen: Callable[[Game], object]
) -> None:
    a_folder(tmp_path)
    right = (tmp_path / changed).read_bytes()
    session = Session(find_game(str(tmp_path / played), {}), autopilot=True)
    game = session.game
    worlds = [game.sim]
    first = seen(game)
    put(tmp_path / changed, content)
    for _ in range(SECOND):
        session.frame()
    assert game.sim is not worlds[-1], "the file was not taken within a second"
    assert game.scene_source.problems == ()
    assert seen(game) != first
    worlds.append(game.sim)
    for broken in (b"\x00{[<", None):
        if broken is None:
            (tmp_path / changed).unlink()
        else:
            put(tmp_path / changed, broken)
        for _ in range(SECOND):
            session.frame()
        assert game.sim is worlds[-1], "a broken file changed the world"
        assert game.scene_source.problems, "a broken file was not told"
        assert Path(changed).name in " ".join(str(one) for one in game.scene_source.problems)
        session.picture(640, 360)
        session.restart()
        session.frame()
        assert game.scene_source.problems, "a new round forgot what is wrong"
        worlds.append(game.sim)
    put(tmp_path / changed, right)
    for _ in range(SECOND):
        session.frame()
    assert game.scene_source.problems == ()
    assert game.sim is not worlds[-1]
    session.close()


def a_class(folder: Path, name: str, base: type[Game], fields: dict[str, object]) -> type[Game]:
    """Return a game that is written in a file of its own."""
    module = types.ModuleType(f"scene_{name}_{id(folder)}")
    folder.mkdir(exist_ok=True)
    module.__file__ = str(folder / f"{name}.py")
    sys.modules[module.__name__] = module
    return type(name, (base,), {"__module__": module.__name__, **fields})


def test_a_derived_game_finds_the_scenes_of_its_base(tmp_path: Path) -> None:
    base = a_class(tmp_path / "base", "Base", Game, {"levels": ("one.toml", "two.toml")})
    derived = a_class(tmp_path / "derived", "Derived", base, {})
    again = a_class(tmp_path / "again", "Again", derived, {})
    put(tmp_path / "base" / "one.toml", HERO)
    put(tmp_path / "base" / "two.toml", HERO.replace("0.5", "0.25"))
    for kind in (base, derived, again):
        game = kind()
        game.begin()
        assert game.loaded is not None
        assert game.loaded.path == tmp_path / "base" / "one.toml"
        game.close()
    # its own goes before that of the base
    put(tmp_path / "derived" / "one.toml", HERO.replace("hero", "villain"))
    for kind, name in ((base, "hero"), (derived, "villain"), (again, "villain")):
        game = kind()
        game.begin()
        assert game.loaded is not None
        assert game.loaded.names == (name,)
        game.level_number = 1
        game.begin()
        assert game.loaded.path == tmp_path / "base" / "two.toml"
        game.close()


def test_a_scene_that_is_nowhere_is_told_beside_the_derived_game(tmp_path: Path) -> None:
    base = a_class(tmp_path / "base", "Base", Game, {"scene": "none.toml"})
    derived = a_class(tmp_path / "derived", "Derived", base, {})
    with pytest.raises(SceneError) as told:
        derived().begin()
    assert str(tmp_path / "derived" / "none.toml") in str(told.value)
