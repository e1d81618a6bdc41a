"""Cutting while a world runs: events, links, processors, handlers, sleep, queries, bad input."""

import esper
import numpy as np
import pytest

from ecs_softbody import (
    AreaConstraint,
    Attachment,
    Collider,
    MouseJoint,
    Particles,
    PressureBody,
    ShapeMatching,
    Simulation,
    Springs,
    StaticCollider,
    blueprints,
)
from tests.fracture.measures import measure, particles
from tests.helpers.stepping import run_frames

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")


class Ear:
    """Hears an event and remembers what it said."""

    def __init__(self, *names):
        self.heard = []
        self.handlers = []
        for name in names:
            handler = self.handler(name)
            self.handlers.append(handler)
            esper.set_handler(name, handler)

    def handler(self, name):
        def hear(*told):
            self.heard.append((name, *told))

        return hear


def test_the_event_comes_when_all_pieces_exist():
    sim = Simulation(gravity=(0, 0))
    bodies = [sim.spawn(*blueprints.box((2 * k, 0), 1.0)) for k in range(2)]
    alive = []

    def look(entity, pieces):
        alive.append(
            (
                entity,
                pieces,
                [esper.entity_exists(piece) for piece in pieces],
                len(esper.get_component(Particles)),
            )
        )

    esper.set_handler("body_cut", look)
    cuts = sim.cut((-3, 0), (9, 0))
    assert alive == [(cut.entity, cut.pieces, [True, True], 4) for cut in cuts]
    assert [cut.entity for cut in cuts] == bodies


class Cutting(esper.Processor):
    """Cuts in one substep, at its place in the order."""

    def __init__(self, sim, at, *lines):
        self.sim = sim
        self.at = at
        self.lines = lines
        self.count = 0
        self.cuts = []

    def process(self, dt):
        if self.count == self.at:
            for line in self.lines:
                self.cuts += self.sim.cut(*line)
        self.count += 1


def test_what_a_game_writes_to_a_piece_at_once_stays():
    sim = Simulation(gravity=(0, 0))
    sim.spawn(*blueprints.box((0, 0), 1.0))
    sim.step()
    (cut,) = sim.cut((-9, 0.12), (9, 0.22))
    particles(cut.pieces[0]).velocity += (0, 3)
    sim.step()
    assert particles(cut.pieces[0]).velocity.mean(axis=0) == pytest.approx((0, 3), abs=0.3)


@pytest.mark.brief(6)
@pytest.mark.parametrize("priority", [1000, 860, 300, 150, 75, 10])
def test_a_processor_may_cut_at_any_place_and_no_momentum_is_lost(priority):
    sim = Simulation(gravity=(0, 0))
    body = sim.spawn(*blueprints.box((0, 0), 1.0, velocity=(3, 1)))
    cutter = Cutting(sim, 12, ((-9, 0.12), (9, 0.22)), ((0.2, -9), (0.21, 9)))
    sim.add_processor(cutter, priority=priority)
    sim.step()
    before = measure([body])
    run_frames(sim, 3)
    living = [entity for entity, _ in esper.get_component(Particles)]
    after = measure(living)
    assert len(living) >= 4
    assert after.mass == pytest.approx(before.mass, rel=1e-12)
    assert np.abs(after.momentum - before.momentum).max() < 1e-11
    assert after.first_moment == pytest.approx(
        before.first_moment + 3 / 60 * before.momentum, abs=1e-9
    )
    assert after.rest_area == pytest.approx(before.rest_area, abs=1e-9)


def test_a_handler_of_contacts_may_cut_and_a_handler_of_cuts_too():
    sim = Simulation()
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    sim.spawn(*blueprints.box((0, 1.5), 1.0))
    depth = []

    def land(event):
        if not depth:
            sim.cut((-9, 0.5), (9, 0.55))

    def again(entity, pieces):
        depth.append(pieces)
        if len(depth) == 1:
            sim.cut((0.01, -9), (0.02, 9))

    esper.set_handler("contact_begin", land)
    esper.set_handler("body_cut", again)
    run_frames(sim, 120)
    assert len(depth) == 3
    assert len(esper.get_component(Particles)) == 4


@pytest.mark.slow
def test_a_sleeping_body_is_cut_and_its_pieces_and_what_lies_on_it_are_awake():
    sim = Simulation()
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    lower = sim.spawn(*blueprints.box((0, 0.5), 1.0, shape_stiffness=1e5))
    upper = sim.spawn(*blueprints.box((0, 1.5), 1.0, shape_stiffness=1e5))
    run_frames(sim, 600)
    assert sim.is_asleep(lower)
    assert sim.is_asleep(upper)
    (cut,) = sim.cut((-2, 0.4), (2, 0.6), entity=lower)
    sim.step()
    assert not any(sim.is_asleep(entity) for entity in (*cut.pieces, upper))
    run_frames(sim, 900)
    assert measure(cut.pieces).spoiled == 0
    assert all(sim.is_asleep(piece) for piece in cut.pieces)


