"""Schema: the model of scene files as JSON Schema, for editors that complete and check while one
types.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ecs_softbody.scenes.model.parts import Parts
from ecs_softbody.scenes.model.specs import (
    OWN_TABLE,
    TOP,
    camera_table,
    material_table,
    theme_table,
    world_table,
)
from ecs_softbody.scenes.model.tables import Table
from ecs_softbody.scenes.skins import skin_schema


def schema(parts: Iterable[Any] = ()) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of scene files.

    Args:
        parts: blueprints, components and dataclasses of a game's own, as for `load`.
    """
    known = Parts(parts)
    kinds = {name: known[name].table.schema for name in known}
    links = {name: {"$ref": f"#/$defs/{name}"} for name in kinds}
    entity = OWN_TABLE.schema
    entity["properties"] |= {**links, "skin": skin_schema()}
    named = {"type": "object", "additionalProperties": {"$ref": "#/$defs/Entity"}}
    files = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    top = {
        "include": files, "import": files, "world": world_table().schema,
        "camera": camera_table().schema, "theme": theme_table().schema,
        "materials": {"type": "object", "additionalProperties": material_table().schema},
        "prefabs": named, "entities": named,
    }  # fmt: skip
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Scene of soft bodies",
        "type": "object",
        "properties": {**Table("Top", TOP).schema["properties"], **top},
        "additionalProperties": False,
        "$defs": {"Entity": entity, **kinds},
    }
