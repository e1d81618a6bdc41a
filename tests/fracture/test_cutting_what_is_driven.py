"""Cuts and tears of bodies with muscles, pumps and joints: what drives a body goes on in the piece
that has it.
"""

import esper
import numpy as np
import pytest

from ecs_softbody import (
    AngularMuscles,
    AngularSprings,
    Inflation,
    MouseJoint,
    Muscles,
    Particles,
    PressureBody,
    Simulation,
    Springs,
    Tearing,
    blueprints,
    scenes,
)
from ecs_softbody.fracture.cutter import Cutter
from tests.fracture.measures import particles
from tests.helpers.stepping import run_frames

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")


def rope(count=9, **muscle):
    """A rope along x without weight, a muscle in every spring; returns (simulation, entity)."""
    sim = Simulation(gravity=(0, 0))
    place = [(float(k), 0.0) for k in range(count)]
    springs = Springs([(k, k + 1) for k in range(count - 1)], stiffness=100.0, damping=1.0)
    return sim, sim.spawn(Particles(place), springs, Muscles(range(count - 1), **muscle))


def test_muscles_go_on_in_the_piece_that_has_their_spring():
    sim, entity = rope(amplitude=0.1, frequency=2.0, phase=np.linspace(0.0, 2.0, 8))
    run_frames(sim, 20)
    (cut,) = sim.cut((3.5, -1), (3.5, 1), entity=entity)
    for frame in range(40):
        sim.step()
        phases = []
        for piece in cut.pieces:
            muscles, springs = (
                esper.component_for_entity(piece, kind) for kind in (Muscles, Springs)
            )
            wave = 1.0 + 0.1 * np.sin(2.0 * np.pi * 2.0 * sim.time + muscles.phase)
            assert np.allclose(springs.rest_length[muscles.rows], wave, atol=1e-12), frame
            phases += muscles.phase.tolist()
        assert sorted(phases) == pytest.approx([k * 2 / 7 for k in range(8) if k != 3])


def test_a_ramp_goes_on_where_it_was_after_a_cut_and_after_a_tear():
    sim, entity = rope(target=2.0, rate=1.0)
    run_frames(sim, 30)
    sim.cut((0.5, -1), (0.5, 1), entity=entity)
    sim.step()
    for _, springs in esper.get_component(Springs):
        assert np.allclose(springs.rest_length, 1.0 + sim.time)


def test_a_muscle_knows_its_spring_after_another_one_of_a_net_was_torn_and_then_a_cut_parts_it():
    sim = Simulation(gravity=(0, 0))
    square = Particles([(0, 0), (1, 0), (1, 1), (0, 1), (5, 0), (6, 0)])
    springs = Springs([(0, 1), (1, 2), (2, 3), (3, 0), (1, 4), (4, 5)], stiffness=10.0)
    net = sim.spawn(square, springs, Muscles([0, 5], target=[1.0, 1.5]))
    sim.step()
    # takes the spring of the first muscle away
    (first,) = sim.cut((0.5, -0.5), (0.5, 0.5), entity=net)
    assert first.pieces == (net,)
    (second,) = sim.cut((3, -1), (3, 1), entity=net)
    sim.step()
    far = max(second.pieces, key=lambda piece: particles(piece).position[:, 0].mean())
    near = min(second.pieces, key=lambda piece: particles(piece).position[:, 0].mean())
    assert esper.component_for_entity(far, Springs).rest_length == pytest.approx([1.5])
    assert np.allclose(esper.component_for_entity(near, Springs).rest_length, 1.0)


def test_angular_muscles_go_on_too():
    sim = Simulation(gravity=(0, 0))
    place = [(float(k), 0.0) for k in range(7)]
    entity = sim.spawn(
        Particles(place),
        Springs([(k, k + 1) for k in range(6)], stiffness=100.0, damping=1.0),
        AngularSprings([(k, k + 1, k + 2) for k in range(5)], stiffness=1.0),
        AngularMuscles(range(5), amplitude=0.2, frequency=1.0, phase=np.arange(5.0)),
    )
    run_frames(sim, 10)
    (cut,) = sim.cut((2.5, -1), (2.5, 1), entity=entity)
    run_frames(sim, 10)
    phases = []
    for piece in cut.pieces:
        muscles = esper.try_component(piece, AngularMuscles)
        if muscles is not None:
            bent = esper.component_for_entity(piece, AngularSprings).rest_angle[muscles.rows]
            wave = np.pi + 0.2 * np.sin(2 * np.pi * sim.time + muscles.phase)
            assert np.allclose(np.exp(1j * bent), np.exp(1j * wave))
            phases += muscles.phase.tolist()
    assert sorted(phases) == [0.0, 3.0, 4.0]


