"""Schema: the model of scene files as JSON Schema, for editors that complete and check while one types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ecs_softbody.scenes.model.models import Table
from ecs_softbody.scenes.model.parts import Parts
from ecs_softbody.scenes.model.plans import OWN_TABLE, TOP, camera_table, material_table, theme_table, world_table
from ecs_softbody.scenes.skins import skin_schema


def schema(parts: Iterable[Any] = ()) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of scene files.

    Args:
        parts: blueprints, components and dataclasses of a game's own, as for `load`.
    """
    known = Parts(parts)
    kinds = {name: _table_schema(known[name].table) for name in known}
    links = {name: {"$ref": f"#/$defs/{name}"} for name in kinds}
    entity = _table_schema(OWN_TABLE)
    entity["properties"] |= {**links, "skin": skin_schema()}
    named = {"type": "object", "additionalProperties": {"$ref": "#/$defs/Entity"}}
    files = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    top = {
        "include": files, "import": files,
        "world": _table_schema(world_table()), "camera": _table_schema(camera_table()),
        "theme": _table_schema(theme_table()),
        "materials": {"type": "object", "additionalProperties": _table_schema(material_table())},
        "prefabs": named, "entities": named,
    }  # fmt: skip
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Scene of soft bodies",
        "type": "object",
        "properties": {**_properties(_table_schema(Table("Top", TOP))), **top},
        "additionalProperties": False,
        "$defs": {"Entity": entity, **kinds},
    }


def _table_schema(table: Table) -> dict[str, Any]:
    """Return the schema of one table, as pydantic has it from the model."""
    found = table.model.model_json_schema(by_alias=True)
    for one in found.get("properties", {}).values():
        one.pop("default", None)
        one.pop("title", None)
    return found


def _properties(table: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = dict(table["properties"])
    return found
