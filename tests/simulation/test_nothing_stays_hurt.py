"""Whatever a game, a mouse or a crusher does to a body, it is whole again within 15 s, and asleep
not before.
"""

import warnings

import numpy as np
import pytest

from ecs_softbody import StabilityWarning
from tests.helpers.injuries import INJURIES, KINDS, Patient

SOLVERS = ["saturated", "xpbd"]
SIZES = [0.05, 0.3, 1.0, 5.0]
COUNTS = [12, 24, 48]


def hurt_and_wait(kind, size, count, injury, **options):
    """Return what is wrong with a body 15 s after an injury."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StabilityWarning)
        patient = Patient(kind, size, count, free="free" in injury, **options)
        INJURIES[injury](patient)
        wrong = patient.recover()
    patient.sim.close()
    return wrong


@pytest.mark.brief(33)
@pytest.mark.parametrize("injury", INJURIES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_body_is_whole_again(kind, injury):
    """Each injury at one size and count, which differ from case to case, with each solver."""
    case = list(INJURIES).index(injury) + 5 * list(KINDS).index(kind)
    size = SIZES[case % 4]
    count = COUNTS[case % 3]
    for solver in SOLVERS:
        assert hurt_and_wait(kind, size, count, injury, solver=solver) == ""


@pytest.mark.slow
@pytest.mark.sample(4)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("injury", INJURIES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_body_is_whole_again(kind, injury, size, solver):
    wrong = {count: hurt_and_wait(kind, size, count, injury, solver=solver) for count in COUNTS}
    assert not any(wrong.values()), wrong


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", range(40))
def test_a_body_of_any_size_and_count_is_whole_again(seed):
    rng = np.random.default_rng(seed)
    kind = list(KINDS)[rng.integers(len(KINDS))]
    injury = list(INJURIES)[rng.integers(len(INJURIES))]
    size = 0.05 * 100.0 ** rng.random()
    count = int(rng.integers(12, 49))
    assert hurt_and_wait(kind, size, count, injury, solver=SOLVERS[seed % 2]) == ""


@pytest.mark.slow
@pytest.mark.sample(3)
@pytest.mark.parametrize("substeps", [2, 4, 32])
@pytest.mark.parametrize("injury", INJURIES)
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_whole_with_any_number_of_substeps(kind, injury, substeps):
    assert hurt_and_wait(kind, 1.0, 24, injury, substeps=substeps) == ""


SMALL_WALLS = {
    "peg": ([(0.0, 1.5)], {"radius": 0.1}),
    "plank": ([(-0.3, 1.5), (0.3, 1.5)], {}),
    "block": ([(-0.2, 1.5), (0.2, 1.5), (0.2, 1.9), (-0.2, 1.9)], {"closed": True}),
}


def thrown_around(wall, kind, size, count, solver):
    """Return what is wrong with a body 15 s after the mouse has dragged it wildly around a wall in
    mid-air.
    """
    vertices, options = SMALL_WALLS[wall]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StabilityWarning)
        patient = Patient(kind, size, count, solver=solver)
        given = {
            name: value * size if name == "radius" else value for name, value in options.items()
        }
        patient.wall(np.multiply(vertices, size), **given)
        INJURIES["thrashed"](patient)
        patient.recover()
        # it may lie across the wall, bent by its own weight
        wrong = patient.ailment(area=0.0)
    patient.sim.close()
    return wrong


@pytest.mark.brief(9)
@pytest.mark.parametrize("wall", SMALL_WALLS)
@pytest.mark.parametrize(
    ("kind", "size", "count"), [("blob", 0.3, 24), ("box", 5.0, 24), ("polygon", 1.0, 40)]
)
def test_a_body_does_not_stay_knotted_around_a_small_wall(wall, kind, size, count):
    assert thrown_around(wall, kind, size, count, "saturated") == ""


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wall", SMALL_WALLS)
def test_no_body_stays_knotted_around_a_small_wall(wall, kind, solver):
    """Their contacts with it held them knotted for ever: 11 of 40 around a plank."""
    wrong = {
        (size, count): thrown_around(wall, kind, size, count, solver)
        for size in SIZES
        for count in (*COUNTS, 18, 36)
    }
    assert not any(wrong.values()), wrong


@pytest.mark.brief(3)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_mending_keeps_both_momenta(kind, solver):
    """A body that is turned inside out, thrown and spun, with nothing near."""
    patient = Patient(kind, 1.0, 24, free=True, solver=solver)
    INJURIES["mirrored"](patient)
    body = patient.body
    x, y = body.position.T
    body.velocity = np.column_stack([3.0 - 2.0 * y, 1.0 + 2.0 * x])

    def momenta():
        momentum = body.mass[:, None] * body.velocity
        return np.array(
            [*momentum.sum(axis=0), (body.position @ [1, 1j] * (momentum @ [1, -1j])).imag.sum()]
        )

    before = momenta()
    patient.step(60)
    assert patient.ailment(area=0.0) == ""
    assert momenta() == pytest.approx(before, abs=1e-12 * np.abs(before).max() * 60)
