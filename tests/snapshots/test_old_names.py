"""Files from before resources had names of their own are read: stages had those of their classes."""

from __future__ import annotations

from pathlib import Path

from ecs_softbody import Simulation, StaticCollider, blueprints

OLD = Path(__file__).with_name("classes_as_names.snapshot")
"""The world below after 40 frames, as such a version has written it. It has no attachments, whose law is another since."""


def test_a_file_with_names_of_classes_goes_on_as_its_world_did() -> None:
    sim = Simulation(world="before", substeps=4)
    sim.spawn(*blueprints.box((0.0, 0.6), 0.8))
    sim.spawn(*blueprints.ball((0.0, 1.8), 0.2))
    sim.spawn(*blueprints.rope((-2.0, 3.0), (0.0, 3.0)))
    sim.spawn(StaticCollider([(-3, 0), (3, 0)]))
    for _ in range(40):
        sim.step()
    other = Simulation(world="after", substeps=4)
    other.restore(OLD)
    assert other.state_hash() == sim.state_hash()
    for _ in range(60):
        sim.step()
        other.step()
        assert other.state_hash() == sim.state_hash()
    other.close()
    sim.close()
