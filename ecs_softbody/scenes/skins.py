"""Skins: the table `skin` of an entity, a picture on its body, and that table of a skin that is
there.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ecs_softbody.errors import FieldError
from ecs_softbody.reading import Located, named_file
from ecs_softbody.scenes.comparing import are_equal, plain_value
from ecs_softbody.scenes.model.kinds import TEXT
from ecs_softbody.scenes.model.parts import part_of
from ecs_softbody.scenes.model.tables import Table
from ecs_softbody.scenes.problems import shown

if TYPE_CHECKING:
    from ecs_softbody.rendering.world.skin import Skin
    from ecs_softbody.scenes.source_tree import SourceTree


@functools.cache
def skin_table() -> Table:
    """Return the table of a skin: `image`, the file, and the options of `Skin`."""
    from ecs_softbody.rendering.world.skin import Skin

    kinds = {name: kind for name, kind in part_of(Skin).kinds.items() if name != "picture"}
    return Table("Skin", {"image": TEXT, **kinds}, "A picture on a body; see Skin.")


def skin_schema() -> dict[str, Any]:
    """Return the JSON Schema of the key `skin`: the name of a file, or a table."""
    table = skin_table()
    fields = {name: kind.schema for name, kind in table.kinds.items()}
    described = {
        "type": "object",
        "properties": fields,
        "required": ["image"],
        "additionalProperties": False,
    }
    return {"anyOf": [{"type": "string"}, {**described, "description": table.doc}]}


def file_in(folder: Path, image: str) -> Path:
    """Return the path of a scene's picture in this folder, or of an imported map's, which may lie
    above it.

    Raises:
        ValueError: if it is outside of the folder, or has no name.
    """
    if isinstance(image, Located):
        return Path(image)
    try:
        return named_file(folder, image)
    except ValueError:
        allowed = "a file in the folder of the scene, or below it"
        raise FieldError("", "", image, allowed, in_words=shown(image)) from None


def skin_of(tree: SourceTree, image: Any, options: dict[str, Any]) -> Skin:
    """Return the skin of a picture of a scene; its file is read once for a tree, and may be gone or
    broken later.

    Raises:
        ValueError: if the picture or an option is invalid.
    """
    from ecs_softbody.rendering.world.skin import Skin

    if image in tree.pictures:
        path, texture = tree.pictures[image]
        skin = Skin(texture, **options)
        skin.file = path
        return skin
    path = file_in(tree.sources[0].path.absolute().parent.resolve(), image)
    if path not in tree.files:
        tree.files.append(path)
    if not path.exists():
        raise ValueError(f"there is no file {image[:300]!r}; expected a picture")
    skin = Skin(path, **options)
    tree.pictures[image] = (path, skin.picture)
    return skin


def are_same(first: Skin, second: Skin) -> bool:
    """Return whether two skins show the same picture in the same way."""
    one = first.arguments()
    two = second.arguments()
    return (
        one.keys() == two.keys()
        and all(are_equal(one[name], two[name]) for name in one if name != "picture")
        and (first.picture is second.picture)
    )


def table_of(skin: Skin, folder: Path) -> dict[str, Any]:
    """Return the table of a skin, for a scene in this folder.

    Raises:
        ValueError: where its picture is no file in the folder.
    """
    from ecs_softbody.rendering.world.skin import Skin

    if skin.file is None or not skin.file.resolve().is_relative_to(folder.resolve()):
        said = "one made by a program" if skin.file is None else str(skin.file)
        raise FieldError(
            "scenes.save",
            "",
            skin,
            "a picture in the folder of the scene, or below it",
            in_words=f"a Skin whose picture is {said}",
            hint=" in a file",
        )
    defaults = part_of(Skin).defaults
    given = {
        name: plain_value(value) for name, value in skin.arguments().items() if name != "picture"
    }
    kept = {name: value for name, value in given.items() if value != defaults[name]}
    return {"image": skin.file.resolve().relative_to(folder.resolve()).as_posix(), **kept}
