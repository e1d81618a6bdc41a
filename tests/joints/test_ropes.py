"""Ropes of distance limits: they do not stretch, gain no energy, carry what hangs on them, and
break where they should.
"""

from __future__ import annotations

from typing import Any

import esper
import numpy as np
import pytest

from ecs_softbody import Collider, DistanceLimits, Drag, Particles, Simulation, StaticCollider
from tests.helpers.measures import part
from tests.helpers.stepping import run_frames

LINK = 0.1


def hang(
    sim: Simulation, count: int, end: float, *, level: bool, drag: float = 0.0, **limits: Any
) -> int:
    place = np.zeros((count + 1, 2))
    place[:, 0 if level else 1] = np.arange(count + 1) * (LINK if level else -LINK)
    mass = np.full(count + 1, 0.01)
    mass[-1] = end
    chain = np.column_stack((np.arange(count), np.arange(1, count + 1)))
    body = Particles(place, mass=mass, pinned=np.arange(count + 1) == 0)
    return sim.spawn(body, DistanceLimits(chain, **limits), *([Drag(linear=drag)] if drag else []))


def stretch(body: Particles) -> float:
    return float(np.hypot(*np.diff(body.position, axis=0).T).max() / LINK - 1.0)


def energy(body: Particles) -> float:
    kinetic = 0.5 * body.mass * (body.velocity**2).sum(axis=1)
    return float((kinetic + 9.81 * body.mass * body.position[:, 1])[1:].sum())


@pytest.mark.parametrize("end", [10.0, 18.0])
def test_a_heavy_rope_does_not_stretch_and_comes_to_rest(sim: Simulation, end: float) -> None:
    rope = hang(sim, 100, end, level=False)
    sim.step()
    limits = part(sim, rope, DistanceLimits)
    assert limits.force[-1] == pytest.approx(9.81 * end, rel=1e-6)
    assert limits.force[0] == pytest.approx(9.81 * (end + 0.99), rel=1e-6)
    for _ in range(60):
        sim.step()
        assert abs(stretch(part(sim, rope, Particles))) < 1e-9
    assert sim.is_asleep(rope)


@pytest.mark.slow
def test_a_swinging_rope_gains_no_energy(sim: Simulation) -> None:
    rope = hang(sim, 100, 10.0, level=True)
    for _ in range(300):
        sim.step()
        body = part(sim, rope, Particles)
        # what v' and x' of a substep are apart: half a substep of the weight's power
        assert energy(body) < 0.003 * 981.0
        assert stretch(body) < 0.03
    assert energy(body) > -0.1 * 981.0


@pytest.mark.slow
def test_a_pendulum_has_its_period(sim: Simulation) -> None:
    place = np.array([(0.0, 0.0), (0.01, -1.0)])
    bob = sim.spawn(Particles(place, pinned=[True, False]), DistanceLimits([(0, 1)]))
    crossings = []
    before = 0.01
    for frame in range(600):
        sim.step()
        x = part(sim, bob, Particles).position[1, 0]
        if before < 0.0 <= x:
            crossings.append((frame + before / (before - x)) / 60.0)
        before = x
    length = float(np.hypot(0.01, 1.0))
    assert np.diff(crossings).mean() == pytest.approx(
        2.0 * np.pi * np.sqrt(length / 9.81), rel=1e-3
    )


def test_a_slack_rope_pulls_only_when_taut(sim: Simulation) -> None:
    bob = sim.spawn(
        Particles([(0, 0), (0, -0.5)], pinned=[True, False]), DistanceLimits([(0, 1)], maximum=1.0)
    )
    for _ in range(10):
        sim.step()
        assert part(sim, bob, DistanceLimits).force[0] == 0.0
    assert part(sim, bob, Particles).velocity[1, 1] == pytest.approx(-9.81 / 6.0)
    for _ in range(60):
        sim.step()
        assert part(sim, bob, Particles).position[1, 1] >= -1.0 - 1e-9
    assert abs(part(sim, bob, Particles).velocity[1, 1]) < 1e-6


@pytest.mark.slow
def test_a_rope_over_a_peg_carries_a_thousand_times_its_links(sim: Simulation) -> None:
    count = 40
    sim.spawn(StaticCollider([(0, 0)], radius=0.3))
    along = np.linspace(-2.0, 2.0, count + 1)
    place = np.column_stack(
        (np.clip(along, -0.45, 0.45), 0.45 - np.maximum(np.abs(along) - 0.45, 0.0))
    )
    mass = np.full(count + 1, 0.01)
    mass[[0, -1]] = 10.0
    chain = np.column_stack((np.arange(count), np.arange(1, count + 1)))
    rope = sim.spawn(
        Particles(place, mass=mass, radius=0.05), DistanceLimits(chain), Collider(friction=0.0)
    )
    run_frames(sim, 240)
    body = part(sim, rope, Particles)
    assert stretch(body) < 0.01
    assert np.hypot(*body.position.T).min() > 0.34
    assert (body.position[[0, -1], 1] > -1.6).all()


