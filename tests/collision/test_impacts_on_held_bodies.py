"""What falls on bodies that nothing can push: pinned, kinematic and infinitely heavy ones are
walls.
"""

import itertools

import numpy as np
import pytest

from ecs_softbody import Muscles, Simulation, StaticCollider, blueprints
from tests.helpers.stepping import run, run_frames

SOLVERS = ["saturated", "xpbd"]
G = 9.81
TOP = 1.0
SIZES = [0.2, 0.4, 1.0]
FALLS = [0.3, 1.0, 3.0]
KINDS = {
    "crate": lambda place, size: blueprints.box(
        place, size, rows=3, columns=3, shape_stiffness=1e6
    ),
    "crate of 4": lambda place, size: blueprints.box(
        place, size, rows=2, columns=2, shape_stiffness=1e6
    ),
    "box": blueprints.box,
}


def spawn_held(sim, how, place, size, velocity=(0.0, 0.0), restitution=0.0):
    """Spawn a body that nothing can push; return its particles."""
    ball = how == "pinned ball"
    parts = blueprints.ball(place, 0.5 * size[1]) if ball else blueprints.box(place, size)
    body = parts[0]
    body.velocity[:] = velocity
    parts[-1].restitution = restitution
    if how == "kinematic":
        body.kinematic = True
    elif how == "infinite":
        body.mass = np.inf
    else:
        body.pinned = True
    sim.spawn(*parts)
    return body


def lowest(body):
    """The height of the lowest point [m]."""
    return float((body.position[:, 1] - body.radius).min())


def comes_back(how, kind, size, fall, restitution, velocity=(0.0, 0.0), tilt=0.0, **options):
    """Return how far a body rises from a held one after a fall, over that fall, as seen from the
    held one.
    """
    sim = Simulation(sleeping=False, **options)
    held = spawn_held(sim, how, (0, 0.5 * TOP), (2.0, TOP), velocity, restitution)
    top = float((held.position[:, 1] + held.radius).max())
    parts = KINDS[kind]((0, 0), size)
    body = parts[0]
    c = np.cos(tilt)
    s = np.sin(tilt)
    body.position[:] = body.position @ np.array([[c, s], [-s, c]])
    body.position[:, 1] += top + fall - lowest(body)
    parts[-1].restitution = restitution
    sim.spawn(*parts)
    heights = []
    time = np.sqrt(2.0 * fall / G)
    touching = body.position[:, 1].mean() - fall
    for frame in range(round(60 * (3.0 * time + 0.4))):
        sim.step()
        heights.append(body.position[:, 1].mean() - velocity[1] * (frame + 1) / 60)
    sim.close()
    first = round(60 * 0.8 * time)
    lands = first + int(np.argmin(heights[first : first + round(36 * time) + 5]))
    return (max(heights[lands:]) - min(heights[lands], touching)) / fall


CASES = list(
    itertools.product(
        ["pinned", "kinematic", "infinite", "pinned ball"], KINDS, SIZES, FALLS, [4, 8, 16], SOLVERS
    )
)


@pytest.mark.sample(12)
@pytest.mark.brief(67)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_without_restitution_nothing_springs_back(case):
    """As from a wall; what is soft stands up from where a ball has dented it."""
    how, kind, size, fall, substeps, solver = case
    dented = how == "pinned ball" and kind == "box"
    assert comes_back(how, kind, size, fall, 0.0, solver=solver, substeps=substeps) < (
        0.13 if dented else 0.042
    )


@pytest.mark.sample(8)
@pytest.mark.brief(31)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("substeps", [4, 8, 16])
@pytest.mark.parametrize("fall", FALLS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["pinned", "kinematic", "infinite"])
def test_restitution_gives_back_its_square(how, kind, fall, substeps, solver):
    """The centre of a soft box sinks before it rises, so it rises by more."""
    share = comes_back(how, kind, 0.4, fall, 0.5, solver=solver, substeps=substeps)
    assert share == pytest.approx(0.25, abs=0.03 if kind == "box" else 0.02)


@pytest.mark.brief(11)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("substeps", [4, 8])
@pytest.mark.parametrize("velocity", [(0.0, 0.5), (0.0, -0.5), (0.0, 2.0), (1.0, 0.0)])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_springs_back_from_what_moves(kind, velocity, substeps, solver):
    share = comes_back("kinematic", kind, 0.4, 1.0, 0.0, velocity, solver=solver, substeps=substeps)
    assert share < 0.05, "friction of what moves aside tilts a soft box"


@pytest.mark.brief(7)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("tilt", [5, 20, 45])
@pytest.mark.parametrize("kind", ["crate", "crate of 4"])
def test_what_comes_tilted_does_not_spring_back_either(kind, tilt, solver):
    assert comes_back("pinned", kind, 0.4, 1.0, 0.0, tilt=np.radians(tilt), solver=solver) < 0.06


@pytest.mark.parametrize("how", ["pinned", "kinematic"])
def test_what_is_let_go_is_no_wall_any_more(how):
    """A game may free a body while another one lies on it."""
    sim = Simulation(sleeping=False)
    sim.spawn(StaticCollider([(-9, -3), (9, -3)]))
    held = spawn_held(sim, how, (0, 0.5), (1.0, 1.0))
    parts = KINDS["crate"]((0, 1.3), 0.4)
    sim.spawn(*parts)
    run(sim, 1.0)
    held.pinned = False
    held.kinematic = False
    run(sim, 2.0)
    assert held.position[:, 1].mean() == pytest.approx(-2.5, abs=0.1)
    assert np.abs(parts[0].velocity).max() < 0.1
    sim.close()


