"""Importers: readers of other formats, which other packages register for scene files."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from ecs_softbody.errors import FieldError
from ecs_softbody.reading import map_in_json, part_of_map

Importer = Callable[[Path], dict[str, Any]]
"""Reads a file and returns the tables of a scene: {"entities": {name: {...}}}. It raises ValueError
or OSError.

`tiles` of an entity is a component `Tiles`, `skin` may be a component `Skin`; no file can name one.
"""
IMPORTED = "ecs_softbody.imports.scene_tables:scene_tables"
"""Where maps, drawings and pictures are read; imported when a file needs it."""
_importers: dict[str, Importer | str] = dict.fromkeys(
    (".tmx", ".tmj", ".ldtk", ".ldtkl", ".svg", ".png", ".webp", ".jpg", ".jpeg", ".gif", ".bmp"),
    IMPORTED,
)


def add_importer(suffix: str, importer: Importer | str) -> None:
    """Let scenes `import` files with an ending such as ".tmj".

    Args:
        suffix: the ending, with its dot.
        importer: reads such a file; or where it is, as "package.module:name", imported when a file
            needs it.
    """
    _importers[suffix.lower()] = importer


def can_be_imported(path: Path) -> bool:
    """Return whether there is an importer for a file; a .json file may be a scene, or a map."""
    suffix = path.suffix.lower()
    return suffix in _importers or (suffix == ".json" and map_in_json(path) != "")


def is_tiles(value: Any) -> bool:
    """Return whether something is a component `Tiles`, without importing the renderer."""
    return type(value).__name__ == "Tiles" and hasattr(value, "texture")


def is_skin(one: Any) -> bool:
    """Return whether a component is a skin, without importing the renderer."""
    return type(one).__name__ == "Skin" and hasattr(one, "picture")


def import_file(path: Path) -> dict[str, Any]:
    """Return the tables of a file of another format.

    Raises:
        ValueError: if there is no importer for it, or from the importer.
        OSError: if the file cannot be read.
    """
    found = IMPORTED if path.suffix.lower() == ".json" else _importers.get(path.suffix.lower())
    if found is None:
        if instead := part_of_map(path.suffix):
            raise ValueError(f"this cannot be opened by itself{instead}")
        known = ", ".join(sorted(_importers)) or "none is known"
        said = f"the ending {path.suffix!r}"
        raise FieldError("", "", path, f"one of: {known}", in_words=said)
    made: dict[str, Any] = _loaded(found)(path)
    return made


def _loaded(found: Any) -> Any:
    if not isinstance(found, str):
        return found
    module, _, name = found.partition(":")
    return getattr(import_module(module), name)
