"""Check: notes words of a drawing that no renderer knows, with the closest known words."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from ecs_softbody.imports.drawings.cascade import (
    INHERITED,
    LONG,
    LONGEST,
    OWN,
    PAINTS,
    PRESENTATION,
    SHARES,
    counts,
    without_remarks,
    written,
)
from ecs_softbody.imports.drawings.markup import local
from ecs_softbody.imports.drawings.words import (
    ANIMATED,
    DRAWN,
    HARMLESS,
    MATTER,
    NOTED,
    READ,
    SILENT,
    STILL,
    Notes,
)
from ecs_softbody.imports.reading import shortened

ATTRIBUTES = READ | HARMLESS | PRESENTATION | {"marker"}
"""All attributes that need no note."""
PROPERTIES = INHERITED | OWN | HARMLESS | MATTER.keys()
"""All properties that need no note, or have one of their own."""
OF_BOXES = (
    "-",
    "border-",
    "outline",
    "background-",
    "font-",
    "text-",
    "transition-",
    "animation-",
    "flex",
    "grid",
)
"""Properties that change no shape begin so."""
BLOCK = re.compile(r"\{([^{}]*)\}")
"""The declarations of a rule."""
OF_A_PAGE = ("aria-", "on", "data-", "xml")
"""Prefixes of attributes for other programs; `data-` attributes are handled elsewhere."""


def note_unknown(root: ElementTree.Element, notes: Notes) -> None:
    """Note each element, attribute and property that is not known."""
    space = str(root.tag).rpartition("}")[0]
    for one in root.iter():
        kind = local(one.tag)
        if str(one.tag).rpartition("}")[0] != space or kind.startswith("fe"):
            continue
        if kind in ANIMATED:
            notes.add(STILL)
            continue
        if kind not in DRAWN and kind not in NOTED and kind not in SILENT:
            notes.unknown("element", kind, DRAWN | NOTED.keys())
        for name, value in one.attrib.items() if kind not in SILENT else ():
            if name in PRESENTATION:
                _note_value(name, value.strip(), notes)
            if "}" in name or ":" in name or name in ATTRIBUTES or name.startswith(OF_A_PAGE):
                continue
            notes.unknown("attribute", name, ATTRIBUTES)
        sheet = BLOCK.findall(without_remarks("".join(one.itertext()))) if kind == "style" else []
        for key, value in (
            said for text in (one.get("style", ""), *sheet) for said in written(text)
        ):
            name = key.lstrip("!")
            if kind == "style" and name.startswith("font"):
                # Properties of fonts have words of their own.
                continue
            if name in MATTER:
                notes.add(MATTER[name])
            elif name in PROPERTIES:
                _note_value(name, value, notes)
            elif not name.startswith(OF_BOXES) and name.replace("-", "").isalpha():
                notes.unknown("property", name, PROPERTIES)


def _note_value(name: str, value: str, notes: Notes) -> None:
    """Note a value that is not read."""
    if not value or counts(name, value) or name in HARMLESS:
        return
    if len(value) > LONG.get(name, LONGEST):
        notes.add(
            f"a value of {name} is longer than {LONG.get(name, LONGEST)} letters and left out"
        )
    elif name in PAINTS:
        notes.add(f"the colour {shortened(value)[1:-1]} is not known and left out")
    else:
        notes.add(
            f"the {'opacity' if name in SHARES else 'length'} {shortened(value)[1:-1]} is not read"
        )