@pytest.mark.brief(5)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("substeps", [4, 8, 16])
@pytest.mark.parametrize("beside", ["wall", "pinned", "free"])
def test_what_touches_something_else_as_well_is_not_flung(beside, substeps, solver):
    """A crate falls on the edge of a pinned box, and beside it on something else of the same
    height.
    """
    sim = Simulation(solver=solver, substeps=substeps, sleeping=False)
    sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    spawn_held(sim, "pinned", (-0.5, 0.2), (0.8, 0.4))
    if beside == "wall":
        sim.spawn(StaticCollider([(-0.05, 0.4), (0.8, 0.4)]))
    elif beside == "pinned":
        spawn_held(sim, "pinned", (0.35, 0.2), (0.8, 0.4))
    else:
        sim.spawn(*KINDS["crate"]((0.15, 0.2), 0.4))
    parts = KINDS["crate"]((0.0, 1.6), 0.4)
    sim.spawn(*parts)
    heights = []
    for _ in range(150):
        sim.step()
        heights.append(parts[0].position[:, 1].mean())
    sim.close()
    assert (heights - np.minimum.accumulate(heights)).max() < (0.15 if beside == "free" else 0.06)
    assert beside == "free" or np.abs(parts[0].velocity).max() < 0.05


@pytest.mark.brief(7)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("substeps", [4, 8])
@pytest.mark.parametrize("speed", [0.5, 3.0])
@pytest.mark.parametrize("floor", ["wall", "pinned"])
@pytest.mark.parametrize("kind", ["crate", "box"])
def test_a_crusher_presses_a_body_and_nothing_explodes(kind, floor, speed, substeps, solver):
    """It presses it by a fifth, stays there for two seconds and goes up again."""
    sim = Simulation(solver=solver, substeps=substeps, sleeping=False)
    size = 0.4
    if floor == "wall":
        sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    else:
        spawn_held(sim, "pinned", (0, -0.5), (8, 1))
    parts = KINDS[kind]((0, 0.5 * size + 0.01), size)
    body = parts[0]
    sim.spawn(*parts)
    crusher = spawn_held(sim, "kinematic", (0, 0.7), (2 * size, 0.3))
    run_frames(sim, 20)
    fastest = 0.0
    for velocity, frames in (
        (-speed, round(60 * (lowest(crusher) - 0.8 * size) / speed)),
        (0.0, 120),
    ):
        crusher.velocity[:] = (0.0, velocity)
        for _ in range(frames):
            sim.step()
            fastest = max(fastest, float(np.abs(body.velocity).max()))
    assert fastest < 1.2 * speed + 0.1
    assert np.abs(body.velocity).max() < 0.02
    crusher.velocity[:] = (0.0, 3.0)
    run(sim, 1.0)
    sim.close()
    assert body.position[:, 1].max() < 1.6 * size
    assert np.abs(body.position[:, 0]).max() < size


@pytest.mark.parametrize(
    ("first", "second"),
    [
        *[
            (("box",), "blob"),
            (("blob",), "box"),
            (("blob",), "wheel"),
            (("wheel",), "box"),
            (("box",), "wheel"),
        ],
        *[
            (("muscles",), "box"),
            (("muscles",), "blob"),
            (("box", "box"), "box"),
            (("box", "blob", "box"), "box"),
        ],
    ],
)
@pytest.mark.parametrize("restitution", [0.5, 0.9])
def test_what_takes_the_place_of_a_deleted_body_bounces_as_elsewhere(first, second, restitution):
    """What the others left, pinned rows, muscles and rest shapes, counted as the new body's: it
    hardly bounced.
    """
    tops = []
    how = {"restitution": restitution, "friction": 0.0}

    def made(kind, place):
        if kind == "muscles":
            return *blueprints.box(place, 0.8, **how), Muscles([0, 1], amplitude=0.2, frequency=2.0)
        return (
            blueprints.box(place, 0.8, **how)
            if kind == "box"
            else getattr(blueprints, kind)(place, 0.4, **how)
        )

    for deletes in (False, True):
        sim = Simulation()
        sim.spawn(StaticCollider([(-50, 0), (50, 0)], friction=0.0))
        old = (
            [sim.spawn(*made(kind, (3 * k, 3))) for k, kind in enumerate(first)] if deletes else []
        )
        sim.spawn(*made("blob", (-20, 0.45)))
        sim.spawn(*made("muscles", (-30, 0.45)))
        sim.step()
        for entity in old:
            sim.despawn(entity)
        parts = made(second, (5, 3))
        sim.spawn(*parts)
        heights = []
        for _ in range(120):
            sim.step()
            heights.append(parts[0].position[:, 1].mean() - 0.4)
        lowest_frame = int(np.argmin(heights[:60]))
        tops.append(max(heights[lowest_frame:]))
        sim.close()
    assert tops[1] == pytest.approx(tops[0], rel=0.01)
    assert tops[0] == pytest.approx(2.6 * restitution**2, rel=0.03)
