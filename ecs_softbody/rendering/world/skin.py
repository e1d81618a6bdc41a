"""Skin: the component of a body that is drawn with a picture, which deforms with it.

It holds where each particle is in the picture (u, v), found once from the rest shape. SkinPainter
(skins.py) draws it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal, Self, get_args

import esper
import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.arrays import Floats, Integers
from ecs_softbody.components import (
    AreaConstraint,
    Collider,
    Particles,
    PressureBody,
    StaticCollider,
)
from ecs_softbody.errors import FieldError, ShapeError
from ecs_softbody.rendering.texture import Texture, texture_of
from ecs_softbody.rendering.world.topology import LINKS, paths_of
from ecs_softbody.storage import Column, Component, PieceRows, Value
from ecs_softbody.validation import check_flag, check_number

Fit = Literal["cover", "stretch"]
GROUND_TILE = 2.0
"""Width of a picture on open ground [m], where none is given."""


class Skin(Component):
    """Draws a picture on a body, in place of its fill and its outline; it moves, deforms and is cut
    with the body.

    For anything with Particles: blobs, boxes, cloth, ropes, discs; and for a StaticCollider, whose
    area it fills. `Look` still sets opacity, glow, eyes, shadow, `layer_offset`, and an outline if
    given. Transparent parts of a picture show the scene behind the body. Bodies with the same
    picture are drawn together.

    Args:
        picture: a PNG, JPEG, WEBP, GIF or BMP file of at most 4096 x 4096 pixels in all; an image
            of Pillow; an array of shape (H, W), (H, W, 3) or (H, W, 4), rows from the top, such as
            `patterns` makes; or a Texture.
        fit: how the picture lies on the rest shape: `cover` keeps its proportions and crops it,
            `stretch` fits both sides. It lies upright on the body as it is when it is first packed.
        tile: width of the picture [m]; it then repeats over the body.
        angle: of the picture on the body as it is when first packed, counter-clockwise [rad].
        uv: shape (N, 2), where each of the entity's particles is in the picture, in shares of its
            width and height from the lower left corner; None takes them from the rest shape.
        per_metre: shares of its width and height in a metre of the rest shape [1/m], beside `uv`;
            None finds them.

    Raises:
        ValueError: if the picture does not exist, or a value is invalid.
    """

    __slots__ = ("_angle", "_texture", "_tile", "file", "fit", "repeats")
    needs_particles = False

    uv = Column(2, dtype=np.float64, doc="where each particle is in the picture")
    per_metre = Value(
        2, dtype=np.float64, unit="1/m", doc="shares of the picture's width and height in a metre"
    )

    fit: Fit
    repeats: bool
    file: Path | None
    """Path of the picture, or None if a program made it."""

    def __init__(
        self,
        picture: Any,
        *,
        fit: Fit = "cover",
        tile: float | None = None,
        angle: float = 0.0,
        uv: ArrayLike | None = None,
        per_metre: ArrayLike | None = None,
    ) -> None:
        if fit not in get_args(Fit):
            raise FieldError("Skin", "fit", fit, f"one of {', '.join(get_args(Fit))}")
        self.picture = picture
        self.fit = fit
        self.repeats = tile is not None
        self._tile = tile
        self._angle = check_number("Skin", "angle", angle)
        scale = 0.0 if tile is None else 1.0 / check_number("Skin", "tile", tile, above=0.0)
        if per_metre is None:
            per_metre = (scale, scale * self.aspect)
        elif uv is None:
            raise FieldError("Skin", "per_metre", per_metre, "both, or tile", hint=" without uv")
        self._fill("uv", uv=np.zeros((0, 2)) if uv is None else uv, per_metre=per_metre)

    @property
    def picture(self) -> Texture:
        """The picture; another one may be set at any time."""
        return self._texture

    @picture.setter
    def picture(self, picture: Any) -> None:
        self._texture = texture_of("Skin.picture", picture)
        self.file = Path(picture) if isinstance(picture, str | os.PathLike) else None

    @property
    def aspect(self) -> float:
        """Width of the picture over its height."""
        return float(self._texture.width / self._texture.height)

    def arguments(self) -> dict[str, Any]:
        """Return the constructor arguments, with the place of the picture once it is known."""
        found: dict[str, Any] = {
            "picture": self.picture,
            "fit": self.fit,
            "tile": self._tile,
            "angle": self._angle,
        }
        if self.row_count:
            found |= {"uv": self.uv, "per_metre": self.per_metre}
        return {name: value for name, value in found.items() if value is not None}

    def own_values(self) -> dict[str, Any]:
        """Return its own values without the file of the picture: the pixels are included."""
        return {name: value for name, value in super().own_values().items() if name != "file"}

    def take_own(self, values: dict[str, Any]) -> None:
        """Check and take the own values."""
        fit = values["fit"]
        tile = values["_tile"]
        texture = values["_texture"]
        if fit not in get_args(Fit):
            raise FieldError("Skin", "fit", fit, f"one of {', '.join(get_args(Fit))}")
        if not isinstance(texture, Texture):
            raise FieldError("Skin", "picture", texture, "the pixels of one")
        self._texture = texture
        self.file = None
        self.fit = fit
        self.repeats = check_flag("Skin", "repeats", values["repeats"])
        self._tile = None if tile is None else check_number("Skin", "tile", tile, above=0.0)
        self._angle = check_number("Skin", "angle", values["_angle"])

    def check_fit(self, entity: int) -> None:
        """Lay the picture on the rest shape of the body."""
        body = esper.try_component(entity, Particles)
        wall = esper.try_component(entity, StaticCollider)
        if body is None and wall is not None:
            self._lay_on_wall(wall)
        elif body is None:
            raise FieldError(
                "Skin",
                "",
                None,
                "a body that can be drawn",
                in_words="an entity with neither Particles nor a StaticCollider",
                entity=entity,
            )
        elif self.row_count == 0:
            points, radius = rest_of(entity, body)
            c = np.cos(self._angle)
            s = np.sin(self._angle)
            points = points @ np.array(((c, -s), (s, c)))
            self._lay(points, points.min(axis=0) - radius, points.max(axis=0) + radius)
        elif self.row_count != body.row_count:
            raise ShapeError(
                "Skin",
                "uv",
                self.uv,
                f"shape ({body.row_count}, 2): one row for each particle",
                shape=self.uv.shape,
                wanted=(body.row_count, 2),
            ).at(entity=entity)
        elif not self.per_metre.any():
            points, _ = rest_of(entity, body)
            self._set(
                "per_metre", np.ptp(self.uv, axis=0) / np.maximum(np.ptp(points, axis=0), 1e-9)
            )

    def _lay_on_wall(self, wall: StaticCollider) -> None:
        """Lay the picture on a static collider; on open ground it repeats."""
        if self.row_count == 0:
            points = wall.vertices
            radius = float(wall.radius)
            if not wall.closed and len(points) > 1 and not self.repeats:
                self.repeats = True
                self._tile = GROUND_TILE
                self._set("per_metre", np.array((1.0, self.aspect)) / GROUND_TILE)
            self._lay(points[:1], points.min(axis=0) - radius, points.max(axis=0) + radius)

    def _lay(self, points: Floats, low: Floats, high: Floats) -> None:
        """Give each point its place in the picture, which covers the box from `low` to
        `high` [m].
        """
        if self.repeats:
            self._set_rows(points * self.per_metre)
            return
        sides = np.maximum(high - low, 1e-9)
        if self.fit == "cover":
            height = max(float(sides[1]), float(sides[0]) / self.aspect)
            sides = np.array((height * self.aspect, height))
        self._set("per_metre", 1.0 / sides)
        self._set_rows(0.5 + (points - (0.5 * low + 0.5 * high)) / sides)

    def _set(self, name: str, value: Floats) -> None:
        self.value_arrays[name][self.slot] = value

    def _set_rows(self, uv: Floats) -> None:
        self.row_arrays = {"uv": np.ascontiguousarray(uv)}
        self.row_start = 0
        self.row_stop = len(uv)

    def of_piece(self, rows: PieceRows) -> Self:
        """Return the part of the picture that a fragment keeps."""
        piece = self.copied(rows.sources)
        piece.row_arrays["uv"] = rows.weights @ self.uv
        return piece


def rest_of(entity: int, body: Particles) -> tuple[Floats, float]:
    """Return the rest shape of a body of the current world (N, 2) [m], and its largest radius; a
    rope lies straight.
    """
    known = bool(body.rest_offset.any())
    points = np.array(body.rest_offset if known else body.position)
    if known:
        points += body.position.mean(axis=0)
    radius = float(body.radius.max(initial=0.0))
    path = _rope(entity)
    if path is not None and len(path) == len(points):
        steps = np.diff(points[path], axis=0)
        straight = np.zeros_like(points)
        straight[path[1:], 0] = np.cumsum(np.hypot(steps[:, 0], steps[:, 1]), dtype=np.float64)
        points = straight
    return points, radius


def _rope(entity: int) -> Integers | None:
    """Return the rows of a body that is one open line of links, and has no outline
    around an area.
    """
    for kind in (Collider, PressureBody, AreaConstraint):
        owner: Any = esper.try_component(entity, kind)
        if owner is not None and len(owner.outline) and getattr(owner, "closed", True):
            return None
    for link in LINKS:
        links: Any = esper.try_component(entity, link)
        if links is not None and links.row_count and links.between is None:
            paths = paths_of(np.asarray(links.pairs, np.int64))
            return paths[0].rows if len(paths) == 1 and not paths[0].closed else None
    return None