@pytest.mark.brief(4)
@pytest.mark.parametrize(("load", "breaks"), [(0.97, False), (1.05, True)])
def test_a_bridge_breaks_just_above_its_limit(sim: Simulation, load: float, breaks: bool) -> None:
    count = 20
    limit = 5.0
    place = np.column_stack((np.linspace(0.0, 1.9, count + 1), np.zeros(count + 1)))
    ends = np.isin(np.arange(count + 1), [0, count])
    chain = np.column_stack((np.arange(count), np.arange(1, count + 1)))
    bridge = sim.spawn(
        Particles(place, mass=0.05, pinned=ends),
        DistanceLimits(chain, maximum=0.1),
        Drag(linear=2.0),
    )
    told: list[Any] = []

    def hear(*event: Any) -> None:
        told.append(event)

    with sim:
        esper.set_handler("joint_broken", hear)
    run_frames(sim, 600)
    limits = part(sim, bridge, DistanceLimits)
    strongest = limits.force.max()
    assert strongest > limit
    with sim:
        esper.component_for_entity(bridge, DistanceLimits).break_force = strongest / load
    run_frames(sim, 120)
    assert bool(told) == breaks
    if breaks:
        assert {event[:2] for event in told} == {(bridge, DistanceLimits)}
        assert len(told) == 1
        assert part(sim, bridge, DistanceLimits).row_count == count - 1
    with sim:
        esper.remove_handler("joint_broken", hear)


@pytest.mark.slow
def test_the_same_start_gives_the_same_rope() -> None:
    ends = []
    for name in ("one rope", "another rope"):
        sim = Simulation(world=name)
        rope = hang(sim, 30, 3.0, level=True)
        run_frames(sim, 200)
        ends.append(part(sim, rope, Particles).position.copy())
        sim.close()
    assert np.array_equal(*ends)


@pytest.mark.parametrize(("frequency", "speed"), [(1.0, 3.0), (3.0, 5.0), (0.5, 8.0)])
@pytest.mark.parametrize(("load", "most"), [(0.1, 1e-6), (10.0, 1e-6), (1e3, 0.1)])
def test_rods_that_a_moved_particle_swings_hold(load, most, frequency, speed):
    """Its work was taken for a gain of the joints, which then yielded: rods were up to ten times as
    long.
    """
    sim = Simulation(world="hand", substeps=8)
    length = 0.2
    count = 8
    particles = Particles(
        [(length * k, 0.0) for k in range(count)],
        mass=[0.1] * (count - 1) + [load],
        kinematic=[True] + [False] * (count - 1),
    )
    links = [(k, k + 1) for k in range(count - 1)]
    sim.spawn(particles, DistanceLimits(links, minimum=length, maximum=length))
    worst = 0.0
    for frame in range(240):
        angle = 2.0 * np.pi * frequency * frame / 60.0
        particles.velocity[0] = speed * np.cos(angle), speed * np.sin(angle)
        sim.step()
        lengths = np.hypot(*np.diff(particles.position, axis=0).T)
        worst = max(worst, float(abs(lengths / length - 1.0).max()))
    sim.close()
    assert worst < most


@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize("substeps", [2, 8, 16])
@pytest.mark.parametrize("speed", [0.3, 1.0, 2.0])
def test_a_rope_follows_what_a_game_writes(speed, substeps, solver):
    """Lengths and pinned places that are written have no velocity: the joint is behind by what it
    corrects in a substep, and no more.
    """
    sim = Simulation(world="winch", substeps=substeps, solver=solver)
    wound = Particles([(0.0, 0.0), (0.0, -3.0)], radius=0.1, pinned=[True, False])
    rope = DistanceLimits([(0, 1)], maximum=3.0)
    sim.spawn(wound, rope)
    carried = Particles([(9.0, 0.0), (9.0, -1.0)], radius=0.1, pinned=[True, False])
    sim.spawn(carried, DistanceLimits([(0, 1)], minimum=1.0, maximum=1.0))
    for frame in range(1, 76):
        rope.maximum[:] = 3.0 - speed * frame / 60.0
        carried.position[0] = 9.0 + speed * frame / 60.0, 0.0
        sim.step()
        behind = 3.0 * speed / (60.0 * substeps)
        assert np.hypot(*(wound.position[1] - wound.position[0])) < rope.maximum[0] + behind
        assert abs(np.hypot(*(carried.position[1] - carried.position[0])) - 1.0) < behind
    sim.close()
