"""A blob stands as it is made: at any number of substeps, frame, frequency, size and number of
particles.
"""

import itertools
import warnings

import numpy as np
import pytest

from ecs_softbody import Simulation, StabilityWarning, StaticCollider, blueprints

SOLVERS = ("saturated", "xpbd")
HEIGHT = 0.93
"""Of a default blob at rest, over its diameter."""
WORLDS = itertools.count()


def made(solver, substeps, radius, options, weight=1.0, drop=0.0):
    """A blob on the ground, some times as heavy as on Earth, dropped from a height [its radius]."""
    sim = Simulation(
        gravity=(0, -9.81 * weight),
        solver=solver,
        substeps=substeps,
        sleeping=False,
        world=f"stands {next(WORLDS)}",
    )
    sim.spawn(StaticCollider([(-9 * radius, 0), (9 * radius, 0)]))
    parts = blueprints.blob((0, radius * (1 + drop)), radius, **options)
    sim.spawn(*parts)
    return sim, parts[0], parts[2]


def height(body):
    return float(np.ptp(body.position[:, 1])) + 2 * body.radius[0]


def resting_height(solver, *, substeps=8, dt=1 / 60, radius=0.5, weight=1.0, **options):
    """Height over diameter, averaged over the end of a time in which a blob of this size comes to
    rest.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StabilityWarning)
        sim, body, _ = made(solver, substeps, radius, options, weight)
        frames = int(max(6.0 * np.sqrt(radius / 0.5), 2.0) / dt)
        found = []
        for frame in range(frames):
            sim.step(dt)
            if frame > 0.8 * frames:
                found.append(height(body) / (2 * radius))
    return float(np.mean(found))


@pytest.mark.brief(2)
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_blob_stands_as_high_with_few_substeps_and_at_any_frequency(solver):
    for options in (
        {"substeps": 2},
        {"dt": 1 / 30},
        {"frequency": 5.0},
        {"frequency": 500.0},
        {"radius": 0.05},
    ):
        assert resting_height(solver, **options) == pytest.approx(HEIGHT, rel=0.03), options


@pytest.mark.slow
@pytest.mark.sample(3)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    "options",
    [
        *({"substeps": substeps} for substeps in (2, 3, 4, 6, 8, 16, 32)),
        *(
            {"dt": dt, "substeps": substeps}
            for dt in (1 / 30, 1 / 60, 1 / 144)
            for substeps in (4, 8)
        ),
        *({"frequency": frequency} for frequency in (5, 10, 20, 40, 100, 150, 300, 500)),
        *({"frequency": frequency, "substeps": 4} for frequency in (5, 40, 500)),
        *(
            {"radius": r, "particles": n}
            for r in (0.05, 0.2, 2.0, 10.0, 100.0)
            for n in (12, 24, 48, 64)
        ),
        *({"radius": 0.01, "particles": n} for n in (12, 16, 24, 32)),
        *({"radius": 0.02, "particles": n} for n in (12, 24, 48)),
    ],
    ids=str,
)
def test_a_blob_stands_as_it_is_made(solver, options):
    assert resting_height(solver, **options) == pytest.approx(HEIGHT, rel=0.03)


CARRIED = 0.08
"""n g h²/R up to which a substep h carries n particles of a blob of radius R:
see docs/physics.md.
"""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_it_stands_so_with_any_numbers(seed):
    rng = np.random.default_rng(seed)
    substeps = int(rng.integers(2, 33))
    dt = float(rng.choice([1 / 30, 1 / 60, 1 / 144]))
    particles = int(rng.integers(12, 65))
    frequency = 5.0 * 100.0 ** rng.random()
    least = particles * 9.81 * (dt / substeps) ** 2 / CARRIED
    radius = max(0.01 * 300.0 ** rng.random(), least)
    options = {"particles": particles, "frequency": frequency}
    found = resting_height(SOLVERS[seed % 2], substeps=substeps, dt=dt, radius=radius, **options)
    assert found == pytest.approx(HEIGHT, rel=0.03), (substeps, dt, radius, options)


RISING_BOX = (
    [{"frequency": f} for f in (5, 10, 20, 30, 40, 70, 100, 200, 500)],
    [{"stiffness": k} for k in (10.0, 100.0, 1e3, 1e4, 1e6)],
    [{"shape_stiffness": k} for k in (0.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6)],
)


def pressed_box(solver, options, weight=1.0, drop=0.0, substeps=8):
    """Smallest height, and that at rest, of a box of 1 m that falls from so high."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StabilityWarning)
        sim = Simulation(
            gravity=(0, -9.81 * weight),
            solver=solver,
            substeps=substeps,
            sleeping=False,
            world=f"box {next(WORLDS)}",
        )
        sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
        parts = blueprints.box((0, 0.5 + drop), 1.0, **options)
        sim.spawn(*parts)
        heights = []
        for _ in range(180):
            sim.step()
            heights.append(height(parts[0]))
    return min(heights[:90]), float(np.mean(heights[-30:]))


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("asked", RISING_BOX, ids=["frequency", "stiffness", "shape stiffness"])
def test_asking_for_more_of_a_box_never_gives_less(solver, asked):
    dropped = np.array([pressed_box(solver, options, drop=2.0)[0] for options in asked])
    loaded = np.array([pressed_box(solver, options, weight=3.0)[1] for options in asked])
    for found in (dropped, loaded):
        assert (found[1:] >= found[:-1] - 0.01).all(), found


@pytest.mark.brief(2)
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_box_stands_as_high_with_any_number_of_substeps(solver):
    for substeps in (2, 3, 32):
        assert pressed_box(solver, {}, substeps=substeps)[1] == pytest.approx(1.0, rel=0.005)


def squash(solver, options):
    """Smallest height of a blob that falls by four radii, over its diameter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StabilityWarning)
        sim, body, _ = made(solver, 8, 0.5, options, drop=4.0)
        least = 1.0
        for _ in range(90):
            sim.step()
            least = min(least, height(body))
    return least


RISING = (
    [{"frequency": f} for f in (5, 10, 20, 40, 70, 100, 150, 300, 500)],
    [{"stiffness": k} for k in (10.0, 100.0, 1e3, 1e4, 1e6, 1e9)],
    [{"pressure": p} for p in (10.0, 20.0, 50.0, 100.0, 300.0, 1e3)],
)


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("asked", RISING, ids=["frequency", "stiffness", "pressure"])
def test_asking_for_more_never_gives_less(solver, asked):
    """Squash in a drop, and height at three times the weight, fall by no more than a hundredth."""
    for measure in (squash, lambda solver, options: resting_height(solver, weight=3.0, **options)):
        found = np.array([measure(solver, options) for options in asked])
        assert (found[1:] >= found[:-1] - 0.01).all(), found


@pytest.mark.brief(4)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("radius", "options"),
    [
        (0.05, {"particles": 48}),
        (0.02, {"particles": 24}),
        (0.01, {"particles": 48}),
        (0.5, {"frequency": 10.0}),
    ],
)
def test_a_small_or_soft_blob_keeps_the_area_that_it_is_made_with(solver, radius, options):
    sim = Simulation(solver=solver, gravity=(0, 0), world=f"free blob {next(WORLDS)}")
    parts = blueprints.blob((0, 0), radius, **options)
    sim.spawn(*parts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StabilityWarning)
        sim.step(1e-12)
        area = parts[2].area
        for _ in range(120):
            sim.step()
    assert parts[2].area == pytest.approx(area, rel=0.05 if solver == "xpbd" else 0.01)
