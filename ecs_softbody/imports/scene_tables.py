"""Scene tables: a map, drawing or picture as the tables of a scene file, for `import =
"level.tmj"`.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from ecs_softbody.imports.any_file import import_file
from ecs_softbody.imports.found import Found, Place
from ecs_softbody.reading import Located
from ecs_softbody.rendering import Skin
from ecs_softbody.rendering.tiles import Tiles


def scene_tables(path: Path) -> dict[str, Any]:
    """Return the content of a file as tables: entities by name, or kind and number, and places as
    data.

    Raises:
        ValueError: if the file cannot be imported.
        RuntimeError: without the extra `import`.
    """
    found = import_file(path)
    entities: dict[str, Any] = {}
    for number, one in enumerate(found.entities, 1):
        name = (
            one.name
            if one.name and one.name not in entities
            else f"{one.name or one.kind}-{number}"
        )
        entities[name] = _entity(one)
    places = {"places": [_place(place) for place in found.places]} if found.places else {}
    return {"entities": entities, "data": {"bounds": _plain(found.bounds), **places}}


def _place(place: Place) -> dict[str, Any]:
    return {name: _plain(value) for name, value in dataclasses.asdict(place).items()}


def _entity(one: Found) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for component in one.components:
        if isinstance(component, Tiles):
            table["tiles"] = component
        elif isinstance(component, Skin):
            if component.file is None:
                table["skin"] = component
            else:
                given = {
                    name: _plain(value)
                    for name, value in component.arguments().items()
                    if name != "picture"
                }
                table["skin"] = {"image": Located(component.file.resolve()), **given}
        elif dataclasses.is_dataclass(component):
            fields = {
                one.name: (getattr(component, one.name), one.default)
                for one in dataclasses.fields(component)
            }
            table[type(component).__name__] = {
                name: _plain(value) for name, (value, default) in fields.items() if value != default
            }
        else:
            table[type(component).__name__] = {
                name: _kept(value) for name, value in component.arguments().items()
            }
    return table


def _kept(value: Any) -> Any:
    """Return an array unchanged: for a large map, lists would take seconds and much memory."""
    return value if isinstance(value, np.ndarray) and value.ndim else _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, dict):
        return {name: _plain(entry) for name, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, tuple | list) else value
