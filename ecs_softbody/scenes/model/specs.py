"""Specifications: the checked tables of a scene, for its world and for the parts of each entity."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ecs_softbody.blueprints.mass_and_springs import ALTERNATIVES
from ecs_softbody.components import Collider, StaticCollider
from ecs_softbody.processors import SOLVERS
from ecs_softbody.scenes.importers import is_skin, is_tiles
from ecs_softbody.scenes.model.kinds import (
    ARRAY,
    ENTITY,
    NUMBER,
    PLAIN,
    TABLE,
    TEXT,
    Kind,
    at_least,
    choice,
    kind_of,
    whole_number,
)
from ecs_softbody.scenes.model.parts import Part, Parts, all_blueprints, hints_of, part_of
from ecs_softbody.scenes.model.places import COLOUR, POINT, RECTANGLE, SKY
from ecs_softbody.scenes.model.tables import Table
from ecs_softbody.scenes.problems import Path as Place
from ecs_softbody.scenes.problems import listed, shown
from ecs_softbody.scenes.source_tree import SourceTree
from ecs_softbody.simulation import Simulation
from ecs_softbody.validation import MOST_SUBSTEPS, MOST_THREADS, did_you_mean

MOST_ENTITIES = 20_000
"""Of a whole scene."""
COST_OF_TABLE = 50.0
"""Cost of checking and making one table [µs]; `ecs_softbody.reading` has the limits per scene."""
COST_OF_COMPONENT = 60.0
"""Cost of checking and making one component [µs]."""
LONGEST_NAME = 100
"""Limit of the length of a name [characters]."""
MOST_STARS = 10_000
"""Limit of the stars of a sky."""
TOP = {"title": TEXT, "tagline": TEXT, "data": TABLE}
"""Top-level keys of a file, besides the tables."""
TABLES = ("world", "camera", "theme", "materials", "prefabs", "entities", "include", "import")
"""Top-level tables of a file."""
OWN = {
    "prefab": TEXT, "material": TEXT, "at": POINT, "angle": NUMBER, "tags": kind_of(list[str]),
    "data": TABLE, "skin": PLAIN,
}  # fmt: skip
"""Fields of an entity besides its parts."""


@functools.cache
def world_table() -> Table:
    """Return the table of the settings of a Simulation."""
    hints = hints_of(Simulation, Simulation.__init__)
    kinds = {name: kind_of(hint) for name, hint in hints.items() if name not in ("world", "return")}
    kinds["solver"], kinds["substeps"] = choice(tuple(SOLVERS)), whole_number(1, MOST_SUBSTEPS)
    kinds["threads"] = whole_number(1, MOST_THREADS)
    kinds |= {"gravity": POINT, "speed_limit": NUMBER, "time_scale": NUMBER}
    return Table("World", kinds, "Settings of the world; see Simulation.")


@functools.cache
def camera_table() -> Table:
    """Return the table of the camera."""
    from ecs_softbody.rendering.camera import Camera

    hints = hints_of(Camera, Camera.__init__)
    kinds = {name: kind_of(hint) for name, hint in hints.items() if name != "return"}
    kinds |= {
        "limits": RECTANGLE,
        "view": RECTANGLE,
        "center": POINT,
        "height": at_least(0.0, above=True),
    }
    kinds |= {"smoothing": at_least(0.0), "lead": at_least(0.0)}
    return Table("Camera", {**kinds, "follow": ENTITY}, "What is seen; see Camera.")


@functools.cache
def theme_table() -> Table:
    """Return the table of the theme."""
    from ecs_softbody.rendering.palette import Colour
    from ecs_softbody.rendering.themes import ThemeChoice

    hints = hints_of(ThemeChoice)
    kinds = {
        name: COLOUR if hint == Colour | None else kind_of(hint) for name, hint in hints.items()
    }
    kinds["stars"] = whole_number(0, MOST_STARS)
    kinds["sky"] = SKY
    return Table("Theme", kinds, "What sky, ground, water and weather look like; see Theme.")


@functools.cache
def material_table() -> Table:
    """Return the table of a material: the scalar arguments of blueprints and colliders, positions
    excluded.
    """
    kinds: dict[str, Kind] = {}
    for made_by in (*all_blueprints().values(), Collider, StaticCollider):
        part = part_of(made_by)
        if not any(kind is ENTITY or "entity" in kind.expected for kind in part.kinds.values()):
            kinds |= {
                name: kind for name, kind in part.kinds.items() if _is_material(part, name, kind)
            }
    return Table("Material", kinds, "What bodies of one stuff have in common.")


def _is_material(part: Part, name: str, kind: Kind) -> bool:
    is_option = name in part.options and name not in part.counts and name not in NO_MATERIAL
    return is_option and kind is not ARRAY and not isinstance(part.defaults.get(name), bool)


NO_MATERIAL = frozenset(
    {
        "outline",
        "velocity",
        "angle",
        "one_way",
        "angular_velocity",
        "pivot",
        "surface_velocity",
        "radius",
        "spacing",
    }
)
"""Places, shapes and motions."""


@dataclass
class EntitySpec:
    """The specification of an entity; `parts` holds its blueprint and components with their
    fields.
    """

    name: str
    place: Place
    parts: list[tuple[Part, dict[str, Any]]] = field(default_factory=list)
    own: dict[str, Any] = field(default_factory=dict)
    tiles: list[Any] = field(default_factory=list)
    """Tiles made by an importer."""
    skin: Any = None
    """A skin made by an importer."""
    bad: set[tuple[str, str]] = field(default_factory=set)
    """Invalid fields (part, field), which were left out."""
    material: dict[str, Any] = field(default_factory=dict)
    material_name: str = ""


@dataclass
class SceneSpec:
    """A whole scene that is right as far as its tables tell."""

    tree: SourceTree
    parts: Parts
    world: dict[str, Any]
    camera: dict[str, Any]
    theme: dict[str, Any]
    top: dict[str, Any]
    entities: list[EntitySpec]


def make_spec(tree: SourceTree, parts: Parts) -> SceneSpec:
    """Check the tables of a scene; errors are added to `tree.problems`.

    Args:
        tree: the files, with their prefabs resolved.
        parts: available for entities.
    """
    data = tree.data
    for key in data:
        if key not in TABLES and key not in TOP:
            known = [*TOP, *TABLES]
            tree.wrong(
                (key,),
                (
                    f"there is no such table{did_you_mean(key, known)}; expected one of "
                    f"{', '.join(known)}"
                ),
            )
    reader = _Reader(tree)
    top = reader.read(Table("Top", TOP), {key: data[key] for key in TOP if key in data}, ())
    tables = {
        name: reader.read(table(), data[name], (name,)) if name in data else {}
        for name, table in (
            ("world", world_table),
            ("camera", camera_table),
            ("theme", theme_table),
        )
    }
    materials = {
        name: reader.read(material_table(), table, ("materials", name))
        for name, table in reader.tables("materials").items()
    }
    tree.spend(("materials",), COST_OF_TABLE * len(materials))
    for name, prefab in reader.tables("prefabs").items():
        _read_entity(reader, parts, ("prefabs", name), prefab, materials)
    entities = reader.tables("entities")
    if len(entities) > MOST_ENTITIES:
        tree.wrong(
            ("entities",),
            f"{len(entities)} entities are not allowed; expected at most {MOST_ENTITIES}",
        )
        entities = {}
    specs = [
        _read_entity(reader, parts, ("entities", name), entity, materials)
        for name, entity in entities.items()
    ]
    return SceneSpec(tree, parts, tables["world"], tables["camera"], tables["theme"], top, specs)


class _Reader:
    """Reads tables, and reports errors with their place."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree = tree

    def read(self, table: Table, given: Any, place: Place) -> dict[str, Any]:
        """Return the fields of a table that are right."""
        problems: list[tuple[Place, str]] = []
        found = table.read(given, problems)
        for inner, message in problems:
            self.tree.wrong(place + inner, message)
        return found

    def tables(self, name: str) -> dict[str, Any]:
        """Return a table of named tables."""
        found = self.tree.data.get(name, {})
        if isinstance(found, dict):
            for key in found:
                if not key or len(key) > LONGEST_NAME:
                    self.tree.wrong(
                        (name, key),
                        f"this name is not allowed; expected 1 to {LONGEST_NAME} letters",
                    )
            return found
        self.tree.wrong((name,), f"{shown(found)} is not allowed; expected a table")
        return {}


