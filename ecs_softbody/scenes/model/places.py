"""Kinds of places, sizes and colours: values of a few numbers."""

from __future__ import annotations

import math
from typing import Any

from ecs_softbody.scenes.model.kinds import NUMBER, NUMBER_SCHEMA, WHOLE, Kind, refuse


def _point(value: Any) -> list[float]:
    if not isinstance(value, list) or len(value) != 2:
        raise refuse(value, POINT.expected)
    try:
        return [NUMBER.check(part) for part in value]
    except ValueError:
        raise refuse(value, POINT.expected) from None


def _points(value: Any) -> list[list[float]]:
    try:
        if isinstance(value, list):
            return [_point(entry) for entry in value]
    except ValueError:
        pass
    raise refuse(value, POINTS.expected)


def _size(value: Any) -> Any:
    try:
        return _point(value) if isinstance(value, list) else NUMBER.check(value)
    except ValueError:
        raise refuse(value, SIZE.expected) from None


def _rectangle(value: Any) -> tuple[float, ...]:
    try:
        left, bottom, right, top = (NUMBER.check(part) for part in value if isinstance(value, list))
    except (ValueError, TypeError):
        raise refuse(value, RECTANGLE.expected) from None
    if not (-math.inf < left < right < math.inf and -math.inf < bottom < top < math.inf):
        raise refuse(value, RECTANGLE.expected)
    return left, bottom, right, top


def _colour(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) not in (3, 4):
        raise refuse(value, COLOUR.expected)
    parts = tuple(WHOLE.check(part) for part in value)
    if not all(0 <= part <= 255 for part in parts):
        raise refuse(value, COLOUR.expected)
    return parts


def _sky(value: Any) -> tuple[tuple[int, ...], ...]:
    try:
        if isinstance(value, list) and len(value) >= 2:
            return tuple(_colour(colour) for colour in value)
    except ValueError:
        pass
    raise refuse(value, SKY.expected)


COLOUR = Kind(
    _colour,
    "[red, green, blue], or with alpha, each 0 to 255",
    {
        "type": "array",
        "items": {"type": "integer", "minimum": 0, "maximum": 255},
        "minItems": 3,
        "maxItems": 4,
    },
)
"""A colour, with or without opacity."""
SKY = Kind(
    _sky,
    "a list of two colours [red, green, blue] or more, from the horizon up",
    {"type": "array", "items": COLOUR.schema, "minItems": 2},
)
"""Colours of a sky."""
POINT_SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": NUMBER_SCHEMA,
    "minItems": 2,
    "maxItems": 2,
}
"""Schema of a point."""
POINT = Kind(_point, "two numbers [x, y]", POINT_SCHEMA)
"""A point or a vector."""
POINTS = Kind(_points, "a list of points [x, y]", {"type": "array", "items": POINT_SCHEMA})
"""Points, such as the corners of an outline."""
SIZE = Kind(
    _size, "a side, or two numbers [width, height]", {"anyOf": [NUMBER_SCHEMA, POINT_SCHEMA]}
)
"""The size of a box."""
RECTANGLE = Kind(
    _rectangle, "[left, bottom, right, top] with left < right and bottom < top",
    {"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 4},
)  # fmt: skip
