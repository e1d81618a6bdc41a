"""docs/snapshot_format.md, made from what components and stages declare."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any

from ecs_softbody import Simulation
from ecs_softbody.collision.contact_snapshots import FIELDS
from ecs_softbody.processors import SOLVERS
from ecs_softbody.state import container
from ecs_softbody.state.tables import is_found_again
from ecs_softbody.storage import Component, PackedBuffers, declared_columns, declared_values
from ecs_softbody.storage.declared import Declared
from ecs_softbody.storage.resource import Field, Members, Part, Row
from tests.helpers.internals import stages_of

PAGE = Path(__file__).parents[2] / "docs" / "snapshot_format.md"
FRAME = PAGE.with_suffix(".txt").name
LENGTHS = {
    "bodies": "slots of Collider; of Particles for stages of sleep",
    "proxies": "bodies, then edges of walls",
    "rows": "rows of Particles that the last search knew, then vertices of walls",
    "slots": "slots of Collider",
    "walls": "slots of StaticCollider in use",
    "bodies_room, island_room": "slots of Particles, with those that are not in use",
    "walls_room": "slots of StaticCollider, with those that are not in use",
    "edges, vertices": "those of all walls",
    "joint_rows, groups": "rows that joints have, and groups of rows that share particles",
    "live": "live contacts",
    "wall_rows": "vertices of walls that the last search knew",
}
"""What shapes and limits name, where it is not the length of an array of the same section."""
Section = tuple[str, str, tuple[Field, ...]]
"""Where it is in the text of a file, what it is, its fields."""


def sections_of(path: str, doc: str, fields: tuple[Field, ...]) -> Iterator[Section]:
    """Yield a part of a file and all parts in it."""
    yield path, doc, fields
    for field in fields:
        yield from parts_in(f"{path}.{field.name}", field)


def parts_in(path: str, field: Field) -> Iterator[Section]:
    """Yield the parts in a field."""
    if isinstance(field, Part):
        yield from sections_of(path, field.doc or sentence(field.kind), field.fields)
    if isinstance(field, Row):
        for each in field.fields:
            yield from parts_in(f"{path}.{each.name}", each)
    if isinstance(field, Members):
        yield from parts_in(f"{path}[]", field.field)


def sections() -> Iterator[Section]:
    """Yield all parts of a file, those of the stages of all solvers last."""
    sims = [Simulation(world=f"page of {solver}", solver=solver) for solver in SOLVERS]
    pipelines = [stages_of(sim) for sim in sims]
    yield from sections_of("buffers", "Versions of the tables.", PackedBuffers.saved)
    yield from sections_of("pipeline", "The world besides its entities.", type(pipelines[0]).saved)
    yield from sections_of(
        "pipeline.contacts", "Contacts, and where everything was at the last search.", FIELDS
    )
    stages = {
        name: type(stage) for each in pipelines for name, stage in each.saved_stages().items()
    }
    for name, kind in sorted(stages.items()):
        yield from sections_of(f"pipeline.stages.{name}", sentence(kind), kind.saved)
    for sim in sims:
        sim.close()


def sentence(kind: type[Any]) -> str:
    """Return the first sentence of a class's documentation."""
    return inspect.cleandoc(kind.__doc__ or "").split("\n\n")[0].replace("\n", " ")


def table(names: str, rows: list[tuple[str, ...]]) -> str:
    """Return a table in Markdown."""
    titles = names.split(", ")
    lines = [titles, ["---"] * len(titles), *rows]
    return "".join(
        f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |\n" for line in lines
    )


def resources() -> str:
    """Return the sections of all resources; a part that comes again, such as a list of contacts, is
    shown once.
    """
    shown: dict[tuple[Field, ...], str] = {}
    found = []
    for path, doc, fields in sections():
        found.append(f"### {path}\n\n{doc}\n")
        if fields in shown:
            found.append(f"The same fields as in `{shown[fields]}`.\n")
            continue
        shown[fields] = path
        rows = [
            (
                f"`{each.name}`",
                each.form + ", or missing" * each.optional,
                each.shape,
                each.unit,
                each.limits,
                each.doc,
            )
            for each in fields
        ]
        found.append(table("name, type, shape, unit, allowed, what it is", rows))
    return "\n".join(found)


def allowed(entry: Declared[Any]) -> str:
    """Return what a column may hold, in words."""
    least = [f"least {entry.minimum:g}"] if entry.minimum is not None else []
    above = [f"above {entry.above:g}"] if entry.above is not None else []
    most = [f"most {entry.maximum:g}"] if entry.maximum is not None else []
    return ", ".join(
        [
            *least,
            *above,
            *most,
            *["or infinite"] * entry.infinite,
            *["NaN: not known yet"] * entry.unset,
        ]
    )


def components() -> str:
    """Return a table of columns for each component of the library."""
    found = []
    library = [
        kind for kind in Component.types if kind.__module__.startswith("ecs_softbody.components")
    ]
    for kind in sorted(library, key=lambda each: each.__name__):
        rows = []
        for store, entries in (("rows", declared_columns(kind)), ("values", declared_values(kind))):
            for name, entry in entries.items():
                if not is_found_again(name):
                    shape = f"({store}{''.join(f', {width}' for width in entry.tail)}{',' * (not entry.tail)})"
                    unit = "" if entry.unit == "1" else entry.unit
                    rows.append(
                        (f"`{name}`", entry.dtype.name, shape, unit, allowed(entry), entry.doc)
                    )
        found.append(f"### {kind.__name__}\n\n{sentence(kind)}\n\n")
        found[-1] += table("column, type, shape, unit, allowed, what it is", rows)
    return "\n".join(found)


def page() -> str:
    """Return the text of the page."""
    text = Template((Path(__file__).parent / FRAME).read_text(encoding="utf-8"))
    return text.substitute(
        magic=repr(container.MAGIC).replace("'", '"'),
        header=container.HEADER.format,
        format=container.FORMATS["snapshot"],
        lengths=table(
            "length, what it counts", [(f"`{name}`", what) for name, what in LENGTHS.items()]
        ),
        components=components(),
        resources=resources(),
    )
