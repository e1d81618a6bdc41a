"""Check: the words of a drawing that no renderer knows are noted, with what may have been meant."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from ecs_softbody.imports.drawings.cascade import INHERITED, OWN, PRESENTATION, declarations, without_remarks
from ecs_softbody.imports.drawings.markup import local
from ecs_softbody.imports.drawings.words import DRAWN, HARMLESS, MATTER, NOTED, READ, SILENT, Notes

ATTRIBUTES = READ | HARMLESS | PRESENTATION | {"marker"}
PROPERTIES = INHERITED | OWN | HARMLESS | MATTER.keys()
BLOCK = re.compile(r"\{([^{}]*)\}")
OF_A_PAGE = ("aria-", "on", "data-", "xml")
"""Attributes that speak to other programs begin so; those with `data-` are asked for their meaning elsewhere."""


def note_unknown(root: ElementTree.Element, notes: Notes) -> None:
    """Note each element, attribute and property that is not known."""
    space = str(root.tag).rpartition("}")[0]
    for one in root.iter():
        kind = local(one.tag)
        if str(one.tag).rpartition("}")[0] != space or kind.startswith("fe"):
            continue
        if kind not in DRAWN and kind not in NOTED and kind not in SILENT:
            notes.unknown("element", kind, DRAWN | NOTED.keys())
        for name in one.attrib:
            if "}" in name or ":" in name or name in ATTRIBUTES or name.startswith(OF_A_PAGE):
                continue
            notes.unknown("attribute", name, ATTRIBUTES)
        sheet = BLOCK.findall(without_remarks("".join(one.itertext()))) if kind == "style" else []
        for key in (key for text in (one.get("style", ""), *sheet) for key in declarations(text)):
            name = key.lstrip("!")
            if kind == "style" and name.startswith("font"):  # of a font, which has words of its own
                continue
            if name in MATTER:
                notes.add(MATTER[name])
            elif name not in PROPERTIES and not name.startswith("-") and name.replace("-", "").isalpha():
                notes.unknown("property", name, PROPERTIES)
