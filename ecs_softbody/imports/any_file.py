"""Any file: imports by the ending of a file's name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ecs_softbody.errors import FieldError
from ecs_softbody.imports.found import Found, Imported
from ecs_softbody.imports.ldtk import ldtk
from ecs_softbody.imports.pictures import picture_parts
from ecs_softbody.imports.svg import svg
from ecs_softbody.imports.tiled import tiled
from ecs_softbody.reading import map_in_json, part_of_map
from ecs_softbody.rendering.texture import is_animated, texture_of

KINDS = {
    ".tmx": "tiled", ".tmj": "tiled", ".json": "tiled", ".ldtk": "ldtk", ".ldtkl": "ldtk",
    ".svg": "svg", ".png": "picture", ".webp": "picture", ".gif": "picture",
    ".jpg": "picture", ".jpeg": "picture", ".bmp": "picture",
}  # fmt: skip
"""File endings and their importers."""
HEIGHT = 2.0
"""Of a picture [m]."""
STILL = "it does not move: only the first picture of an animation is taken"
"""Note on pictures with several frames."""


def import_file(source: Any) -> Imported:
    """Import a file with the importer of its ending: see `tiled`, `ldtk`, `svg` and
    `picture_parts`.

    Raises:
        ValueError: for another ending, or a file that cannot be imported.
        RuntimeError: without the extra `import`.
    """
    ending = Path(source).suffix.lower() if isinstance(source, str | os.PathLike) else ""
    kind = KINDS.get(ending)
    if ending == ".json" and map_in_json(Path(source)) == "ldtk":
        kind = "ldtk"
    if kind == "tiled":
        return tiled(source)
    if kind == "ldtk":
        return ldtk(source)
    if kind == "svg":
        return svg(source)
    if kind == "picture":
        return _picture(source)
    if instead := part_of_map(ending):
        raise ValueError(f"import_file: {source!r} cannot be opened by itself{instead}")
    raise FieldError("import_file", "", source, f"a file that ends in {', '.join(KINDS)}")


def _picture(path: str | os.PathLike[str]) -> Imported:
    """Return the bodies of a picture of the height `HEIGHT`, with the width in proportion."""
    texture = texture_of("picture.source", path)
    half = 0.5 * HEIGHT * texture.width / texture.height
    notes = [STILL] if is_animated(path) else []
    parts = picture_parts(path, (0.0, HEIGHT), height=HEIGHT, notes=notes)
    found = [Found(Path(path).stem, "body", part) for part in parts]
    return Imported(found, [], notes, (-half, 0.5 * HEIGHT, half, 1.5 * HEIGHT))
