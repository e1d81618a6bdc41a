"""Cutting bodies with a closed outline: what is kept, which cuts count, how the pieces are made."""

import math

import esper
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_softbody import (
    AngularSprings,
    AreaConstraint,
    Collider,
    Drag,
    Particles,
    Plasticity,
    PressureBody,
    ShapeMatching,
    Simulation,
    Springs,
    StaticCollider,
    blueprints,
)
from ecs_softbody.geometry.polygon import signed_area
from tests.fracture.measures import BODIES, COMB, measure, particles, same, top_speed
from tests.helpers.stepping import run_frames

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")


def world(name, gravity=(0, 0), *extra):
    sim = Simulation(gravity=gravity)
    return sim, sim.spawn(*BODIES[name](), *extra)


@pytest.mark.brief(5)
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("angle", [0.0, 0.7, 1.6, 2.5])
def test_a_spinning_body_that_flies_loses_nothing(name, angle):
    sim, body = world(name)
    sim.step()
    place = particles(body).position
    arm = place - place.mean(axis=0)
    particles(body).velocity = (
        (2, -1) + 4 * np.column_stack((-arm[:, 1], arm[:, 0])) + 0.3 * np.sin(9 * place)
    )
    before = measure([body])
    away = 3 * np.array([math.cos(angle), math.sin(angle)])
    middle = place.mean(axis=0) + np.array([0.03, 0.02])
    (cut,) = sim.cut(middle - away, middle + away)
    assert cut.entity == body
    assert len(cut.pieces) >= 2
    assert not esper.entity_exists(body)
    same(before, measure(cut.pieces))
    sim.step()
    after = measure(cut.pieces)
    assert np.abs(after.momentum - before.momentum).max() < 1e-11
    assert abs(after.angular_momentum - before.angular_momentum) < 1e-11


@pytest.mark.slow
@given(
    name=st.sampled_from(sorted(BODIES)),
    x=st.floats(-0.8, 0.8),
    y=st.floats(-0.8, 0.8),
    angle=st.floats(0.0, math.pi),
    length=st.floats(0.1, 4.0),
    squeeze=st.floats(0.7, 1.3),
    seed=st.integers(0, 99),
)
def test_any_cut_of_any_shape(name, x, y, angle, length, squeeze, seed):
    with Simulation(gravity=(0, 0), world="any cut") as sim:
        body = sim.spawn(*BODIES[name]())
        sim.step()
        noise = np.random.default_rng(seed).normal(scale=0.01, size=particles(body).position.shape)
        particles(body).position *= (squeeze, 1.0)
        particles(body).velocity = 30.0 * noise
        before = measure([body])
        away = 0.5 * length * np.array([math.cos(angle), math.sin(angle)])
        cuts = sim.cut(np.array([x, y]) - away, np.array([x, y]) + away)
        pieces = [piece for cut in cuts for piece in cut.pieces] or [body]
        after = measure(pieces)
        same(before, after)
        assert after.spoiled == 0
        assert all((particles(piece).mass > 0).all() for piece in pieces)
        run_frames(sim, 3)
        assert all(np.isfinite(particles(piece).position).all() for piece in pieces)
    sim.close()


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ((-2, 2), (2, 2)),  # outside
        ((-0.1, -2), (-0.1, 0.1)),  # ends inside
        ((-0.1, -0.1), (0.1, 0.2)),  # inside
        ((-2, 0.4347826), (2, 0.4347826)),  # along the upper edge
        ((-0.6, 0.2693478), (-0.2693478, 0.6)),  # through the corner
        ((-0.9, 0.0), (0.0, 0.9)),  # grazes the corner
        ((2, 0), (3, 0)),
    ],
)
def test_cuts_that_cut_nothing(start, end):
    sim, body = world("box")
    sim.step()
    before = particles(body).position.copy()
    assert sim.cut(start, end) == []
    assert sim.cut(start, end, entity=body) == []
    assert np.array_equal(particles(body).position, before)


def test_from_corner_to_corner():
    sim, _ = world("box")
    sim.step()
    (cut,) = sim.cut((-1, -1), (1, 1))
    assert len(cut.pieces) == 2
    areas = [measure([piece]).rest_area for piece in cut.pieces]
    assert areas[0] == pytest.approx(areas[1], rel=1e-9)
    # the diagonal is on both sides
    assert [particles(piece).row_count for piece in cut.pieces] == [15, 15]
    assert [particles(piece).mass.sum() for piece in cut.pieces] == pytest.approx([0.65, 0.65])