def test_a_pump_goes_on_with_its_share_of_the_gas():
    sim = Simulation(gravity=(0, 0))
    entity = sim.spawn(*blueprints.blob((0, 0), 1.0), Inflation(target=2.0, rate=1.0))
    sim.step()
    whole = esper.component_for_entity(entity, PressureBody).nRT / (1 + sim.time)
    (cut,) = sim.cut((-2, 0.3), (2, 0.3))
    for _ in range(30):
        sim.step()
        gas = [float(esper.component_for_entity(piece, PressureBody).nRT) for piece in cut.pieces]
        assert sum(gas) == pytest.approx(whole * (1 + sim.time))
    shares = [float(esper.component_for_entity(piece, Inflation).base) for piece in cut.pieces]
    assert sum(shares) == pytest.approx(whole)
    assert gas == pytest.approx([share * (1 + sim.time) for share in shares])


def test_muscles_of_springs_between_two_bodies_go_along_with_these():
    sim = Simulation(gravity=(0, 0))
    box = sim.spawn(*blueprints.box((0, 0), 1.0))
    weight = sim.spawn(*blueprints.ball((3, 0), 0.2))
    link = sim.spawn(
        Springs([(4, 0), (24, 0)], stiffness=7.0, between=(box, weight), rest_length=[2.0, 3.0]),
        Muscles([0, 1], target=[1.1, 1.2]),
    )
    sim.step()
    sim.cut((-2, 0.03), (2, 0.08), entity=box)
    sim.step()
    found = {holder: springs for holder, springs in esper.get_component(Springs) if springs.between}
    assert link in found
    assert len(found) == 2
    assert sorted(float(springs.rest_length[0]) for springs in found.values()) == pytest.approx(
        [2.2, 3.6]
    )
    for holder, springs in found.items():
        esper.component_for_entity(holder, Muscles).target = 0.5
        sim.step()
        assert springs.rest_length[0] in (1.0, 1.5)


def test_a_mouse_joint_whose_rows_part_goes_with_an_event():
    sim, entity = rope()
    held = sim.spawn()
    parted = sim.spawn()
    with sim:
        esper.add_component(held, MouseJoint(entity, target=(0, 1), rows=[0, 1]))
        esper.add_component(parted, MouseJoint(entity, target=(4, 1), rows=[3, 4]))
    sim.step()
    heard = []

    def hear(*told):
        heard.append(told)

    esper.set_handler("link_removed", hear)
    (cut,) = sim.cut((3.5, -1), (3.5, 1), entity=entity)
    sim.step()
    assert heard == [(parted, MouseJoint, entity)]
    assert esper.component_for_entity(held, MouseJoint).entity in cut.pieces


def test_a_piece_that_is_deleted_at_once_takes_its_links_along():
    sim = Simulation(gravity=(0, 0))
    box = sim.spawn(*blueprints.box((0, 0), 1.0))
    weight = sim.spawn(*blueprints.ball((3, 0), 0.2))
    link = sim.spawn(
        Springs([(24, 0)], stiffness=7.0, between=(box, weight)), Muscles([0], target=1.1)
    )
    sim.step()
    heard = []

    def hear(*told):
        heard.append(told[:2])

    esper.set_handler("link_removed", hear)
    sim.cut((-2, 0.03), (2, 0.08), entity=box)
    sim.despawn(esper.component_for_entity(link, Springs).between[0])
    sim.step()
    assert heard == [(link, Springs), (link, Muscles)]
    sim.step()


def test_a_body_torn_by_its_muscles_keeps_those_that_are_left():
    sim, entity = rope(count=4, target=[1.0, 3.0, 1.0])
    with sim:
        esper.add_component(entity, Tearing(strain=0.5))
        body = esper.component_for_entity(entity, Particles)
        body.velocity[:, 0] = (-20.0, 0.0, 0.0, 0.0)
    run_frames(sim, 30)
    assert len(esper.get_component(Particles)) > 1
    assert all(len(muscles.rows) for _, muscles in esper.get_component(Muscles))


