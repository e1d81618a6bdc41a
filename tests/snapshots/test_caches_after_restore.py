"""Whatever a world has cached before a restore is right afterwards, too."""

from __future__ import annotations

from typing import Any

import pytest

from ecs_softbody import Particles, Simulation, StaticCollider, blueprints, register_component
from ecs_softbody.rendering import Picture, View
from ecs_softbody.rendering.world.world_painter import WorldPainter


@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_sleepers_sleep_on_where_columns_have_moved(solver: str) -> None:
    sim = Simulation(world="sleepers", solver=solver)
    sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    sleeper = sim.spawn(*blueprints.ball((0, 0.3), 0.3, mass=1.0, restitution=0.0))
    while not sim.is_asleep(sleeper):
        sim.step()
    snapshot = sim.snapshot()
    sim.step()  # now the columns that a game may write to are listed
    expected = sim.state_hash()
    sim.restore(snapshot)
    later = sim.spawn(*blueprints.ball((4, 3), 0.3, mass=1.0))
    sim.interpolated_positions()
    held = sim.get(later, Particles).position
    sim.restore(snapshot)  # moves the column, so that `held` cannot write to it
    sim.step()
    assert len(held) == 1
    assert sim.is_asleep(sleeper)
    assert sim.state_hash() == expected
    sim.get(sleeper, Particles).position[:] += (0, 1)
    sim.step()
    assert not sim.is_asleep(sleeper)
    sim.close()


def test_walls_that_a_game_writes_to_wake_sleepers_where_columns_have_moved() -> None:
    sim = Simulation(world="walls")
    wall = sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    sleeper = sim.spawn(*blueprints.ball((0, 0.3), 0.3, mass=1.0, restitution=0.0))
    while not sim.is_asleep(sleeper):
        sim.step()
    snapshot = sim.snapshot()
    sim.step()
    later = sim.spawn(StaticCollider([(20, 0), (22, 0)]))
    sim.interpolated_positions()
    held = sim.get(later, StaticCollider).vertices
    sim.restore(snapshot)
    sim.step()
    assert len(held) == 2
    assert sim.is_asleep(sleeper)
    sim.get(wall, StaticCollider).vertices[:] += (0, 0.1)
    sim.step()
    assert not sim.is_asleep(sleeper)
    sim.close()


def file_of(*components: Any) -> tuple[bytes, int]:
    """Return a file with one entity after a step, and the version of its packed rows."""
    sim = Simulation(world="writer")
    sim.spawn(*components)
    sim.step()
    content = sim.snapshot().to_bytes()
    version = sim.buffers.version
    sim.close()
    return content, version


def test_versions_of_a_file_are_new_ones_in_the_world_that_loads_it() -> None:
    content, version = file_of(*blueprints.rope((0, 0), (1, 1)))
    sim = Simulation(world="reader")
    sim.spawn(*blueprints.box((0, 0), 1.0))
    sim.step()
    assert sim.buffers.version == version
    seen = set[int]()
    for _ in range(3):
        seen |= {sim.buffers.version, sim.buffers[Particles].version}
        sim.restore(content)
        assert seen.isdisjoint([sim.buffers.version, sim.buffers[Particles].version])
    sim.close()


def test_a_picture_of_a_loaded_world_shows_its_own_bodies() -> None:
    content, version = file_of(*blueprints.rope((0, 0), (1, 1)))
    sim = Simulation(world="reader")
    sim.spawn(*blueprints.box((0, 0), 1.0))
    sim.step()
    assert sim.buffers.version == version

    def drawn(painter: WorldPainter) -> list[bytes]:
        picture = Picture(64, 64, View((0, 0), 5.0, 64, 64))
        painter.draw(sim, picture)
        return [part.tobytes() for part in picture.triangles()]

    painter = WorldPainter()
    drawn(painter)
    sim.restore(content)
    assert drawn(painter) == drawn(WorldPainter())
    sim.close()


class Seed:
    """A component with one large number."""

    def __init__(self, value: int) -> None:
        self.value = value


def test_large_numbers_of_a_game_are_no_versions() -> None:
    register_component(Seed, save=lambda seed: seed.value, load=Seed)
    content, _ = file_of(*blueprints.box((0, 0), 1.0), Seed(2**64 - 1))
    sim = Simulation(world="reader")
    sim.restore(content)
    sim.step()
    sim.spawn(*blueprints.ball((0, 3), 0.3))
    sim.step()
    before = sim.state_hash()
    sim.restore(sim.snapshot().to_bytes())
    assert sim.state_hash() == before
    assert sim.buffers.version < 1000
    sim.close()
