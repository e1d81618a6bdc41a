"""The tables of docs/order.md, made of processors/order.py and the processors of each solver."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from pathlib import Path

from ecs_softbody import Order, Simulation
from ecs_softbody.processors import SOLVERS, FrameEnd, FrameStart
from ecs_softbody.processors.stage import ALL, Stage
from tests.docs.snapshot_format import table
from tests.helpers.internals import processors_of_the_world

PAGE = Path(__file__).parents[2] / "docs" / "order.md"


def stages_at() -> dict[int, list[type[Stage]]]:
    """Return the classes of the stages at each priority, with any solver."""
    found: dict[int, list[type[Stage]]] = {}
    for solver in SOLVERS:
        sim = Simulation(world=f"order of {solver}", solver=solver)
        with sim:
            for one in processors_of_the_world():
                kinds = found.setdefault(one.priority, [])
                if type(one) not in kinds:
                    kinds.append(type(one))
        sim.close()
    return found


def substep() -> str:
    """Return the table of a substep."""
    kinds = stages_at()
    rows = [
        (
            str(int(order)),
            f"`{order.name}`",
            ", ".join(f"`{kind.__name__}`" for kind in kinds.get(order, [])) or "yours",
            order.doc,
        )
        for order in sorted(Order, reverse=True)
    ]
    return table("priority, order, stage, what it does", rows)


def access() -> str:
    """Return the table of what stages read and write."""
    rows = []
    for _, kinds in sorted(stages_at().items(), reverse=True):
        for kind in kinds:
            of_components = () if kind.reads == ALL else (one.__name__ for one in kind.components)
            read = list(dict.fromkeys([*of_components, *kind.reads]))
            rows.append((f"`{kind.__name__}`", _listed(read), _listed(kind.writes)))
    return table("stage, reads, writes", rows)


def _listed(names: Iterable[str]) -> str:
    """Return names of tables, or of columns by their tables."""
    found: dict[str, list[str]] = {}
    for name in names:
        owner, _, column = name.partition(".")
        found.setdefault(owner, []).extend([column] if column else [])
    return ", ".join(
        "all" if owner == "*" else f"`{owner}`{': ' * bool(columns)}{' '.join(columns)}"
        for owner, columns in found.items()
    ).replace("*", "\\*")


def once_a_frame(stages: type[Enum]) -> str:
    """Return the table of the start or the end of a frame."""
    return table("stage, what it does", [(f"`{stage.name}`", stage.value) for stage in stages])


def page() -> str:
    """Return the text of the page, with tables that are made anew."""
    text = PAGE.read_text(encoding="utf-8")
    for section, made in (
        ("The start of a frame", once_a_frame(FrameStart)),
        ("Each substep", substep()),
        ("What each stage reads and writes", access()),
        ("The end of a frame", once_a_frame(FrameEnd)),
    ):
        old = re.compile(rf"(?<=^## {section}\n)(.*?)^\|.*?\n(?=\n)", re.DOTALL | re.MULTILINE)
        text, count = old.subn(lambda found, made=made: found[1] + made, text)  # type: ignore[misc]
        assert count == 1, f"{section} has one table"
    return text
