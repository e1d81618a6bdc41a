"""How outlines lie to each other and to themselves: crossings, points inside, rings turned inside
out.
"""

import numpy as np

from tests.helpers.measures import signed_area


def edges(outline, closed=True):
    """Starts and ends (E, 2) of the edges of an outline (N, 2)."""
    return (outline, np.roll(outline, -1, axis=0)) if closed else (outline[:-1], outline[1:])


def crossing(a, b, c, d):
    """Whether segments a-b (E, 2) cross segments c-d (F, 2) properly, shape (E, F)."""

    def side(origin, end, point):
        along = end - origin
        beside = point - origin
        return along[..., 0] * beside[..., 1] - along[..., 1] * beside[..., 0]

    a = a[:, None]
    b = b[:, None]
    c = c[None]
    d = d[None]
    return (side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)


def crossings_between(one, other, closed=(True, True)):
    return int(crossing(*edges(one, closed[0]), *edges(other, closed[1])).sum())


def crossings_within(outline, closed=True):
    found = crossing(*edges(outline, closed), *edges(outline, closed))
    return int(np.triu(found, 2).sum())


def points_inside(points, ring):
    """How many of the points (N, 2) are inside a ring, by parity of crossings of a ray."""
    a, b = edges(ring)
    x = points[:, :1]
    y = points[:, 1:]
    spans = (a[:, 1] > y) != (b[:, 1] > y)
    with np.errstate(divide="ignore", invalid="ignore"):
        hit = a[:, 0] + (y - a[:, 1]) * (b[:, 0] - a[:, 0]) / (b[:, 1] - a[:, 1])
    return int(((spans & (x < hit)).sum(axis=1) % 2).sum())


def tangles(rings):
    """Boundary crossings, self-crossings, points inside others and inverted rings of
    counter-clockwise rest rings.
    """
    pairs = [(one, other) for k, one in enumerate(rings) for other in rings[k + 1 :]]
    return {
        "boundary crossings": sum(crossings_between(one, other) for one, other in pairs),
        "self-crossings": sum(crossings_within(ring) for ring in rings),
        "points inside": sum(points_inside(a, b) + points_inside(b, a) for a, b in pairs),
        "inverted": sum(signed_area(ring) <= 0.0 for ring in rings),
    }


UNTANGLED = {"boundary crossings": 0, "self-crossings": 0, "points inside": 0, "inverted": 0}
