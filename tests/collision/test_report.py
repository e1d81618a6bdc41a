"""The report of contacts is remembered as long as nothing has moved, and belongs to who asks for
it.
"""

import numpy as np
import pytest

from ecs_softbody import Collider, Contacts, Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.collision.contacts import report
from tests.helpers.stepping import run_frames

FRAME = 1.0 / 60.0


def fields(contacts: Contacts) -> list[np.ndarray]:
    return [getattr(contacts, each.name) for each in Contacts.saved]


@pytest.mark.slow
@pytest.mark.parametrize("sleeping", [False, True])
def test_it_is_what_would_be_found_anew(monkeypatch, sleeping):
    sim = Simulation(world=f"report {sleeping}", sleeping=sleeping)
    sim.spawn(StaticCollider([(-5.0, 0.0), (5.0, 0.0)]))
    blobs = [
        sim.spawn(*blueprints.blob((0.9 * x, 0.5 + 0.9 * y), 0.4))
        for y in range(2)
        for x in range(3)
    ]
    moment = None
    for frame in range(240):
        sim.step(FRAME)
        if frame == 60:
            moment = sim.snapshot()
        if frame == 150:
            # seen at once, without a step
            sim.get(blobs[0], Particles).position += (0.0, 0.05)
        if frame == 180:
            sim.despawn(blobs[1])
        if frame == 200:
            sim.restore(moment)
        remembered = fields(sim.contacts)
        with monkeypatch.context() as patch:
            patch.setattr(report, "MOST", -1)
            found = fields(sim.contacts)
        for first, second in zip(remembered, found, strict=True):
            np.testing.assert_array_equal(first, second)
    sim.close()


def test_what_is_written_to_one_report_is_not_in_the_next():
    sim = Simulation(world="report written")
    sim.spawn(StaticCollider([(-5.0, 0.0), (5.0, 0.0)]))
    sim.spawn(*blueprints.blob((0.0, 0.4), 0.4))
    for _ in range(30):
        sim.step(FRAME)
    first = sim.contacts
    assert len(first)
    kept = first.impulse.copy()
    first.impulse[:] = -1.0
    np.testing.assert_array_equal(sim.contacts.impulse, kept)
    sim.close()


def test_a_frame_that_begins_with_a_search_reports_its_own_speed_alone():
    """It was that of the last frame, as long as it was greater: a ball at rest landed a second
    time.
    """
    sim = Simulation()
    sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    ball = sim.spawn(Particles([(0, 1.3)], radius=0.25), Collider())
    run_frames(sim, 27)
    sim.step()
    assert sim.contacts.of(ball).speed.max() > 4.0
    # whatever is new is searched for as the frame begins
    sim.spawn(Particles([(5, 5)], radius=0.2), Collider())
    sim.step()
    assert sim.contacts.of(ball).speed.max() < 0.1


@pytest.mark.parametrize("substeps", [1, 2, 4, 8])
@pytest.mark.parametrize("restitution", [0.5, 1.0])
def test_an_impact_is_reported_though_its_contact_ends_within_the_frame(restitution, substeps):
    """A small disc that bounces fast leaves its margin in the same frame, and a search lets its
    contact go.
    """
    for start in np.linspace(0.05, 0.2, 12):
        sim = Simulation(gravity=(0, 0), substeps=substeps)
        wall = sim.spawn(StaticCollider([(1, -5), (1, 5)]))
        body = Particles([(start, 0)], radius=0.05, velocity=[(10, 0)])
        ball = sim.spawn(body, Collider(restitution=restitution))
        total = 0.0
        for _ in range(12):
            sim.step(1 / 60)
            found = sim.contacts
            again = sim.contacts
            assert np.array_equal(found.impulse, again.impulse)
            total += float(found.impulse.sum())
            hits = found.impulse > 0.0
            assert (found.entity_a[hits] == ball).all()
            assert (found.entity_b[hits] == wall).all()
        assert total == pytest.approx(10.0 * (1.0 + restitution), rel=1e-6)
        sim.close()
