"""The tables of docs/order.md, made of processors/order.py and the processors of each solver."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path

from ecs_softbody import Order, Simulation
from ecs_softbody.processors import SOLVERS, FrameEnd, FrameStart
from tests.docs.snapshot_format import table
from tests.helpers.internals import processors_of_the_world

PAGE = Path(__file__).parents[2] / "docs" / "order.md"


def stages_at() -> dict[int, list[str]]:
    """Return the classes of the processors at each priority, with any solver."""
    found: dict[int, list[str]] = {Order.CUSTOM_FORCE: ["yours"]}
    for solver in SOLVERS:
        sim = Simulation(world=f"order of {solver}", solver=solver)
        with sim:
            for one in processors_of_the_world():
                names = found.setdefault(one.priority, [])
                name = f"`{type(one).__name__}`"
                if name not in names:
                    names.append(name)
        sim.close()
    return found


def substep() -> str:
    """Return the table of a substep."""
    names = stages_at()
    rows = [
        (str(int(order)), f"`{order.name}`", ", ".join(names[order]), order.doc)
        for order in sorted(Order, reverse=True)
    ]
    return table("priority, order, stage, what it does", rows)


def once_a_frame(stages: type[Enum]) -> str:
    """Return the table of the start or the end of a frame."""
    return table("stage, what it does", [(f"`{stage.name}`", stage.value) for stage in stages])


def page() -> str:
    """Return the text of the page, with tables that are made anew."""
    text = PAGE.read_text(encoding="utf-8")
    for section, made in (
        ("The start of a frame", once_a_frame(FrameStart)),
        ("Each substep", substep()),
        ("The end of a frame", once_a_frame(FrameEnd)),
    ):
        old = re.compile(rf"(?<=^## {section}\n)(.*?)^\|.*?\n(?=\n)", re.DOTALL | re.MULTILINE)
        text, count = old.subn(lambda found, made=made: found[1] + made, text)  # type: ignore[misc]
        assert count == 1, f"{section} has one table"
    return text