@pytest.mark.parametrize("frames", [0, 1, 5])
@pytest.mark.parametrize("torn", [(0,), (2,), (0, 3), (1, 2, 4), (5,)])
def test_a_scene_has_the_rows_of_the_springs_that_are_left(tmp_path, torn, frames):
    """A ring of six with two chords holds together; muscles are on every other spring."""
    sim = Simulation(gravity=(0, 0))
    angle = np.linspace(0.0, 2.0 * np.pi, 6, endpoint=False)
    pairs = [(k, (k + 1) % 6) for k in range(6)] + [(0, 3), (1, 4), (2, 5)]
    lengths = 0.5 + 0.125 * np.arange(9.0)
    body = sim.spawn(
        Particles(np.column_stack((np.cos(angle), np.sin(angle)))),
        Springs(pairs, stiffness=20.0, damping=1.0, rest_length=lengths),
        Muscles([0, 2, 3, 5], amplitude=0.1, frequency=1.0),
    )
    run_frames(sim, 3)
    left = dict(enumerate(lengths))
    for row in sorted(torn, reverse=True):
        with sim:
            Cutter(sim.buffers).tear(body, row)
        del left[row]
    run_frames(sim, frames)
    path = tmp_path / "torn.toml"
    scenes.save(sim, path)
    assert scenes.check(path) == ()
    loaded = scenes.open(path).sim
    (found,) = loaded.entities(Muscles)
    muscles = loaded.get(found, Muscles)
    driven = [row for row in (0, 2, 3, 5) if row in left]
    assert muscles.rows.tolist() == [list(left).index(row) for row in driven]
    assert np.allclose(muscles.base, lengths[driven])
    if frames:
        here = sim.get(body, Muscles)
        kept = np.isin(here.base, lengths[driven])
        assert here.rows[kept].tolist() == muscles.rows.tolist()
    loaded.close()
    sim.close()


@pytest.mark.parametrize("steps_between", [0, 2])
@pytest.mark.parametrize("added_late", [False, True])
@pytest.mark.parametrize("torn", [(0,), (1,), (0, 3), (1, 2), (5, 4, 3), (0, 1, 2, 3, 4, 5)])
def test_muscles_of_parallel_springs_keep_to_their_own(tmp_path, torn, added_late, steps_between):
    """Springs 0 to 5 join the same two particles, and two more of them hold all together."""
    sim = Simulation(gravity=(0, 0))
    lengths = 0.5 + 0.125 * np.arange(8.0)
    parts = [Muscles([0, 1, 3, 5], amplitude=0.1, frequency=1.0)]
    body = sim.spawn(
        Particles([(0, 0), (1, 0), (0, 1)]),
        Springs([(0, 1)] * 6 + [(0, 2), (1, 2)], stiffness=20.0, rest_length=lengths),
        *([] if added_late else parts),
    )
    run_frames(sim, 3)
    if added_late:
        with sim:
            esper.add_component(body, parts[0])
    left = list(range(8))
    for row in torn:
        with sim:
            Cutter(sim.buffers).tear(body, left.index(row))
        left.remove(row)
        run_frames(sim, steps_between)
    sim.step()
    springs = sim.get(body, Springs)
    if not {0, 1, 3, 5} - {*torn}:
        assert not sim.has(body, Muscles)
        return
    muscles = sim.get(body, Muscles)
    for muscle, row in enumerate((0, 1, 3, 5)):
        driven = int(muscles.stage_column("driven")[muscle])
        if row in torn:
            assert driven == -1
        else:
            assert driven - springs.row_start == left.index(row) == muscles.rows[muscle]
            assert muscles.base[muscle] == lengths[row]
    scenes.save(sim, tmp_path / "parallel.toml")
    assert scenes.check(tmp_path / "parallel.toml") == ()
    sim.close()


def test_muscles_without_any_spring_are_left_out_of_a_scene(tmp_path):
    sim = Simulation(gravity=(0, 0))
    body = sim.spawn(Particles([(0, 0), (1, 0)]), Springs([(0, 1)], stiffness=1.0), Muscles([0]))
    run_frames(sim, 2)
    with sim:
        esper.remove_component(body, Springs)
    for path in (tmp_path / "at_once.toml", tmp_path / "later.toml"):
        scenes.save(sim, path)
        assert scenes.check(path) == ()
        sim.step()
    sim.close()


def test_a_net_that_is_cut_before_its_first_step_can_be_saved_and_loaded():
    sim = Simulation(gravity=(0, 0))
    places = [(0, 0), (1, 0), (1, 1), (0, 1)]
    pairs = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
    body = sim.spawn(Particles(places), Springs(pairs, stiffness=10.0), Muscles([4, 0]))
    sim.cut((0.75, 0.25), (0.25, 0.75), entity=body)
    (muscles,) = (muscles for _, muscles in esper.get_component(Muscles))
    assert muscles.rows.tolist() == [4, 0]
    assert (muscles.ends[0] < 0).all()
    content = sim.snapshot().to_bytes()
    other = Simulation(world="loaded")
    other.restore(content)
    for _ in range(3):
        sim.step()
        other.step()
        assert other.state_hash() == sim.state_hash()
    other.close()
    sim.close()