def test_queries_contacts_and_rays_see_the_pieces_at_once():
    sim = Simulation(gravity=(0, 0))
    body = sim.spawn(*blueprints.box((0, 0), 1.0))
    sim.spawn(StaticCollider([(-5, -0.5), (5, -0.5)]))
    sim.step()
    (cut,) = sim.cut((-2, 0), (2, 0))
    upper = max(cut.pieces, key=lambda piece: particles(piece).position[:, 1].mean())
    hit = sim.raycast((0.1, 3), (0.1, -3))
    assert hit is not None
    assert hit.entity == upper
    assert set(sim.region_query((-1, -0.45), (1, 0.45))) == set(cut.pieces)
    sim.step()
    lower = next(piece for piece in cut.pieces if piece != upper)
    assert lower in sim.touching
    assert body not in sim.touching


def linked(rows):
    sim = Simulation(gravity=(0, 0))
    body = sim.spawn(*blueprints.box((0, 0), 1.0))
    weight = sim.spawn(*blueprints.ball((3, 0), 0.2))
    link = sim.spawn(Springs([(row, 0) for row in rows], stiffness=7.0, between=(body, weight)))
    sim.step()
    return sim, body, weight, link


def test_a_link_goes_on_at_the_piece_that_has_its_row():
    sim, body, weight, link = linked([24])
    ear = Ear("link_removed")
    place = particles(body).position[24].copy()
    (cut,) = sim.cut((-2, 0.03), (2, 0.08))
    sim.step()
    springs = esper.component_for_entity(link, Springs)
    (piece, other) = springs.between
    row = springs.pairs[0, 0]
    assert piece in cut.pieces
    assert other == weight
    assert np.abs(particles(piece).position[row] - place).max() < 0.05
    assert springs.stiffness[0] == 7.0
    assert ear.heard == []


def test_a_link_whose_rows_part_becomes_two():
    sim, _, weight, link = linked([4, 24])
    (cut,) = sim.cut((-2, 0.03), (2, 0.08))
    sim.step()
    found = [(entity, s.between) for entity, s in esper.get_component(Springs) if s.between]
    assert sorted(between for _, between in found) == sorted(
        (piece, weight) for piece in cut.pieces
    )
    assert link in [entity for entity, _ in found]


def test_a_link_that_sits_on_the_body_itself_moves_to_a_piece():
    sim = Simulation(gravity=(0, 0))
    weight = sim.spawn(*blueprints.ball((3, 0), 0.2))
    box = [entry for entry in blueprints.box((0, 0), 1.0) if not isinstance(entry, Springs)]
    body = sim.spawn(*box)
    with sim:
        esper.add_component(body, Springs([(24, 0)], stiffness=7.0, between=(body, weight)))
    sim.step()
    (cut,) = sim.cut((-2, 0.03), (2, 0.08))
    sim.step()
    ((holder, springs),) = esper.get_component(Springs)
    assert holder == springs.between[0]
    assert holder in cut.pieces


@pytest.mark.slow
def test_the_same_cuts_give_the_same_result_bit_for_bit():
    def run(name):
        with Simulation(world=name) as sim:
            sim.spawn(StaticCollider([(-5, -1), (5, -1)]))
            sim.spawn(*blueprints.blob((0, 0), 0.5))
            sim.spawn(*blueprints.box((1.2, 0), 1.0))
            for frame in range(90):
                if frame % 20 == 10:
                    sim.cut((-3, -0.6 + 0.01 * frame), (3, -0.5))
                sim.step()
            return [body.position.tobytes() for _, body in esper.get_component(Particles)]

    assert run("one") == run("two")


def test_groups_of_shape_matching_are_shared_out():
    grid = [(0.3 * column, 0.3 * row) for column in range(5) for row in range(2)]
    cells = [[2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 3] for k in range(4)]
    sim = Simulation(gravity=(0, 0))
    sim.spawn(
        Particles(grid, radius=0.05),
        ShapeMatching(stiffness=[100.0, 200.0, 300.0, 400.0], groups=cells),
        Collider(outline=[0, 2, 4, 6, 8, 9, 7, 5, 3, 1]),
    )
    (cut,) = sim.cut((0.75, -1), (0.75, 2))
    left, right = (esper.component_for_entity(piece, ShapeMatching) for piece in cut.pieces)
    assert sorted(len(rows) for shape in (left, right) for rows in shape.groups) == [4, 4, 4, 4, 4]
    assert {float(value) for shape in (left, right) for value in shape.share * shape.stiffness} == {
        100,
        200,
        300,
        400,
    }
    sim.step()


def test_a_body_of_gas_alone_is_cut_too():
    angle = np.arange(12) * np.pi / 6
    sim = Simulation(gravity=(0, 0))
    sim.spawn(
        Particles(np.column_stack((np.cos(angle), np.sin(angle)))),
        PressureBody(np.arange(12), nRT=1.0),
    )
    (cut,) = sim.cut((-2, 0.1), (2, 0.1))
    assert sum(
        esper.component_for_entity(piece, PressureBody).nRT for piece in cut.pieces
    ) == pytest.approx(1.0)