OWN_TABLE = Table("Entity", OWN)
"""Checks the fields of OWN."""


def _read_entity(
    reader: _Reader, parts: Parts, place: Place, given: Any, materials: Mapping[str, dict[str, Any]]
) -> EntitySpec:
    tree = reader.tree
    spec = EntitySpec(str(place[1]), place)
    tree.spend(place, COST_OF_TABLE)
    if not isinstance(given, dict):
        tree.wrong(place, f"{shown(given)} is not allowed; expected a table")
        return spec
    if spec.name in ("world", "all") and place[0] == "entities":
        tree.wrong(
            place,
            f"the name {spec.name!r} is not allowed: it stands for the world, or for all rows",
        )
    if is_skin(given.get("skin")):
        spec.skin = given["skin"]
        given = {key: value for key, value in given.items() if key != "skin"}
    spec.own = reader.read(
        OWN_TABLE, {key: value for key, value in given.items() if key in OWN}, place
    )
    for key, value in given.items():
        if key in OWN:
            continue
        if key == "tiles" and is_tiles(value):
            spec.tiles.append(value)
            continue
        if key not in parts:
            known = [*parts, *OWN]
            near = did_you_mean(key, known)
            tree.wrong(
                (*place, key),
                (
                    f"there is no such blueprint or component{near}; expected one of "
                    f"{', '.join(known)}"
                ),
            )
            continue
        part = parts[key]
        tree.spend((*place, key), COST_OF_COMPONENT * max(len(part.makes), 1))
        fields = reader.read(part.table, value, (*place, key))
        spec.parts.append((part, fields))
        spec.bad |= (
            {(key, name) for name in value if name not in fields}
            if isinstance(value, dict)
            else {(key, "")}
        )
    spec.parts.sort(key=lambda entry: not entry[0].is_blueprint)
    if (name := spec.own.get("material")) is not None:
        if name in materials:
            spec.material = materials[name]
            spec.material_name = name
        elif not tree.partial:
            named = listed(materials) or "none is there"
            near = did_you_mean(name, materials)
            message = (
                f"{shown(name)} is not allowed{near}; expected the name of a material: {named}"
            )
            tree.wrong((*place, "material"), message)
    return spec


def with_material(
    part: Part, fields: dict[str, Any], material: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the fields of a part, with its material's fields as defaults."""
    found = dict(fields)
    others = {**dict(ALTERNATIVES), **{second: first for first, second in ALTERNATIVES}}
    for name, value in material.items():
        if name in part.kinds and name not in fields and others.get(name) not in fields:
            found[name] = value
    return found
