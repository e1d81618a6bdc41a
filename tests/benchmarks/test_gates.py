"""Speed is gated by ratios within one run, with slack, and always together with quality."""

import gc
import math

import pytest

pytestmark = pytest.mark.slow


GATES = [("S1", 7.0, 0.0), ("S2_100", 3.2, 0.05), ("S3_1000", 2.0, 0.07)]
"""Scene, how many times as fast as pymunk at its fastest, and the overlap of 95 in 100 over the
radius.

S2_100 is 3.5 to 3.7 times as fast; it was 4.4 to 5.0 times while discs did not rub each other,
which pymunk's do.
"""
ATTEMPTS = 3
"""Another job beside us slows one of the two down: the best of so many races counts.

Quality counts in each.
"""


@pytest.mark.parametrize(
    ("name", "least_ratio", "most_overlap"), GATES, ids=[gate[0] for gate in GATES]
)
def test_faster_than_pymunk_with_better_contacts(name, least_ratio, most_overlap):
    pytest.importorskip("pymunk")
    from peers import settings
    from run import run_scene
    from scenes import scene_named

    scene = scene_named(name)
    ratios = []
    while len(ratios) < ATTEMPTS and max(ratios, default=0.0) < least_ratio:
        results = run_scene(scene, ["pymunk"], math.inf)
        ours = results[0]
        (fastest,) = [
            result for result in results if result.engine == settings("pymunk", scene)[0][0]
        ]
        ratios.append(fastest.ratio)
        assert ours.quality.overlap_p95 <= most_overlap
        if scene.is_soft:
            assert 0.9 < ours.quality.stretch_min < ours.quality.stretch_max < 1.15
    assert max(ratios) >= least_ratio


def test_spawning_and_deleting_cost_little_beside_a_frame():
    """At most 0.85 of a frame: 0.66 to 0.69 in a process of its own, 0.77 to 0.79 after all that a
    whole run did.

    A frame is kernels, a spawn mostly Python, and Python is what loses where other processes ran
    before.
    """
    from storage import ROUNDS, structure_costs

    # components that other tests left behind unpacked make every change look for replacements
    gc.collect()
    dearest = []
    while len(dearest) < ATTEMPTS and min(dearest, default=1.0) >= 0.85:
        frame, *changes = structure_costs(1000, ROUNDS)
        dearest.append(max(changes) / frame)
    assert min(dearest) < 0.85


@pytest.mark.parametrize(("bodies", "most"), [(1, 2.6), (7, 4.0)])
def test_a_frame_with_a_cut_costs_little_beside_one_in_which_the_halves_are_made(bodies, most):
    from storage import cut_costs

    ratios = []
    while len(ratios) < ATTEMPTS and min(ratios, default=math.inf) >= most:
        cut, made = cut_costs(bodies, 15)
        ratios.append(cut / made)
    assert min(ratios) < most
