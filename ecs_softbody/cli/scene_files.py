"""Scene files on the command line: their errors, their schema, and a game that shows one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from ecs_softbody import scenes
from ecs_softbody.components import StaticCollider
from ecs_softbody.play import Game
from ecs_softbody.rendering import Look

PICTURES = (".png", ".webp", ".jpg", ".jpeg", ".gif", ".bmp")
"""Endings of pictures, which become bodies without ground to fall on."""
ROUND_A_PICTURE = (-3.2, -0.5, 3.2, 3.1)
"""Its default view: left, bottom, right, top [m]."""


def check_files(paths: Sequence[Path], parts: Sequence[Any] = ()) -> list[str]:
    """Print all errors in scene files, line by line, and one line for each valid file.

    Args:
        paths: the files.
        parts: the parts of the game that the files belong to.

    Returns:
        the lines of the errors.
    """
    wrong = []
    for path in paths:
        problems = scenes.check(path, parts)
        for problem in problems:
            place = path.parent / problem.file if problem.file else path
            line = str(replace(problem, file=str(place)))
            print(line)
            wrong.append(line)
        if not problems:
            print(f"{path}: all right")
    return wrong


def schema_text(parts: Sequence[Any] = ()) -> str:
    """Return the JSON Schema of scene files, with the parts of a game."""
    return json.dumps(scenes.schema(parts), indent=1, ensure_ascii=False)


def game_of_scene(path: Path) -> type[Game]:
    """Return a game that shows a scene file, a map, a drawing or a picture; the mouse drags its
    bodies.

    Raises:
        SceneError: with all errors in the file.
    """
    made = scenes.open(path)
    made.sim.close()
    is_picture = path.suffix.lower() in PICTURES
    label = made.title or path.stem.replace("_", " ").replace("-", " ").capitalize()

    class SceneGame(Game):
        """Shows a scene file, or a map, drawing or picture."""

        name: ClassVar[str] = path.stem.lower().replace("_", "-").replace(" ", "-")
        title: ClassVar[str] = label
        tagline: ClassVar[str] = made.tagline
        scene: ClassVar[str | Path] = path.absolute()
        drag_with_mouse: ClassVar[bool] = True
        keys: ClassVar[list[tuple[str, str]]] = [("mouse", "drag")]

        def start(self) -> None:
            super().start()
            if is_picture:
                self.sim.spawn(
                    StaticCollider([(-8.0, 8.0), (-8.0, 0.0), (8.0, 0.0), (8.0, 8.0)]),
                    Look(style="ground"),
                )
                self.camera.fit(ROUND_A_PICTURE)

    return SceneGame


__all__ = ["check_files", "game_of_scene", "schema_text"]