def test_the_skin_for_water_and_wind_goes_to_the_pieces():
    sim = Simulation(gravity=(0, 0))
    box = blueprints.box((0, 0), 1.0)
    sim.spawn(*box)
    [cut] = sim.cut((-2, 0.05), (2, 0.05))
    assert box[-1].skin > 0.0
    assert [esper.component_for_entity(piece, Collider).skin for piece in cut.pieces] == [
        box[-1].skin
    ] * 2


def test_pieces_that_only_springs_hold_keep_their_area():
    sim = Simulation(gravity=(0, 0))
    sim.spawn(*blueprints.wheel((0, 0), 0.6))
    sim.step()
    [cut] = sim.cut((-2, 0.05), (2, 0.15))
    areas = [esper.component_for_entity(piece, AreaConstraint) for piece in cut.pieces]
    whole = measure(cut.pieces).rest_area
    assert sum(area.rest_area for area in areas) == pytest.approx(whole, rel=1e-9)
    assert all(area.stiffness > 0.0 for area in areas)


@pytest.mark.brief(2)
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_a_wheel_cut_three_times_is_nowhere_inside_out(solver):
    sim = Simulation(solver=solver)
    sim.spawn(StaticCollider([(-20, -2), (20, -2)]))
    sim.spawn(*blueprints.wheel((0, 0), 0.6))
    for start, end in [((-2, 0.1), (2, -0.2)), ((0.15, -2), (-0.2, 2)), ((-2, -1.5), (2, 1.9))]:
        sim.step()
        sim.cut(start, end)
    run_frames(sim, 300)
    assert measure(entity for entity, _ in esper.get_component(Collider)).spoiled == 0


def test_mouse_joints_go_on_at_the_pieces_that_have_their_anchors():
    sim = Simulation(gravity=(0, 0))
    ear = Ear("link_removed")
    body = sim.spawn(*blueprints.box((0, 0), 1.0))
    whole = sim.spawn(MouseJoint(body, target=(1, 1), frequency=0.3))
    corner = sim.spawn(MouseJoint(body, rows=0, target=(1, 1), frequency=0.3))
    sim.step()
    [cut] = sim.cut((-2, 0.03), (2, 0.05))
    assert ear.heard == []
    for joint in (whole, corner):
        assert esper.component_for_entity(joint, MouseJoint).entity in cut.pieces
    for _ in range(60):
        sim.step()
        assert all(np.hypot(*particles(piece).velocity.T).max() < 10.0 for piece in cut.pieces)


def test_a_cut_looks_for_no_attribute_that_may_have_been_meant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a user sees for a wrong name is a search through all names: too much for a frame, many
    times over.
    """
    searched: list[str] = []
    monkeypatch.setattr(
        "ecs_softbody.storage.component.unknown_attribute",
        lambda component, name: searched.append(name) or name,
    )
    with Simulation(world="no searches") as sim:
        blob = sim.spawn(*blueprints.blob((0.0, 0.0), 1.0, particles=24, mass=1.0))
        box = sim.spawn(*blueprints.box((3.0, 0.0), (1.01, 1.0), rows=4, columns=4, mass=1.0))
        sim.spawn(Attachment((blob, box), rows=(0, 0)))
        sim.step(1 / 60)
        cuts = sim.cut((-2.0, 0.1), (5.0, 0.1))
    assert len(cuts) == 2
    assert not searched


@pytest.mark.parametrize("place", [(0.0, 0.0), (3000.0, -500.0)])
@pytest.mark.parametrize("angle", [0.0, 0.4, 1.2, np.pi / 2, 2.5])
def test_bodies_far_from_a_cut_are_left_and_those_just_within_it_are_cut(place, angle):
    """The segment ends at the very edge of the outlines, or a little before."""
    along = np.array((np.cos(angle), np.sin(angle)))
    sim = Simulation(gravity=(0, 0))
    parts = blueprints.box(place, 1.0)
    body = sim.spawn(*parts)
    far = [
        sim.spawn(*blueprints.box(np.add(place, 9.0 * along + step), 1.0))
        for step in (0.0, (0.0, 4.0))
    ]
    reach = 0.5 * np.ptp(parts[0].position[:, 0]) / max(np.abs(along))
    assert sim.cut(place - 0.999 * reach * along, place + 0.999 * reach * along) == []
    cuts = sim.cut(place - 1.001 * reach * along, place + 1.001 * reach * along)
    assert [cut.entity for cut in cuts] == [body]
    assert all(sim.exists(entity) for entity in far)


@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e3])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_bodies_that_were_made_after_one_that_is_cut_stay_at_rest(solver, mass, count):
    """What batches of springs had copied was kept at its old index: a box flew apart at up to 9.7
    km/s.
    """
    sim = Simulation(gravity=(0, 0), solver=solver)
    body = sim.spawn(*blueprints.box((-5, 0), 1.0, mass=mass))
    others = [sim.spawn(*blueprints.box((5 + 3 * k, 0), 1.0, mass=1.0)) for k in range(count)]
    run_frames(sim, 5)
    sim.cut((-9, 0.1), (-1, 0.13), entity=body)
    run_frames(sim, 3)
    for other in others:
        assert np.abs(sim.get(other, Particles).velocity).max() < 1e-9
