"""Speed is gated by ratios within one run, with slack, and always together with quality."""

import gc
import math

import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("name", "least_ratio", "most_overlap"), [("S1", 3.0, 0.0), ("S2_100", 1.7, 0.05)])
def test_faster_than_pymunk_with_better_contacts(name, least_ratio, most_overlap):
    pytest.importorskip("pymunk")
    from peers import settings
    from run import run_scene
    from scenes import scene_named

    scene = scene_named(name)
    ours, fastest, *_ = run_scene(scene, ["pymunk"], math.inf)
    assert fastest.engine == settings("pymunk", scene)[0][0]
    assert fastest.ratio >= least_ratio
    assert ours.quality.overlap_p95 <= most_overlap
    assert 0.9 < ours.quality.stretch_min < ours.quality.stretch_max < 1.15


def test_spawning_and_deleting_cost_little_beside_a_frame():
    from storage import ROUNDS, structure_costs

    gc.collect()  # components that other tests left behind unpacked make every change look for replacements
    frame, spawning, deleting, changing = structure_costs(1000, ROUNDS)
    assert spawning < 0.6 * frame
    assert deleting < 0.6 * frame
    assert changing < 0.6 * frame
