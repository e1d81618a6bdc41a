"""Narrow phase of discs: contacts between bodies whose particles are discs, without outlines.

Of each pair of bodies whose boxes overlap, every two discs closer than the sum of their margins
become a contact. It is stored as a point p and an edge a-b with a = b. These contacts come
first in the list of contacts. With several threads, chunks of the pairs are searched at once and
joined in the order of the chunks.
"""

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Integers1, Integers2, Uint32s1, Uint32s2
from ecs_softbody.collision.detect.candidates import Candidates, FoundByThreads
from ecs_softbody.collision.detect.margins import Bounds
from ecs_softbody.geometry.outlines import Shapes
from ecs_softbody.parallel.compiling import entry, inline, kernel
from ecs_softbody.parallel.stage_runner import run_chunks

CHUNKS = 32
"""Parts into which the pairs are divided for threads, which take one after the other."""


@entry
def find_disc_contacts(
    pairs: Integers2,
    shapes: Shapes,
    bounds: Bounds,
    scratch: Uint32s1,
    found: Candidates,
    count: int,
) -> int:
    """Write the contacts of the pairs (P, 2) to `found` behind the first `count`; return the new
    count.

    scratch: workspace for the points of two bodies, half of it for each. If there are more contacts
    than room, they are counted without being written, see `Candidates`.
    """
    position = shapes.position
    radius = shapes.radius
    margin = bounds.margin
    points = shapes.outlines.points
    first = shapes.outlines.first
    last = shapes.outlines.last
    rows = found.rows
    proxies = found.proxies
    scratch_j = scratch[scratch.shape[0] // 2 :]
    for k in range(pairs.shape[0]):
        i = pairs[k, 0]
        j = pairs[k, 1]
        both_margins = margin[i] + margin[j]
        # Of a body of several discs, only those near the other one's box are compared.
        p_count = 1
        q_count = 1
        if last[i] - first[i] == 1:
            scratch[0] = points[first[i]]
        else:
            p_count = points_near_box(i, shapes, bounds.box, j, margin[i], scratch)
        if last[j] - first[j] == 1:
            scratch_j[0] = points[first[j]]
        else:
            q_count = points_near_box(j, shapes, bounds.box, i, margin[j], scratch_j)
        for n in range(p_count):
            p = scratch[n]
            px = position[p, 0]
            py = position[p, 1]
            r = radius[p]
            for m in range(q_count):
                q = scratch_j[m]
                dx = px - position[q, 0]
                dy = py - position[q, 1]
                far = r + radius[q] + both_margins
                # No branch tests the distance, as it would be mispredicted: the next pair
                # overwrites one that is too far apart.
                if count < rows.shape[0]:
                    rows[count, 0] = p
                    rows[count, 1] = q
                    rows[count, 2] = q
                    proxies[count, 0] = i
                    proxies[count, 1] = j
                count += dx * dx + dy * dy < far * far
    return count


@kernel
def points_near_box(
    i: int, shapes: Shapes, box: np.ndarray, j: int, margin: float, scratch: np.ndarray
) -> int:
    """Write to `scratch` the points of body i within a margin [m] of box j; return how many."""
    position = shapes.position
    radius = shapes.radius
    points = shapes.outlines.points
    low_x = box[j, 0] - margin
    low_y = box[j, 1] - margin
    high_x = box[j, 2] + margin
    high_y = box[j, 3] + margin
    count: int = np.int64(0)  # type: ignore[assignment]  # a literal would compile twice
    for m in range(shapes.outlines.first[i], shapes.outlines.last[i]):
        q = points[m]
        x = position[q, 0]
        y = position[q, 1]
        r = radius[q]
        scratch[count] = q
        count += (x + r >= low_x) & (x - r <= high_x) & (y + r >= low_y) & (y - r <= high_y)
    return count


class Finding(NamedTuple):
    """Data of the job `parallel_disc_pairs`, for T threads."""

    # (P, 2) pairs of bodies without outlines
    pairs: Integers2
    shapes: Shapes
    bounds: Bounds
    # (T, n) workspace of each thread, see `find_disc_contacts`
    scratch: Uint32s2
    found: FoundByThreads
    # (T,) contacts that each thread has found so far
    counts: Integers1
    # (chunks, 3) the thread that found each chunk, its first row there and the one after its last
    chunks: Integers2


@entry
def parallel_disc_pairs(task: Finding, team: Integers1, job: int, worker_index: int) -> None:
    """Job: find the contacts of the pairs; each thread appends to its own rows."""
    run_chunks(team, job, worker_index, task.chunks.shape[0], find_chunk, task)


@inline
def find_chunk(stage: int, chunk: int, worker_index: int, task: Finding) -> None:
    """Find the contacts of one chunk of the pairs, behind the contacts that the thread has found
    before, and note where they are.
    """
    pairs = task.pairs
    chunks = task.chunks
    before = task.counts[worker_index]
    total = chunks.shape[0]
    found = Candidates(task.found.rows[worker_index], task.found.proxies[worker_index])
    own = pairs[pairs.shape[0] * chunk // total : pairs.shape[0] * (chunk + 1) // total]
    count = find_disc_contacts(
        own, task.shapes, task.bounds, task.scratch[worker_index], found, before
    )
    task.counts[worker_index] = count
    chunks[chunk, 0] = worker_index
    chunks[chunk, 1] = before
    chunks[chunk, 2] = count


@entry
def join_chunks(chunks: Integers2, found: FoundByThreads, joined: Candidates) -> None:
    """Copy the contacts of the chunks, one chunk after the other; see Finding."""
    # Contacts are joined by chunk and not by thread: the thread that finds a chunk differs from run
    # to run, the order of contacts must not.
    count = 0
    for chunk in range(chunks.shape[0]):
        worker_index = chunks[chunk, 0]
        for c in range(chunks[chunk, 1], chunks[chunk, 2]):
            for k in range(3):
                joined.rows[count, k] = found.rows[worker_index, c, k]
            for k in range(2):
                joined.proxies[count, k] = found.proxies[worker_index, c, k]
            count += 1
