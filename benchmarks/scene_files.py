"""Scene files: how long a scene of 200 bodies takes, and how much later a game starts whose scene
is a file.

    python benchmarks/scene_files.py

Every start is a process of its own; both kinds take turns, and the medians count.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

BODIES = 200
STARTS = 9
LOAD = """
import sys, time
from ecs_softbody import Simulation, scenes
sim = Simulation()
begun, used = time.perf_counter(), time.process_time()
scenes.load(sim, sys.argv[1])
print(time.perf_counter() - begun, time.process_time() - used)
"""
CODE = """
import sys, time
begun, used = time.perf_counter(), time.process_time()
from ecs_softbody import Simulation, StaticCollider, blueprints
from ecs_softbody.play import Game, Session
from ecs_softbody.rendering import Look

class Hop(Game):
    def start(self):
        self.close()
        self.sim = Simulation(world="hop")
        self.sim.spawn(StaticCollider([(-8, 9), (-8, 0), (8, 0), (8, 9)]))
        self.sim.spawn(*blueprints.blob((0, 1), 0.6), Look(fill=(98, 200, 116), eyes=2))
        self.sim.spawn(*blueprints.box((2, 1), 0.6), Look(fill=(220, 170, 90)))
        self.sim.spawn(*blueprints.rope((-4, 5), (-2, 5), pin_start=True))

Session(Hop).frame()
print(time.perf_counter() - begun, time.process_time() - used)
"""
FILE = """
import sys, time
begun, used = time.perf_counter(), time.process_time()
from ecs_softbody.play import Game, Session

class Hop(Game):
    scene = sys.argv[1]

Session(Hop).frame()
print(time.perf_counter() - begun, time.process_time() - used)
"""
HOP = """
[entities.ground]
StaticCollider = { vertices = [[-8, 9], [-8, 0], [8, 0], [8, 9]] }
[entities.hero]
blob = { center = [0, 1], radius = 0.6 }
Look = { fill = [98, 200, 116], eyes = 2 }
[entities.crate]
box = { center = [2, 1], size = 0.6 }
Look = { fill = [220, 170, 90] }
[entities.rope]
rope = { start = [-4, 5], end = [-2, 5], pin_start = true }
"""


def many_bodies() -> str:
    """Return a scene of blobs, boxes, balls and ropes by turns."""
    kinds = (
        "blob = {{ center = [{x}, {y}], radius = 0.4 }}\nLook = {{ eyes = 2 }}",
        'box = {{ center = [{x}, {y}], size = 0.7 }}\ntags = ["crate"]',
        'ball = {{ center = [{x}, {y}], radius = 0.3 }}\nmaterial = "rubber"',
        "polygon = {{ vertices = [[{x}, {y}], [{x}.5, {y}], [{x}.3, {y}.6]] }}",
    )
    lines = ["[materials.rubber]\nrestitution = 0.8\n"]
    for number in range(BODIES):
        body = kinds[number % len(kinds)].format(x=number % 20, y=number // 20)
        lines.append(f"[entities.body-{number}]\n{body}\n")
    return "\n".join(lines)


def run(code: str, path: Path) -> tuple[float, float]:
    """Return (seconds, seconds of CPU) that a process prints."""
    said = subprocess.check_output(
        [sys.executable, "-W", "ignore", "-c", code, str(path)], text=True
    ).split()
    return float(said[0]), float(said[1])


def main() -> None:
    """Print the medians."""
    with tempfile.TemporaryDirectory() as folder:
        many = Path(folder) / "many.toml"
        hop = Path(folder) / "hop.toml"
        many.write_text(many_bodies(), encoding="utf-8")
        hop.write_text(HOP, encoding="utf-8")
        loads = [run(LOAD, many) for _ in range(STARTS)]
        _tell(f"loading {BODIES} bodies", loads)
        pairs = [(run(CODE, hop), run(FILE, hop)) for _ in range(STARTS)]
        _tell("a game starts, its scene in code", [pair[0] for pair in pairs])
        _tell("a game starts, its scene in a file", [pair[1] for pair in pairs])
        _tell("later by", [(file[0] - code[0], file[1] - code[1]) for code, file in pairs])


def _tell(what: str, taken: list[tuple[float, float]]) -> None:
    wall, used = (statistics.median(one[number] for one in taken) for number in (0, 1))
    print(f"{what:38}{wall:8.3f} s {used:8.3f} s of CPU")


if __name__ == "__main__":
    main()