def test_the_same_cut_twice_cuts_once():
    sim, _ = world("fine box")
    sim.step()
    assert len(sim.cut((-2, 0.03), (2, 0.03))) == 1
    assert sim.cut((-2, 0.03), (2, 0.03)) == []


def test_a_comb_loses_all_its_teeth_at_once():
    sim, body = world("comb")
    sim.step()
    (cut,) = sim.cut((-3, 1.0), (3, 1.0))
    assert len(cut.pieces) == 4
    whole = abs(signed_area(np.array(COMB, float)))
    assert sorted(measure([piece]).rest_area for piece in cut.pieces) == pytest.approx(
        [0.25, 0.25, 0.25, whole - 0.75], abs=1e-9
    )
    assert body == cut.entity


def test_only_the_bodies_asked_for_are_cut_in_the_order_of_their_numbers():
    sim = Simulation(gravity=(0, 0))
    first, second, third = (sim.spawn(*blueprints.box((2 * k, 0), 1.0)) for k in range(3))
    assert [cut.entity for cut in sim.cut((-2, 0), (9, 0), entity=(third, first))] == [first, third]
    assert [cut.entity for cut in sim.cut((-2, 0.1), (3, 0.1))][-1] != second
    assert not esper.entity_exists(second)


def test_gas_and_areas_are_shared_by_rest_area():
    sim = Simulation(gravity=(0, 0))
    particles_, springs, gas, collider = blueprints.blob((0, 0), 0.5)
    body = sim.spawn(
        particles_,
        springs,
        gas,
        collider,
        AreaConstraint(gas.outline, stiffness=100.0),
        Drag(linear=0.1, quadratic=0.2),
    )
    sim.step()
    area = measure([body]).rest_area
    whole = esper.component_for_entity(body, AreaConstraint).rest_area
    (cut,) = sim.cut((-2, 0.2), (2, 0.2))
    shares = [measure([piece]).rest_area / area for piece in cut.pieces]
    for kind, name, total in ((PressureBody, "nRT", gas.nRT), (AreaConstraint, "rest_area", whole)):
        found = [getattr(esper.component_for_entity(piece, kind), name) for piece in cut.pieces]
        assert found == pytest.approx([share * total for share in shares], rel=1e-9)
    assert [particles(piece).mass.sum() for piece in cut.pieces] == pytest.approx(shares, rel=0.15)
    drag = sum(
        esper.component_for_entity(piece, Drag).linear * particles(piece).row_count
        for piece in cut.pieces
    )
    assert drag == pytest.approx(24 * 0.1)


class Label:
    def __init__(self, words):
        self.words = words


def test_everything_else_is_carried_over():
    sim = Simulation(gravity=(0, 0))
    body, *others, collider = blueprints.polygon(
        [(-1, -0.5), (1, -0.5), (1, 0.5), (-1, 0.5)], friction=0.9
    )
    collider.category = 4
    collider.mask = 6
    collider.restitution = 0.7
    body.can_sleep = False
    entity = sim.spawn(
        body, *others, collider, Label("jelly"), Plasticity(yield_strain=0.2, rate=0.3)
    )
    sim.step()
    springs = others[0].stiffness[0]
    angles = others[1].stiffness[0]
    (cut,) = sim.cut((0.1, -2), (0.15, 2))
    for piece in cut.pieces:
        got = {type(entry): entry for entry in esper.components_for_entity(piece)}
        assert got[Label].words == "jelly"
        assert got[Plasticity].rate == 0.3
        assert not got[Particles].can_sleep
        assert (got[Collider].category, got[Collider].mask, got[Collider].restitution) == (
            4,
            6,
            0.7,
        )
        assert got[ShapeMatching].stiffness == others[3].stiffness
        ring = got[Collider].outline
        edges = {
            frozenset(pair) for pair in zip(ring.tolist(), np.roll(ring, 1).tolist(), strict=True)
        }
        assert edges <= {frozenset(pair) for pair in got[Springs].pairs.tolist()}
        assert (got[Springs].stiffness == springs).all()
        assert set(got[AngularSprings].triples[:, 1].tolist()) == set(ring.tolist())
        assert (got[AngularSprings].stiffness == angles).all()
    assert esper.component_for_entity(cut.pieces[0], Label) is not esper.component_for_entity(
        cut.pieces[1], Label
    )
    assert entity == cut.entity


