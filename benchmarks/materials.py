"""Materials: how each one falls, bounces, rests and stacks, as tables and pictures for
docs/firmness.md.

python benchmarks/materials.py            # prints the tables
python benchmarks/materials.py --write    # writes them into the page, and the pictures beside it
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from ecs_softbody import Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.blueprints import MATERIALS, Material
from ecs_softbody.rendering import Camera, Look, Picture, WorldPainter, palette
from ecs_softbody.rendering.backend.rasterizer import draw_image
from ecs_softbody.rendering.land.backdrop import draw_backdrop

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "firmness.md"
SIZES = (0.05, 0.2, 1.0, 10.0)
DROP = 2.0
"""Height of a fall, over the size of what falls."""
TOWER = 14
"""The highest tower that is built."""
COLOURS = (palette.AMBER, palette.CORAL, palette.PINK, palette.GREEN, palette.BLUE, palette.SAND)
PANEL = (320, 300)
WORLDS = count()
Body = tuple[Any, ...]


@dataclass(frozen=True)
class Fall:
    """A fall from twice the size, heights over the size or over the height of the fall."""

    rest: float
    squash: float
    rebound: float
    seconds: float
    warned: int


def blob(material: str | Material, size: float, **options: Any) -> Body:
    return blueprints.blob((0, 0.5 * size), 0.5 * size, material=material, **options)


def box(material: str | Material, size: float, **options: Any) -> Body:
    return blueprints.box((0, 0.5 * size), size, material=material, **options)


def world(size: float, solver: str) -> Simulation:
    sim = Simulation(world=f"materials {next(WORLDS)}", solver=solver)
    sim.spawn(StaticCollider([(-99 * size, 0), (99 * size, 0)], friction=1.0, restitution=0.0))
    return sim


def extent(body: Particles) -> tuple[float, float]:
    """Return the lowest and the highest point of a body [m]."""
    y = body.position[:, 1]
    radius = body.radius
    return float((y - radius).min()), float((y + radius).max())


def fall(
    make: Callable[..., Body],
    material: str | Material,
    size: float = 1.0,
    solver: str = "saturated",
    *,
    seconds: float = 30.0,
) -> Fall:
    """Let a body fall by twice its size and wait until it sleeps, or for so long at 1 m."""
    sim = world(size, solver)
    parts = make(material, size)
    body: Particles = parts[0]
    body.position[:, 1] += DROP * size - extent(body)[0]
    lows = []
    heights = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        entity = sim.spawn(*parts)
        for _ in range(int(60 * seconds * max(1.0, size**0.5))):
            sim.step()
            low, high = extent(body)
            lows.append(low / size)
            heights.append((high - low) / size)
            if sim.is_asleep(entity):
                break
        sim.close()
    landed = int(np.argmax(np.array(lows) < 0.02))
    rebound = max(lows[landed + 3 :], default=0.0) / DROP
    return Fall(heights[-1], min(heights), max(rebound, 0.0), len(heights) / 60, len(caught))


def stands(
    material: str | Material, storeys: int, solver: str = "saturated", size: float = 1.0
) -> bool:
    """Tell whether a tower of boxes stands for ten seconds, or falls asleep before."""
    sim = world(size, solver)
    bodies = []
    for storey in range(storeys):
        parts = box(material, size)
        bodies.append(parts[0])
        parts[0].position[:, 1] += storey * size
        sim.spawn(*parts)
    stood = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(600):
            sim.step()
            centers = np.array([body.position.mean(axis=0) for body in bodies]) / size
            stood = bool(np.abs(centers[:, 0]).max() < 1.0 and (np.diff(centers[:, 1]) > 0.4).all())
            if not stood or sim.asleep_count == storeys:
                break
        sim.close()
    return stood


def tower(material: str | Material, solver: str = "saturated") -> int:
    """Return how many boxes stand on each other; every lower tower stands too."""
    return next((n - 1 for n in range(2, TOWER + 1) if not stands(material, n, solver)), TOWER)


def numbers_table() -> str:
    """Return what each material is, in numbers."""
    lines = [
        "| material | firmness | damping_ratio | restitution | friction | density |",
        "| --- " * 6 + "|",
    ]
    for name, m in MATERIALS.items():
        lines.append(
            f"| `{name}` | {m.firmness:g} | {m.damping_ratio:g} | {m.restitution:g} | "
            f"{m.friction:g} | {m.density:g} |"
        )
    return "\n".join(lines)


def falls_table(solver: str = "saturated") -> str:
    """Return how each material looks at 1 m."""
    head = (
        "| material | blob at rest | squashed | box at rest | squashed | blob bounces to "
        "| rests after | tower |"
    )
    lines = [head, "| --- " * 8 + "|"]
    for name in MATERIALS:
        one = fall(blob, name, solver=solver)
        other = fall(box, name, solver=solver)
        storeys = tower(name, solver)
        lines.append(
            f"| {name} | {one.rest:.2f} | {one.squash:.2f} | {other.rest:.2f} | {other.squash:.2f} "
            f"| {DROP * one.rebound:.2f} m | {one.seconds:.1f} s | "
            f"{storeys}{' or more' * (storeys == TOWER)} |"
        )
    return "\n".join(lines)


def sizes_table() -> str:
    """Return how far each material is squashed at several sizes."""
    lines = [
        "| material | " + " | ".join(f"{size:g} m" for size in SIZES) + " |",
        "| --- " * (len(SIZES) + 1) + "|",
    ]
    for name in MATERIALS:
        lines.append(
            f"| {name} | "
            + " | ".join(f"{fall(blob, name, size).squash:.2f}" for size in SIZES)
            + " |"
        )
    return "\n".join(lines)


def firmness_table() -> str:
    """Return what the first number does to a jelly."""
    lines = ["| firmness | blob at rest | squashed | tower |", "| --- " * 4 + "|"]
    for firmness in (3, 6, 12, 25, 50, 100, 400):
        made = replace(MATERIALS["jelly"], firmness=firmness)
        one = fall(blob, made)
        lines.append(f"| {firmness} | {one.rest:.2f} | {one.squash:.2f} | {tower(made)} |")
    return "\n".join(lines)


def panel(sim: Simulation, height: float, size: tuple[int, int] = PANEL) -> Image.Image:
    """Return a picture of a simulation that shows so many metres above the floor."""
    camera = Camera()
    picture = Picture(*size)
    camera.aspect = size[0] / size[1]
    camera.height = height
    camera.jump_to((0.0, 0.42 * height))
    picture.clear(*size, camera.view(*size))
    draw_backdrop(picture)
    WorldPainter().draw(sim, picture)
    return Image.fromarray(draw_image(picture))


def picture_of(material: str) -> Image.Image:
    """Return a blob and a box at rest, at their greatest squash,
    and the highest tower that stands.
    """
    look = Look(fill=COLOURS[list(MATERIALS).index(material)])
    sheet = Image.new("RGB", (3 * PANEL[0] + 8, PANEL[1]), palette.SKY_TOP)
    sim = world(1.0, "saturated")
    bodies = []
    for make, x in ((blob, -0.7), (box, 0.7)):
        parts = make(material, 1.0)
        parts[0].position[:, 0] += x
        bodies.append(parts[0])
        sim.spawn(*parts, look)
    for _ in range(300):
        sim.step()
    sheet.paste(panel(sim, 2.6), (0, 0))
    sim.close()
    sheet.paste(_squashed(material, look), (PANEL[0] + 4, 0))
    sim = world(1.0, "saturated")
    storeys = min(tower(material), 6)
    for storey in range(storeys):
        parts = box(material, 1.0)
        parts[0].position[:, 1] += storey
        sim.spawn(*parts, look)
    for _ in range(300):
        sim.step()
    sheet.paste(panel(sim, max(2.6, 1.3 * storeys)), (2 * PANEL[0] + 8, 0))
    sim.close()
    return sheet


def _squashed(material: str, look: Look) -> Image.Image:
    """Return a picture of both bodies at their lowest, each in its own moment of the same fall."""
    halves = []
    for make, x in ((blob, -0.7), (box, 0.7)):
        least = np.inf
        best = None
        for frames in (None, "found"):
            sim = world(1.0, "saturated")
            parts = make(material, 1.0)
            parts[0].position += (x, DROP)
            sim.spawn(*parts, look)
            for frame in range(90):
                sim.step()
                low, high = extent(parts[0])
                if frames is None and high - low < least:
                    least = high - low
                    best = frame
                elif frames is not None and frame == best:
                    break
            if frames is not None:
                halves.append(panel(sim, 2.6))
            sim.close()
    left, right = halves
    middle = PANEL[0] // 2
    left.paste(right.crop((middle, 0, *PANEL)), (middle, 0))
    return left


def write() -> None:
    """Write tables into the page and pictures beside it."""
    makers = {
        "numbers": numbers_table,
        "falls": falls_table,
        "sizes": sizes_table,
        "firmness": firmness_table,
    }
    tables = {mark: make() for mark, make in makers.items()}
    text = PAGE.read_text(encoding="utf-8")
    for mark, table in tables.items():
        start = f"<!-- {mark}: made by benchmarks/materials.py -->\n"
        end = f"<!-- {mark}: end -->"
        before, found, rest = text.partition(start)
        if not found or end not in rest:
            raise SystemExit(f"{PAGE.name} has no marks for the table {mark!r}")
        text = f"{before}{start}\n{table}\n\n{end}{rest.partition(end)[2]}"
    PAGE.write_text(text, encoding="utf-8")
    for name in MATERIALS:
        picture_of(name).quantize(128).save(
            PAGE.parent / "images" / f"material-{name}.png", optimize=True
        )


def main() -> None:
    """Print the tables, or write them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--write", action="store_true", help="into docs/firmness.md and docs/images"
    )
    if parser.parse_args().write:
        write()
    else:
        print(
            "\n\n".join(
                (
                    numbers_table(),
                    falls_table(),
                    falls_table("xpbd"),
                    sizes_table(),
                    firmness_table(),
                )
            )
        )


if __name__ == "__main__":
    main()
