"""Speed is gated by ratios within one run, with slack, and always together with quality."""

import gc
import sys
import warnings
from pathlib import Path

import pytest

from ecs_softbody import StabilityWarning

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("name", "least_ratio", "most_overlap"), [("S1", 3.0, 0.0), ("S2_100", 1.7, 0.05)])
def test_faster_than_pymunk_with_better_contacts(name, least_ratio, most_overlap):
    pytest.importorskip("pymunk")
    from peers import Ours, Pymunk
    from run import overlap, scene_named, stretch, times

    scene = scene_named(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StabilityWarning)  # S1 asks for a little more than 8 substeps carry
        runners = [Ours(scene), Pymunk(scene, 1)]
        ours, theirs = times(runners, scene)
    assert theirs / ours >= least_ratio
    place = runners[0].positions()
    assert overlap(scene, place) <= most_overlap
    low, high = stretch(scene, place)
    assert 0.9 < low < high < 1.15


def test_spawning_and_deleting_cost_little_beside_a_frame():
    from storage import costs

    gc.collect()  # components that other tests left behind unpacked make every change look for replacements
    frame, spawning, deleting = costs(1000)
    assert spawning < 0.6 * frame
    assert deleting < 0.6 * frame
