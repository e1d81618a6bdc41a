"""The narrow phase costs about as much as the least that can be done: a double loop over points and
edges.
"""

import time

import numpy as np
import pytest

from ecs_softbody import Simulation, StaticCollider, blueprints
from ecs_softbody.parallel.compiling import kernel
from tests.helpers.internals import collision_space
from tests.helpers.stepping import run_frames

pytestmark = pytest.mark.slow


@kernel
def closest_edges(
    pairs: np.ndarray,
    place: np.ndarray,
    points: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    box: np.ndarray,
    far: np.ndarray,
    found: np.ndarray,
) -> int:
    """The closest edge of the other ring for every point near its box."""
    count = 0
    for k in range(2 * pairs.shape[0]):
        i = pairs[k // 2, k % 2]
        j = pairs[k // 2, 1 - k % 2]
        for m in range(first[i], last[i]):
            p = points[m]
            x = place[p, 0]
            y = place[p, 1]
            if (
                x < box[j, 0] - far[i]
                or x > box[j, 2] + far[i]
                or y < box[j, 1] - far[i]
                or y > box[j, 3] + far[i]
            ):
                continue
            nearest = np.inf
            edge = -1
            previous = points[last[j] - 1]
            ax = place[previous, 0]
            ay = place[previous, 1]
            for n in range(first[j], last[j]):
                bx = place[points[n], 0]
                by = place[points[n], 1]
                ex = bx - ax
                ey = by - ay
                t = min(max(((x - ax) * ex + (y - ay) * ey) / (ex * ex + ey * ey), 0.0), 1.0)
                dx = x - ax - t * ex
                dy = y - ay - t * ey
                if dx * dx + dy * dy < nearest:
                    nearest = dx * dx + dy * dy
                    edge = n
                ax = bx
                ay = by
            if nearest < (far[i] + far[j]) ** 2:
                found[count, 0] = p
                found[count, 1] = edge
                count += 1
    return count


def time_of(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def test_no_more_than_twice_the_bare_double_loop():
    sim = Simulation(sleeping=False)
    for k in range(1000):
        sim.spawn(
            *blueprints.blob((1.02 * (k % 39), 0.6 + 1.02 * (k // 39)), 0.5, self_collision=False)
        )
    sim.spawn(StaticCollider([(-0.6, 99), (-0.6, 0), (39.4, 0), (39.4, 99)]))
    run_frames(sim, 120)
    space = collision_space(sim)
    space.prepare(sim.buffers.version, 1 / 60, 1 / 480)
    space.find_pairs()
    items = space.proxies
    pairs = space.pairs.pairs
    pairs = pairs[pairs[:, 1] < 1000].copy()
    found = np.zeros((100_000, 2), np.int64)
    far = items.bounds.margin[:1000] + items.radius[0]

    def bare():
        outlines = items.outlines
        box = items.bounds.box
        place = items.reference_position
        return closest_edges(
            pairs, place, outlines.points, outlines.first, outlines.last, box, far, found
        )

    def ours():
        crossed = space.interpenetrations.damage.self_intersecting
        workers = space.solver.workers
        return space.narrow_phase.find(crossed, workers, space._spare.candidates)

    assert ours() >= 0.95 * bare() > 10_000
    # In turns: a machine that slows down for a while slows down both.
    assert np.median([time_of(ours) / time_of(bare) for _ in range(15)]) < 2.0
