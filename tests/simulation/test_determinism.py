"""Same start, same result, bit for bit: in one process, in another one, and however the entities
came to be.
"""

import hashlib
import subprocess
import sys

import numpy as np
import pytest

from ecs_softbody import Collider, Particles, Simulation, Springs, StaticCollider, blueprints
from tests.helpers.stepping import run_frames

SCENE_IN_ANOTHER_PROCESS = """
import sys
from tests.simulation.test_determinism import scene, scene_with_sleepers
print(scene("elsewhere"), scene_with_sleepers("elsewhere too"))
"""


def scene(world, frames=300):
    """A pile of everything with spawns, deletions and a link; returns a digest of all positions and
    velocities.
    """
    sim = Simulation(world=world)
    sim.spawn(StaticCollider([(-4, 6), (-4, 0), (4, 0.5), (4, 6)], restitution=0.2))
    sim.spawn(StaticCollider([(0, 1)], radius=0.4, velocity=(0.1, 0.0)))
    entities = [
        sim.spawn(*blueprints.blob((-2.5 + k, 2 + 0.3 * k), 0.4, particles=12, velocity=(k, -k)))
        for k in range(6)
    ]
    rope = sim.spawn(*blueprints.rope((-3, 6), (3, 6), segments=12, pin_start=True))
    sim.spawn(*blueprints.box((0, 4), 0.8, rows=4, columns=4))
    sim.spawn(*blueprints.polygon([(2, 4), (3, 4), (2.5, 5)], spacing=0.25))
    sim.spawn(Springs([(12, 0)], stiffness=50.0, rest_length=1.0, between=(rope, entities[3])))
    digest = hashlib.sha256()
    for frame in range(frames):
        if frame % 40 == 20:
            sim.despawn(entities.pop(0))
            entities.append(sim.spawn(*blueprints.ball((0.1 * frame / 40, 5), 0.2)))
        sim.step()
        if frame % 50 == 49:
            rows = sim.buffers[Particles].rows
            assert np.isfinite(rows["position"]).all()
            digest.update(rows["position"].tobytes() + rows["velocity"].tobytes())
    return digest.hexdigest()


def scene_with_sleepers(world, frames=500):
    """Discs that heap up, sleep, and are woken by hits, writes, deletions and a platform; returns a
    digest.
    """
    sim = Simulation(world=world)
    for wall in ([(-3, 0), (3, 0)], [(-3, 0), (-3, 5)], [(3, 0), (3, 5)]):
        sim.spawn(StaticCollider(wall))
    lift = StaticCollider([(4, 0), (6, 0)])
    sim.spawn(lift)
    entities = [
        sim.spawn(Particles([(0.4 * k - 2.4, 0.3 + 0.1 * (k % 3))], radius=0.2), Collider())
        for k in range(12)
    ]
    entities.append(sim.spawn(Particles([(5, 0.2)], radius=0.2), Collider()))
    digest = hashlib.sha256()
    counts = set()
    for frame in range(frames):
        if frame % 100 == 70:
            entities.append(sim.spawn(Particles([(0.01 * frame - 2, 2)], radius=0.2), Collider()))
            sim.despawn(entities.pop(2))
            lift.velocity = (0.0, 0.5)
        elif frame % 100 == 90:
            lift.velocity = (0.0, 0.0)
        sim.step()
        counts.add(sim.asleep_count)
        digest.update(sim.buffers[Particles].rows["position"].tobytes() + bytes([sim.asleep_count]))
    assert min(counts) == 0
    assert max(counts) > 8
    return digest.hexdigest()


def test_twice_in_one_process():
    assert scene("first") == scene("second")
    assert scene_with_sleepers("third") == scene_with_sleepers("fourth")


@pytest.mark.slow
def test_in_another_process(request):
    command = [sys.executable, "-c", SCENE_IN_ANOTHER_PROCESS]
    run = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=request.config.rootpath,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split()[-2:] == [scene("here"), scene_with_sleepers("here too")]


def test_neighbours_in_another_world_change_nothing():
    other = Simulation(world="other")
    other.spawn(*blueprints.blob((0, 0), 1.0))
    other.step()
    first = scene("alone", 60)
    other.step()
    assert scene("again", 60) == first


def test_a_body_far_away_changes_nothing():
    """One body more, that touches nothing, does not change a bit of the others."""

    def positions(*, crowd):
        sim = Simulation(world=f"crowd {crowd}")
        body, *rest = blueprints.blob((0, 1), 0.5)
        sim.spawn(body, *rest)
        sim.spawn(StaticCollider([(-100, 0), (1000, 0)]))
        if crowd:
            sim.spawn(*blueprints.blob((500, 1), 0.5))
        run_frames(sim, 120)
        return body.position.copy()

    assert np.array_equal(positions(crowd=False), positions(crowd=True))


def fall_and_swing(substeps, solver):
    """Return where a blob that falls and a rope that swings are after 1 s and after 2 s."""
    sim = Simulation(substeps=substeps, solver=solver, world=f"{substeps} substeps, {solver}")
    found = []
    blob, *rest = blueprints.blob((0, 2), 0.5, frequency=20.0)
    rope, *others = blueprints.rope((5, 5), (7, 5), segments=8, frequency=20.0, pin_start=True)
    sim.spawn(blob, *rest)
    sim.spawn(rope, *others)
    sim.spawn(StaticCollider([(-5, 0), (3, 0)]))
    for _ in range(2):
        run_frames(sim, 60)
        found.append(np.concatenate([blob.position, rope.position]))
    return np.array(found)


@pytest.mark.brief(2)
@pytest.mark.parametrize(("solver", "error"), [("saturated", 0.04), ("xpbd", 0.13)])
def test_halving_the_substep_halves_the_error(solver, error):
    """The feel does not depend on the number of substeps: both solvers are of first order, so what
    n substeps differ from 2 n is a length over n [m]. XPBD takes energy out of what oscillates, the
    more the longer a substep is.
    """
    found = {count: fall_and_swing(count, solver) for count in (4, 8, 16, 32)}
    for count in (4, 8, 16):
        assert np.abs(found[count] - found[2 * count]).max() < error / count


def test_a_longer_frame_with_more_substeps_is_the_same_physics():
    """Free of contacts a step of 1/30 s with 16 substeps equals two of 1/60 s with 8."""

    def positions(frame, substeps):
        sim = Simulation(substeps=substeps, world=f"{substeps}")
        body, springs, *_ = blueprints.box((0, 0), 1.0, velocity=(1, 3), angle=0.2)
        sim.spawn(body, springs, Collider())
        for _ in range(round(1 / frame)):
            sim.step(frame)
        return body.position.copy()

    assert np.allclose(positions(1 / 30, 16), positions(1 / 60, 8), atol=1e-9)
