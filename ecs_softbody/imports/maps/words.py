"""Words: the keys of a format that are read, and notes on ignored keys that change the picture,
once each.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ecs_softbody.imports.options import ALIKE
from ecs_softbody.imports.reading import shortened
from ecs_softbody.validation import did_you_mean

Usual = tuple[Any, ...]
"""Values of a key with which it changes nothing."""

COMMON = {"id", "name", "type", "class", "properties", "propertytypes", "x", "y"}
"""Keys of everything in a map."""
READ: dict[str, set[str]] = {
    "map": {
        *COMMON,
        "width",
        "height",
        "tilewidth",
        "tileheight",
        "orientation",
        "infinite",
        "layers",
        "tilesets",
        "version",
        "tiledversion",
        "nextlayerid",
        "nextobjectid",
        "compressionlevel",
        "editorsettings",
        "export",
        "hexsidelength",
        "staggeraxis",
        "staggerindex",
        "parallaxoriginx",
        "parallaxoriginy",
        "skewx",
        "skewy",
        "layer",
        "objectgroup",
        "imagelayer",
        "group",
        "tileset",
    },
    "layer": {
        *COMMON,
        "width",
        "height",
        "opacity",
        "visible",
        "offsetx",
        "offsety",
        "data",
        "chunks",
        "encoding",
        "compression",
        "objects",
        "layers",
        "draworder",
        "color",
        "locked",
        "startx",
        "starty",
        "layer",
        "object",
        "objectgroup",
        "imagelayer",
        "group",
        "image",
        "transparentcolor",
        "repeatx",
        "repeaty",
        "imagewidth",
        "imageheight",
        "inside",
    },
    "tileset": {
        *COMMON,
        "firstgid",
        "source",
        "tilewidth",
        "tileheight",
        "columns",
        "margin",
        "spacing",
        "image",
        "tiles",
        "tileoffset",
        "objectalignment",
        "transparentcolor",
        "imagewidth",
        "imageheight",
        "tilecount",
        "grid",
        "transformations",
        "wangsets",
        "terrains",
        "terraintypes",
        "version",
        "tiledversion",
        "backgroundcolor",
        "tileproperties",
        "tilepropertytypes",
        "tile",
        "editorsettings",
        "export",
        "inside",
    },
    "tile": {
        *COMMON,
        "image",
        "imagewidth",
        "imageheight",
        "objectgroup",
        "terrain",
        "probability",
        "width",
        "height",
        "transparentcolor",
        "inside",
    },
    "object": {
        *COMMON,
        "width",
        "height",
        "rotation",
        "visible",
        "gid",
        "template",
        "ellipse",
        "point",
        "capsule",
        "polygon",
        "polyline",
        "text",
    },
    "ldtk project": {
        "__FORWARD_COMPAT",
        "__header__",
        "appBuildId",
        "backupLimit",
        "backupOnSave",
        "backupRelPath",
        "bgColor",
        "customCommands",
        "defaultEntityHeight",
        "defaultEntityWidth",
        "defaultGridSize",
        "defaultLevelBgColor",
        "defaultLevelHeight",
        "defaultLevelWidth",
        "defaultPivotX",
        "defaultPivotY",
        "defs",
        "dummyWorldIid",
        "exportLevelBg",
        "exportPng",
        "exportTiled",
        "externalLevels",
        "flags",
        "identifierStyle",
        "iid",
        "imageExportMode",
        "jsonVersion",
        "levelNamePattern",
        "levels",
        "minifyJson",
        "name",
        "nextUid",
        "pngFilePattern",
        "simplifiedExport",
        "toc",
        "tutorialDesc",
        "worldGridHeight",
        "worldGridWidth",
        "worldLayout",
        "worlds",
    },
    "ldtk level": {
        "__header__",
        "__bgColor",
        "__bgPos",
        "__neighbours",
        "__smartColor",
        "bgPivotX",
        "bgPivotY",
        "bgPos",
        "externalRelPath",
        "fieldInstances",
        "identifier",
        "iid",
        "layerInstances",
        "pxHei",
        "pxWid",
        "uid",
        "useAutoIdentifier",
        "world",
        "worldDepth",
        "worldX",
        "worldY",
    },
    "ldtk layer": {
        "__cHei",
        "__cWid",
        "__gridSize",
        "__identifier",
        "__opacity",
        "__pxTotalOffsetX",
        "__pxTotalOffsetY",
        "__tilesetDefUid",
        "__tilesetRelPath",
        "__type",
        "autoLayerTiles",
        "autoTiles",
        "entityInstances",
        "gridTiles",
        "iid",
        "intGrid",
        "intGridCsv",
        "layerDefUid",
        "levelId",
        "optionalRules",
        "overrideTilesetUid",
        "pxOffsetX",
        "pxOffsetY",
        "seed",
        "visible",
    },
    "ldtk entity": {
        "__grid",
        "__identifier",
        "__pivot",
        "__smartColor",
        "__tags",
        "__worldX",
        "__worldY",
        "defUid",
        "fieldInstances",
        "height",
        "iid",
        "px",
        "width",
        "x",
        "y",
    },
}
"""Keys of Tiled and LDtk that are read, and keys needed only by their editors or by unsupported
maps.
"""
LEFT_OUT: dict[str, dict[str, tuple[str, Usual]]] = {
    "map": {
        "backgroundcolor": ("its background colour", (None, "", "#00000000")),
        "renderorder": ("the order in which its tiles are drawn", ("right-down", None)),
    },
    "layer": {
        "parallaxx": ("its parallax", (None, 1)),
        "parallaxy": ("its parallax", (None, 1)),
        "tintcolor": ("its tint", (None, "", "#ffffff", "#ffffffff")),
        "mode": ("its blend mode", (None, "normal")),
    },
    "tileset": {
        "tilerendersize": ("the size at which its tiles are drawn", ("tile", None)),
        "fillmode": ("how its tiles keep their shape in objects of another one", ("stretch", None)),
    },
    "tile": {"animation": ("its animation, but for the first picture,", (None,))},
    "object": {"opacity": ("its opacity", (None, 1))},
    "ldtk project": {},
    "ldtk level": {
        "bgRelPath": ("its background picture", (None, "")),
        "bgColor": ("its background colour", (None,)),
    },
    "ldtk layer": {},
    "ldtk entity": {"__tile": ("its picture", (None,))},
    "ldtk definition": {
        "parallaxFactorX": ("its parallax", (None, 0)),
        "parallaxFactorY": ("its parallax", (None, 0)),
    },
}
"""Ignored keys that change the picture: their name in notes, and the values that have no effect."""


MOST_NOTES = 200
"""Limit of the notes of a map."""
MOST_WORDS = 1000
"""Limit of the unknown words of a map for which similar ones are looked for: that is slow."""
LONGEST_WORD = 40
"""Maximum length of a word in a lookup [characters]."""


class Notes:
    """Notes on a file, each once, in order of occurrence."""

    def __init__(self) -> None:
        self.said: dict[Any, str] = {}
        self.unsaid = 0
        """Sentences beyond `MOST_NOTES`."""
        self.words: dict[Any, str] = {}
        """Cache of hints for unknown words."""
        self.properties: dict[str, dict[str, Any]] = {}
        """Custom properties, by owner: "map", "layer NAME", "tile NUMBER of TILESET"."""

    def say(self, sentence: str, key: Any = None) -> None:
        """Keep a sentence, if it is the first about this key (the sentence by default)."""
        key = sentence if key is None else key
        if key not in self.said and len(self.said) >= MOST_NOTES:
            self.unsaid += 1
        else:
            self.said.setdefault(key, sentence)

    def _meant(self, kind: str, name: str, known: Iterable[str]) -> str:
        """Return a hint at the word that was meant; empty after `MOST_WORDS` lookups, as they are
        slow.
        """
        if (kind, name) not in self.words and len(self.words) < MOST_WORDS:
            others = {*known} - {name}
            self.words[kind, name] = did_you_mean(name[:LONGEST_WORD], others, alike=ALIKE)
        return self.words.get((kind, name), "")

    def keys(self, kind: str, where: str, raw: Mapping[str, Any]) -> None:
        """Note the keys of a part of a map that are not read.

        Args:
            kind: a key of `LEFT_OUT`; if it is not in `READ`, only the keys in `LEFT_OUT` are
                noted.
            where: name of the part.
            raw: the part.
        """
        for key, value in raw.items():
            if key in READ.get(kind, ()) or (kind not in READ and key not in LEFT_OUT[kind]):
                continue
            what, usual = LEFT_OUT[kind].get(key, (f"{shortened(key)}, which is not known,", ()))
            if value not in usual:
                self.say(f"{where}: {what} is left out", (kind, what))

    def own(
        self, kind: str, where: str, properties: Mapping[str, Any], known: Collection[str]
    ) -> None:
        """Note custom properties, once per kind of thing, and keep them.

        Args:
            kind: plural name of such things.
            where: owner of the properties, or an empty text if they are kept with it.
            properties: custom properties.
            known: options, as candidates for hints.
        """
        for name, value in properties.items():
            as_such = (
                f" with the value {shortened(value)}"
                if name in known and not isinstance(value, dict)
                else ""
            )
            said = (
                f"{kind}: the property {shortened(name)}{as_such} is none of the library's, and "
                "is kept for the game"
            )
            self.say(said + ("" if name in known else self._meant(kind, name, known)), (kind, name))
        if where and properties:
            self.properties.setdefault(where, {}).update(properties)

    def own_class(self, where: str, kind: str, known: Iterable[str]) -> None:
        """Note a class that may be misspelt, because it resembles a known one."""
        if hint := self._meant("class", kind, known):
            self.say(
                f"{where}: the class {shortened(kind)} makes it a place{hint}", ("class", kind)
            )

    def all(self) -> list[str]:
        """Return the sentences."""
        more = [f"and {self.unsaid} notes more, which are not shown"] if self.unsaid else []
        return [*self.said.values(), *more]
