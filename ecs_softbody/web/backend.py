"""Web backend: hands pictures to `page.js`, which draws them with WebGL 2 out of Python's own
memory.
"""

from __future__ import annotations

import weakref
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.rendering.backend.backend import thinned
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.texture import Texture


class Script(Protocol):
    """The object returned by `makeBackend` of `page.js`; addresses count bytes in Python's
    memory.
    """

    def loadAtlas(self, address: int, width: int, height: int) -> None: ...  # noqa: D102, N802
    def loadTexture(self, number: int, address: int, levels: int, count: int) -> None: ...  # noqa: D102, N802
    def forgetTexture(self, number: int) -> None: ...  # noqa: D102, N802
    def draw(  # noqa: D102
        self,
        width: int,
        height: int,
        vertices: int,
        vertex_bytes: int,
        indices: int,
        index_bytes: int,
        opaque: int,
        runs: int,
        run_count: int,
    ) -> None: ...
    def read(self, address: int, width: int, height: int) -> None: ...  # noqa: D102


def address(array: NDArray[Any]) -> int:
    """Return the address of a C-contiguous array."""
    return int(array.__array_interface__["data"][0])


class WebBackend:
    """Draws pictures into a canvas.

    Args:
        script: the page's side, or a stand-in for it.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._atlas_version = -1
        self._numbers: weakref.WeakKeyDictionary[Texture, int] = weakref.WeakKeyDictionary()
        self._last = 0
        self._dead: list[int] = []

    def draw(self, picture: Picture) -> None:
        """Draw a picture over the previous one."""
        vertices, indices = picture.triangles()
        while self._dead:
            self._script.forgetTexture(self._dead.pop())
        atlas = picture.atlas
        if atlas.version != self._atlas_version:
            self._atlas_version = atlas.version
            height, width = atlas.pixels.shape
            self._script.loadAtlas(address(atlas.pixels), width, height)
        runs = np.array([(self._number(run[0]), *run[1:]) for run in picture.runs], np.int32)
        self._script.draw(
            picture.width_px,
            picture.height_px,
            address(vertices),
            vertices.nbytes,
            address(indices),
            indices.nbytes,
            picture.opaque_count,
            address(runs),
            len(runs),
        )

    def read(self, width_px: int, height_px: int) -> NDArray[np.uint8]:
        """Return the last picture, shape (height_px, width_px, 3), rows from the top."""
        image = np.empty((height_px, width_px, 4), np.uint8)
        self._script.read(address(image), width_px, height_px)
        return np.ascontiguousarray(image[::-1, :, :3])

    def read_small(self, size: tuple[int, int], small: tuple[int, int]) -> NDArray[np.uint8]:
        """Return the last picture, drawn at `size`, reduced to about `small` (width, height)
        [pixels].
        """
        return thinned(self.read(*size), small)

    def _number(self, texture: Texture | None) -> int:
        """Return the number of a texture, 0 for none; it is loaded on its first use."""
        if texture is None:
            return 0
        number = self._numbers.get(texture)
        if number is None:
            self._last += 1
            number = self._numbers[texture] = self._last
            levels = np.ascontiguousarray(texture.levels, np.int32)
            self._script.loadTexture(number, address(texture.pixels), address(levels), len(levels))
            weakref.finalize(texture, self._dead.append, number)
        return number
