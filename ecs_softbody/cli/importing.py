"""The command `ecs-softbody import FILE`."""

from __future__ import annotations

from pathlib import Path

from ecs_softbody.cli.replays import check_target
from ecs_softbody.components import StaticCollider
from ecs_softbody.errors import FieldError
from ecs_softbody.imports import KINDS, Imported, import_file
from ecs_softbody.play.sharing.films import write_png
from ecs_softbody.rendering import Look, Picture, View, WorldPainter
from ecs_softbody.rendering.backend.rasterizer import draw_image
from ecs_softbody.rendering.land.backdrop import draw_backdrop
from ecs_softbody.rendering.screen.points import USUAL_SIZE
from ecs_softbody.simulation import Simulation

MARGIN = 1.1


def world_of(name: str) -> tuple[Simulation, Imported]:
    """Return a simulation of a file's contents; a picture gets ground to fall on."""
    found = import_file(name)
    sim = Simulation(world=f"import of {name}")
    if KINDS[Path(name).suffix.lower()] == "picture":
        side = max(8.0, found.bounds[2] + 2.0)
        sim.spawn(
            StaticCollider([(-side, 8.0), (-side, 0.0), (side, 0.0), (side, 8.0)]),
            Look(style="ground"),
        )
    found.spawn(sim)
    return sim, found


def describe(name: str, out: Path | None) -> str:
    """Return a description of a file's contents, and draw them into the PNG file `out`, if
    given.
    """
    if out is not None:
        if out.suffix.lower() != ".png":
            raise FieldError("--out", "", out, "a file that ends in .png")
        check_target(out)
    sim, found = world_of(name)
    try:
        if out is not None:
            _draw(sim, found, out)
    finally:
        sim.close()
    said = f"{name}:\n{found.describe()}"
    return said if out is None else f"{said}\n{out.resolve()}"


def _view(found: Imported) -> tuple[tuple[float, float], float]:
    left, bottom, right, top = found.bounds
    wide = (right - left) * USUAL_SIZE[1] / USUAL_SIZE[0]
    return (0.5 * (left + right), 0.5 * (bottom + top)), MARGIN * max(top - bottom, wide, 0.1)


def _draw(sim: Simulation, found: Imported, out: Path) -> None:
    center, height = _view(found)
    picture = Picture(*USUAL_SIZE, View(center, height, *USUAL_SIZE))
    draw_backdrop(picture)
    WorldPainter().draw(sim, picture)
    write_png(out, draw_image(picture))
