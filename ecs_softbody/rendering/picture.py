"""Picture: everything that one frame shows, as triangles per layer; made with numpy alone, drawn by
any backend.

A game calls its methods (`disc`, `text`, `polygon`, ...); each adds vertices and triangles in
pixels to the mesh of a layer (mesh/mesh.py has the form). A backend then draws `triangles()`: with
OpenGL, WebGL, or into an array (backend/).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.errors import FieldError
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.explained import check_places, explained
from ecs_softbody.rendering.glyphs import GlyphAtlas, shared_atlas
from ecs_softbody.rendering.layers import Align, Layer, Run, Space, Text, VerticalAlign, standing
from ecs_softbody.rendering.mesh.layer_meshes import LayerMeshes
from ecs_softbody.rendering.mesh.mesh import CORNERS, Mesh
from ecs_softbody.rendering.mesh.polygon_mesh import fill_polygon
from ecs_softbody.rendering.mesh.quads import SMOOTH
from ecs_softbody.rendering.mesh.stroke_mesh import build_stroke, stroke_sizes
from ecs_softbody.rendering.palette import Colour, rgba
from ecs_softbody.rendering.screen.points import USUAL_SIZE, pixels_per_point
from ecs_softbody.rendering.screen.view import View
from ecs_softbody.rendering.screen.vision import Colours, correction
from ecs_softbody.rendering.texture import Texture, image_size, texture_of
from ecs_softbody.rendering.theme import DEFAULT, Theme
from ecs_softbody.validation import check_number, check_point, unknown_attribute

OTHER_WORDS = {
    "circle": "disc", "rect": "rectangle", "line": "stroke", "lines": "segments", "label": "text",
    "sprite": "image", "texture": "image", "blit": "image", "draw_image": "image",
}  # fmt: skip
"""Names in other libraries, with the name here."""


def _is_world(space: str) -> bool:
    """Return whether a space is the world; FieldError if it is not the screen, either."""
    if space in ("world", "screen"):
        return space == "world"
    raise FieldError("Picture", "space", space, "'world' or 'screen'")


class Picture:
    """The display list of one frame.

    Positions are world metres, or with `space="screen"` points, with the origin at the bottom left
    and y up: the screen is `width` by `height` points, usually 720 high; in a narrow window it is
    higher, with large texts lower, and never smaller than 640 x 360. Stroke widths and text sizes
    are points in both spaces. A picture may be used again after `clear`.
    """

    def __init__(
        self,
        width_px: int = USUAL_SIZE[0],
        height_px: int = USUAL_SIZE[1],
        view: View | None = None,
    ) -> None:
        self.atlas: GlyphAtlas = shared_atlas()
        self.texts: list[Text] = []
        self.opaque_count = 0
        """Number of leading indices of the last `triangles` that need no blending."""
        self.theme: Theme = DEFAULT
        """The look of sky, ground and water."""
        self.runs: list[Run] = []
        """The runs of triangles of the last `triangles`, with their textures, in order."""
        self.text_size = 1.0
        """Text size chosen by the player, usually 1; applies from the next `clear` on."""
        self.colours: Colours = "usual"
        """Whose eyes the colours are for, see `vision.KINDS`; pictures of files stay
        as they are.
        """
        self.meshes = LayerMeshes()
        self.clear(width_px, height_px, view)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Suggest the attribute that was meant."""
            raise unknown_attribute("Picture", name, dir(Picture), OTHER_WORDS)

    def clear(self, width_px: int, height_px: int, view: View | None = None) -> None:
        """Start again, with this size [pixels] and view of the world."""
        self.width_px = int(check_number("Picture", "width_px", width_px, minimum=1.0))
        self.height_px = int(check_number("Picture", "height_px", height_px, minimum=1.0))
        self.view = view or View((0.0, 0.0), 9.0, self.width_px, self.height_px)
        self.point = pixels_per_point(self.width_px, self.height_px, self.text_size)
        """Pixels per point."""
        self.texts.clear()
        self.meshes.clear()

    def hide(self, first: int, last: int) -> None:
        """Remove the content of the layers from `first` to before `last`."""
        self.texts = [text for text in self.texts if not first <= text.layer < last]
        self.meshes.clear_layers(first, last)

    @property
    def width(self) -> float:
        """Width of the screen in points."""
        return self.width_px / self.point

    @property
    def height(self) -> float:
        """Height of the screen in points."""
        return self.height_px / self.point

    def mesh(self, layer: int, texture: Texture | None = None, *, repeats: bool = False) -> Mesh:
        """Return the current mesh of a layer, for callers that add triangles in bulk.

        With a texture, its triangles carry this picture, which may repeat beyond its edges.
        """
        return self.meshes.next(int(layer), texture, repeats)

    def triangles(self) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """Return all layers as one list, farthest first: vertices (V, 10) and indices (3 T,) (see
        mesh.py).
        """
        vertices, indices, self.runs, self.opaque_count = self.meshes.joined()
        if self.colours != "usual":
            vertices[:, 6:9] = np.clip(vertices[:, 6:9] @ correction(self.colours).T, 0.0, 1.0)
        return vertices, indices

    def to_pixels(self, points: ArrayLike, space: Space = "world") -> Floats:
        """Return positions in a space, shape (..., 2), as pixels."""
        given = np.asarray(points, np.float64)
        if not given.size:  # an empty list stands for no points
            given = given.reshape(0, 2)
        elif given.shape[-1:] != (2,):
            check_places("Picture.to_pixels", "points", points)
        return self.view.to_pixels(given) if _is_world(space) else given * self.point

    def length_to_pixels(self, length: float, space: Space = "world") -> float:
        """Return a length of a space [m or points] in pixels."""
        return length * (self.view.scale if _is_world(space) else self.point)

    @explained
    def polygon(
        self,
        points: ArrayLike,
        fill: Colour,
        *,
        outline: Colour | None = None,
        outline_width: float = 3.0,
        layer: int = Layer.DECOR,
        space: Space = "world",
    ) -> None:
        """Fill a polygon, convex or not, shape (N, 2); its edge is smooth, or an outline of this
        width [points].
        """
        positions = self.to_pixels(points, space)
        if len(positions) < 3:
            return
        self.mesh(layer).add_fill(*fill_polygon(positions), rgba(fill))
        if outline is not None:
            self._stroke(positions, outline_width * self.point, rgba(outline), True, layer)
        elif len(fill) == 3 or fill[3] == 255:
            self._stroke(positions, 0.4, rgba(fill), True, layer)

    @explained
    def rectangle(
        self,
        left_bottom: ArrayLike,
        right_top: ArrayLike,
        fill: Colour,
        *,
        fill_top: Colour | None = None,
        layer: int = Layer.DECOR,
        space: Space = "world",
    ) -> None:
        """Fill an upright rectangle, with a vertical gradient where `fill_top` is given."""
        ends: Any = (left_bottom, right_top)
        (left, bottom), (right, top) = self.to_pixels(ends, space).tolist()
        corners = ((left, bottom), (right, bottom), (right, top), (left, top))
        self.mesh(layer).add_quad(corners, rgba(fill), rgba(fill_top or fill))

    @explained
    def panel(
        self,
        left_bottom: ArrayLike,
        right_top: ArrayLike,
        fill: Colour | None = None,
        *,
        corner: float = 14.0,
        outline: Colour | None = None,
        layer: int = Layer.HUD,
        space: Space = "screen",
    ) -> None:
        """Fill a rectangle with round corners [points] and an outline around it; usually as panels
        of the theme.
        """
        low = self.to_pixels(left_bottom, space)
        high = self.to_pixels(right_top, space)
        radius = min(corner * self.point, 0.5 * float((high - low).min()))
        mesh = self.mesh(layer)
        if outline is not None:
            edge = 2.5 * self.point
            mesh.add_round_box(low - edge, high + edge, radius + edge, rgba(outline))
        mesh.add_round_box(low, high, radius, rgba(fill or self.theme.panel))

    @explained
    def disc(
        self,
        center: ArrayLike,
        radius: float,
        fill: Colour,
        *,
        outline: Colour | None = None,
        outline_width: float = 3.0,
        layer: int = Layer.DECOR,
        space: Space = "world",
    ) -> None:
        """Fill a disc; the outline of this width [points] lies inside the radius."""
        position = self.to_pixels(center, space)
        radius_px = self.length_to_pixels(radius, space)
        mesh = self.mesh(layer)
        if outline is not None:
            mesh.add_ellipses(position, (radius_px, radius_px), rgba(outline))
            radius_px -= outline_width * self.point
        if radius_px > 0.0:
            mesh.add_ellipses(position, (radius_px, radius_px), rgba(fill))

    @explained
    def discs(
        self,
        centers: ArrayLike,
        radii: ArrayLike,
        fill: Colour | NDArray[np.float32],
        *,
        layer: int = Layer.DECOR,
        space: Space = "world",
    ) -> None:
        """Fill N discs at once: centers (N, 2), radii (N,) or one number, one colour or rgba shares
        (N, 4).
        """
        positions = self.to_pixels(centers, space).reshape(-1, 2)
        radius_px = self.length_to_pixels(1.0, space) * np.asarray(radii, np.float64)[..., None]
        colours = fill if isinstance(fill, np.ndarray) else rgba(fill)
        self.mesh(layer).add_ellipses(positions, radius_px, colours)

    @explained
    def ellipse(
        self,
        center: ArrayLike,
        radii: tuple[float, float],
        fill: Colour,
        *,
        softness: float = 0.0,
        layer: int = Layer.DECOR,
        space: Space = "world",
    ) -> None:
        """Fill an upright ellipse; softness 0 has a sharp edge, 1 fades all the way from the
        middle.
        """
        both = check_point("Picture.ellipse", "radii", radii).tolist()
        radius_px = [self.length_to_pixels(radius, space) for radius in both]
        self.mesh(layer).add_ellipses(
            self.to_pixels(center, space), radius_px, rgba(fill), softness
        )

    @explained
    def stroke(
        self,
        points: ArrayLike,
        width: float,
        colour: Colour,
        *,
        closed: bool = False,
        metres: bool = False,
        layer: int = Layer.DECOR,
        space: Space = "world",
    ) -> None:
        """Draw a line along points (N, 2), with round ends; its width is points, or metres with
        `metres=True`.
        """
        pixels = self.length_to_pixels(width, "world") if metres else width * self.point
        self._stroke(self.to_pixels(points, space), pixels, rgba(colour), closed, layer)

    @explained
    def segments(
        self,
        starts: ArrayLike,
        ends: ArrayLike,
        width: float,
        colour: Colour | NDArray[np.float32],
        *,
        layer: int = Layer.DECOR,
        space: Space = "world",
    ) -> None:
        """Draw N straight lines at once: starts and ends (N, 2), width [points], one colour or rgba
        shares (N, 4).
        """
        colours = colour if isinstance(colour, np.ndarray) else rgba(colour)
        first = self.to_pixels(starts, space)
        second = self.to_pixels(ends, space)
        self.mesh(layer).add_segments(first, second, width * self.point, colours)

    @explained
    def arrow(
        self,
        start: ArrayLike,
        end: ArrayLike,
        colour: Colour,
        *,
        width: float = 2.5,
        layer: int = Layer.DECOR,
        space: Space = "world",
    ) -> None:
        """Draw an arrow from start to end, its head sized by the width [points]."""
        tail = self.to_pixels(start, space)
        tip = self.to_pixels(end, space)
        length = float(np.hypot(*(tip - tail)))
        if length < 1.0:
            return
        along = (tip - tail) / length
        head = min(3.6 * width * self.point, 0.6 * length)
        across = np.array((-along[1], along[0])) * 0.55 * head
        base = tip - along * head
        self._stroke(np.stack((tail, base)), width * self.point, rgba(colour), False, layer)
        self.mesh(layer).add_fill((tip, base + across, base - across), (0, 1, 2), rgba(colour))

    @explained
    def image(
        self,
        source: Any,
        center: ArrayLike,
        *,
        width: float | None = None,
        height: float | None = None,
        angle: float = 0.0,
        opacity: float = 1.0,
        layer: int = Layer.DECOR,
        space: Space = "world",
    ) -> None:
        """Draw a picture: a file, an image of Pillow, an array or a Texture, see `Skin`; a file is
        read once.

        Args:
            source: the picture.
            center: (x, y), its middle.
            width, height: [m or points]; where one is left out the picture keeps its proportions,
                and is 1 m or 100 points high where both are.
            angle: counter-clockwise [rad].
            opacity: 0 to 1.
            layer: within a layer, later calls draw on top.
            space: of center, width and height.

        Raises:
            ValueError: if the picture does not exist, or a number is invalid.
        """
        texture = texture_of("Picture.image", source)
        middle = self.to_pixels(check_point("Picture.image", "center", center), space)
        opacity = check_number("Picture.image", "opacity", opacity, minimum=0.0)
        sides = image_size(texture, width, height, 1.0 if space == "world" else 100.0)
        angle = check_number("Picture.image", "angle", angle)
        half = np.array([0.5 * self.length_to_pixels(side, space) for side in sides])
        turned = np.array(((np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))))
        tint = np.array((1.0, 1.0, 1.0, min(opacity, 1.0)), np.float32)
        self.mesh(layer, texture).add_pictures(
            middle + CORNERS * half @ turned, 0.5 + 0.5 * CORNERS, tint
        )

    @explained
    def text(
        self,
        text: str | float,
        at: ArrayLike,
        *,
        size: float = 26.0,
        colour: Colour = palette.TEXT,
        align: Align = "left",
        vertical: VerticalAlign = "baseline",
        shadow: bool = True,
        layer: int = Layer.HUD,
        space: Space = "screen",
    ) -> float:
        """Write one line, a text or a number; `size` is points.

        Returns the width of the text in points.
        """
        text = str(text)
        (shift, lift) = standing(align, vertical)
        x, y = self.to_pixels(at, space).tolist()
        pixels = max(5, round(size * self.point))
        boxes, sources, width = self.atlas.layout(text, pixels)
        x -= shift * width
        y -= lift * pixels
        self.texts.append(Text(text, (x / self.point, y / self.point), size, int(layer)))
        x = float(round(x))
        y = float(round(y))
        mesh = self.mesh(layer)
        if shadow and len(boxes):
            low = y - max(1, round(0.06 * pixels))
            shade = palette.faded(
                palette.TEXT_SHADOW, (colour[3] if len(colour) > 3 else 255) / 255
            )
            mesh.add_glyphs(boxes, sources, (x, low), rgba(shade))
        if len(boxes):
            mesh.add_glyphs(boxes, sources, (x, y), rgba(colour))
        return width / self.point

    @explained
    def text_width(self, text: str, size: float) -> float:
        """Return the width of a text in points."""
        return self.atlas.layout(text, max(5, round(size * self.point)))[2] / self.point

    def _stroke(
        self,
        positions: Floats,
        width_px: float,
        colour: NDArray[np.float32],
        closed: bool,
        layer: int,
    ) -> None:
        if len(positions) < 2:
            return
        part = self.mesh(layer).reserve(*stroke_sizes(len(positions), closed))
        points = np.ascontiguousarray(positions, np.float64)
        build_stroke(points, closed, 0.5 * width_px, float(SMOOTH), colour, part)