def test_pinned_particles_stay_pinned():
    sim, body = world("box", (0, -9.81))
    sim.step()
    particles(body).pinned[[20, 24]] = True
    (cut,) = sim.cut((-2, 0.05), (2, 0.05))
    run_frames(sim, 60)
    held = [particles(piece).pinned.sum() for piece in cut.pieces]
    assert sorted(held) == [0, 2]
    lower = cut.pieces[held.index(0)]
    assert particles(lower).position[:, 1].max() < -1.0


@pytest.mark.brief(5)
@pytest.mark.parametrize("name", BODIES)
def test_pieces_part_softly_from_rest(name):
    sim, _ = world(name)
    run_frames(sim, 30)
    (cut,) = sim.cut((-3, -0.9), (3, 1.1))
    speed = 0.0
    for _ in range(90):
        sim.step()
        speed = max(speed, top_speed(cut.pieces))
    # the chords of a blob carry most of its gas, and a cut lets go of them
    assert speed < 3.5
    assert measure(cut.pieces).spoiled == 0


def cut_at_random(sim, living, rng):
    """Cut all living bodies along one random line, and put the fragments in their place."""
    middle = rng.uniform((-1, -1), (1, 0))
    angle = rng.uniform(0, math.pi)
    away = rng.uniform(0.2, 3) * np.array([math.cos(angle), math.sin(angle)])
    for cut in sim.cut(middle - away, middle + away):
        living.remove(cut.entity)
        living += cut.pieces


@pytest.mark.brief(7)
@pytest.mark.parametrize("name", BODIES)
def test_no_skin_has_a_gap(name):
    """However short a rest of an edge is that a cut leaves:
    gas would pull a fragment apart there.
    """
    sim, body = world(name)
    living = [body]
    rng = np.random.default_rng(1)
    for _ in range(40):
        cut_at_random(sim, living, rng)
        sim.step()
    assert len(living) > 5
    for piece in living:
        ring = esper.component_for_entity(piece, Collider).outline.tolist()
        springs = {
            frozenset(pair) for pair in esper.component_for_entity(piece, Springs).pairs.tolist()
        }
        assert {frozenset(pair) for pair in zip(ring, ring[1:] + ring[:1], strict=True)} <= springs


def fifty_random_cuts(name, seed):
    """Cut a body in a trough 50 times; return how many pieces there are in the end, and how many
    are inside out.
    """
    with Simulation(world=f"{name} {seed}") as sim:
        living = [sim.spawn(*BODIES[name]())]
        rng = np.random.default_rng(seed)
        sim.spawn(StaticCollider([(-9, 4), (-9, -1.2), (9, -1.2), (9, 4)]))
        run_frames(sim, 60)
        before = measure(living)
        for _ in range(50):
            cut_at_random(sim, living, rng)
            run_frames(sim, 3)
        # large fragments of a blob roll away, and rolling resistance takes 0.1 m/s²
        run_frames(sim, 600)
        after = measure(living)
        assert len(living) > 10
        assert after.mass == pytest.approx(before.mass, rel=1e-9)
        assert after.rest_area == pytest.approx(before.rest_area, abs=1e-9)
        assert top_speed(living) < 1.0
        assert all(abs(particles(piece).position).max() < 9.2 for piece in living)
    sim.close()
    return len(living), after.spoiled


@pytest.mark.slow
@pytest.mark.sample(4)
@pytest.mark.xfail(
    strict=False,
    reason="friction of the substep before shakes fragments that are pressed from all sides",
)
@pytest.mark.parametrize("seed", range(1, 5))
def test_fifty_random_cuts_in_a_row(seed):
    """Of all pieces 1 in 100 at most is spoiled: slivers at the bottom of the heap."""
    pieces, spoiled = np.sum([fifty_random_cuts(name, seed) for name in BODIES], axis=0)
    assert spoiled <= 0.01 * pieces
