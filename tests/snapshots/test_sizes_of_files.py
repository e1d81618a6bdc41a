"""How much files may ask for: what is written can be read,
and a hostile one gets 500 MB at most.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ecs_softbody import Simulation, SnapshotError, blueprints
from ecs_softbody.state import container
from tests.snapshots.tampering import Parts

MOST = 500e6
READ = """
import sys, warnings
from ecs_softbody import Simulation, SnapshotError, blueprints
def memory(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name)) * 1024
warnings.simplefilter("ignore")
sim = Simulation(world="reads")
sim.spawn(*blueprints.blob((0, 3), 0.5))
sim.step()
before = memory("VmRSS")
try:
    sim.restore(sys.argv[1])
except SnapshotError:
    pass
for _ in range(10):
    sim.step()
print(memory("VmHWM") - before)
"""


@pytest.fixture
def data(sim: Simulation) -> bytes:
    sim.spawn(*blueprints.blob((0, 3), 0.5))
    sim.step()
    return sim.snapshot().to_bytes()


@pytest.mark.slow
def test_a_world_that_was_large_can_be_read(sim: Simulation) -> None:
    gone = [sim.spawn(*blueprints.blob((1.2 * place, 3), 0.5)) for place in range(3000)]
    sim.spawn(*blueprints.blob((-3, 3), 0.5))
    for each in gone:
        sim.despawn(each)
    sim.step()
    before = sim.state_hash()
    sim.restore(sim.snapshot().to_bytes())
    assert sim.state_hash() == before


@pytest.mark.parametrize("part", ["rows", "values"])
def test_the_room_of_tables_has_a_limit(sim: Simulation, data: bytes, part: str) -> None:
    parts = Parts(data)
    place = next(
        place for place, (name, _) in enumerate(parts.text["tables"]) if name == "Particles"
    )
    with pytest.raises(SnapshotError, match="arrays of more than"):
        sim.restore(parts.with_value(("tables", place, 1, part, "capacity"), 1 << 30))


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="needs to know how much memory was in use"
)
@pytest.mark.parametrize("has_columns", [True, False])
def test_a_hostile_file_gets_little_memory(tmp_path: Path, data: bytes, has_columns: bool) -> None:
    parts = Parts(data)
    parts.text["lists"] = [[]] * (container.LONGEST_TEXT // 3 - 20_000)
    if has_columns:
        count = (container.LARGEST - 2 * container.LONGEST_TEXT) // 16
        rows = next(table for name, table in parts.text["tables"] if name == "Particles")["rows"]
        rows["count"] = rows["capacity"] = count
        for name in ("position", "velocity", "force"):
            rows["columns"][name] = {"array": [[count, 2], "<f8", len(parts.blobs)]}
        parts.blobs.append(bytes(16 * count))
    path = tmp_path / "hostile.snapshot"
    path.write_bytes(parts.with_value(("version",), "1"))
    found = subprocess.run(
        [sys.executable, "-c", READ, path], capture_output=True, text=True, check=True, timeout=60
    )
    assert int(found.stdout) < MOST


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes that are files")
def test_what_is_no_plain_file_is_refused_at_once(sim: Simulation, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        with pytest.raises(SnapshotError, match="is no plain file"):
            sim.restore(path)
    with pytest.raises(FileNotFoundError):
        sim.restore(tmp_path / "none")
