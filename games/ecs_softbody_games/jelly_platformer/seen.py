"""Seen: what is beside the picture need not be drawn."""

from __future__ import annotations

from ecs_softbody.rendering import Picture

BESIDE = 1.0
"""What is less far outside of the picture than this [m] counts as seen: outlines and glows are
wider than things.
"""


def is_seen(picture: Picture, left: float, right: float) -> bool:
    """Return whether something between two places [m] may be seen."""
    low, _, high, _ = picture.view.bounds
    return left < high + BESIDE and right > low - BESIDE
