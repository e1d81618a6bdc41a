"""Ears: cuts a polygon into triangles within a kernel, which can call no library: for the curve
around a moving body.

An ear is a corner of a polygon whose two neighbors can be joined by a line inside of it; cutting it
off leaves a polygon with one corner less.
"""

from __future__ import annotations

from ecs_softbody.arrays import Floats2, Int32s1
from ecs_softbody.parallel.compiling import entry


@entry
def clip_ears(points: Floats2, before: Int32s1, after: Int32s1, triangles: Int32s1) -> None:
    """Cut the ears of a ring `points` (N, 2) into `triangles` (3 (N - 2),); `before` and `after`
    (N,) are scratch.

    Meisters' two ears theorem: a simple polygon always has one. If the ring crosses itself and no
    ear is left, the next corner is cut all the same: the result then covers a little too much, but
    never leaves the ring's convex hull. The ring has no holes: see `polygon_mesh` for rings with
    holes.
    """
    count = points.shape[0]
    twice_area = 0.0
    for p in range(count):
        q = (p + 1) % count
        before[p] = (p - 1) % count
        after[p] = q
        twice_area += points[p, 0] * points[q, 1] - points[p, 1] * points[q, 0]
    turn = 1.0 if twice_area >= 0.0 else -1.0
    left = count
    corner = 0
    tried = 0
    written = 0
    while left > 3:
        a = before[corner]
        c = after[corner]
        ax = points[a, 0]
        ay = points[a, 1]
        bx = points[corner, 0]
        by = points[corner, 1]
        cx = points[c, 0]
        cy = points[c, 1]
        ear = turn * ((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) >= 0.0 or tried >= left
        if ear and tried < left:
            other = after[c]
            while other != a:
                px = points[other, 0]
                py = points[other, 1]
                if (
                    turn * ((bx - ax) * (py - ay) - (by - ay) * (px - ax)) > 0.0
                    and turn * ((cx - bx) * (py - by) - (cy - by) * (px - bx)) > 0.0
                    and turn * ((ax - cx) * (py - cy) - (ay - cy) * (px - cx)) > 0.0
                ):
                    ear = False
                    break
                other = after[other]
        if ear:
            triangles[written] = a
            triangles[written + 1] = corner
            triangles[written + 2] = c
            written += 3
            after[a] = c
            before[c] = a
            left -= 1
            tried = 0
            corner = after[c]
        else:
            tried += 1
            corner = c
    triangles[written], triangles[written + 1], triangles[written + 2] = (
        before[corner],
        corner,
        after[corner],
    )
