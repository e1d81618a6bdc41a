"""What its weight or load strains by more than half is told once, with a cure; what is meant to give is not."""

import warnings

import pytest

from ecs_softbody import Attachment, Simulation, StaticCollider, StrainWarning, blueprints

GROUND = [(-900.0, 0.0), (900.0, 0.0)]


def told(*bodies, gravity=(0.0, -9.81), solver="saturated", seconds=6, joined=False):
    """Return what is said about bodies over a ground."""
    sim = Simulation(gravity=gravity, solver=solver)
    sim.spawn(StaticCollider(GROUND))
    entities = [sim.spawn(*parts) for parts in bodies]
    if joined:
        sim.spawn(Attachment(entities))
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        for _ in range(60 * seconds):
            sim.step()
    sim.close()
    return entities, [str(one.message) for one in heard if one.category is StrainWarning]


@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_a_heavy_load_on_a_rope_of_springs(solver):
    rope = blueprints.rope((0, 30), (0, 28), pin_start=True)
    (entity, _), messages = told(rope, blueprints.ball((0, 27.9), 0.2, mass=100.0), solver=solver, joined=True)
    assert len(messages) == 1
    assert messages[0].startswith(f"entity {entity}: under its weight and load, its springs are ")
    assert "DistanceLimits" in messages[0]


def test_a_blob_in_pixels():
    (entity,), messages = told(blueprints.blob((0, 60), 40.0), gravity=(0.0, -900.0))
    assert len(messages) == 1
    assert f"entity {entity}: under its weight and load, its area is 0." in messages[0]
    assert "pixels" in messages[0]


def test_what_lies_under_a_load():
    blob, load = blueprints.blob((0, 0.5), 0.5), blueprints.box((0, 2.1), (2, 1), mass=200.0)
    (entity, _), messages = told(blob, load)
    assert [message.split(":")[0] for message in messages] == [f"entity {entity}"]


def test_of_a_crowd_a_few_are_told():
    bodies = [blueprints.blob((100.0 * k - 400.0, 60), 40.0) for k in range(8)]
    _, messages = told(*bodies, gravity=(0.0, -900.0))
    assert len(messages) == 5


@pytest.mark.parametrize(
    "parts",
    [
        lambda: blueprints.blob((0, 2), 0.5),
        lambda: blueprints.box((0, 50), 1.0, material="jelly"),
        lambda: blueprints.box((0, 2), 0.2),
        lambda: blueprints.polygon([(0, 1), (2, 1), (1, 3)]),
        lambda: blueprints.cloth((0, 8), (4, 4), pin_top=True),
        lambda: blueprints.rope((0, 9), (5, 9), pin_start=True),
        lambda: blueprints.ball((0, 5), 0.5),
    ],
)
def test_what_stands_or_falls_is_not(parts):
    assert told(parts(), seconds=5)[1] == []
