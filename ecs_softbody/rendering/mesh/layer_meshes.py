"""Layer meshes: the triangles of every layer of a picture, in the order in which they are drawn.

A layer has one mesh, or several where its triangles have different textures. A drawing that is the
same from picture to picture, such as the ground, is kept as blocks of triangles and added again
without being drawn (`again`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.rendering.layers import Run
from ecs_softbody.rendering.mesh.mesh import WIDTH, Mesh
from ecs_softbody.rendering.texture import Texture

MOST_CACHED = 512
"""Number of drawings that are kept; beyond it all are forgotten."""


class Block(NamedTuple):
    """Triangles added to one layer; indices are relative to the first vertex of the block."""

    layer: int
    vertices: NDArray[np.float32]
    indices: NDArray[np.int32]


class CachedDrawing(NamedTuple):
    """The triangles and texts drawn under a name: their dependencies, and the copy to add again
    (None: draw again).
    """

    key: Hashable
    blocks: list[Block] | None
    texts: list[Any]
    at: tuple[float, float]
    is_first: bool = False
    """Whether it was drawn once only: it is moved from where it stands when it is seen for the
    second time.
    """


class LayerMeshes:
    """The meshes of each layer: a new one begins whenever the texture changes."""

    def __init__(self) -> None:
        self._layers: dict[int, list[Mesh]] = {}
        """The meshes of each layer, the last one drawn on top."""
        self._spare: list[Mesh] = []
        """Empty meshes without a texture, whose memory is used again."""
        self._cached: dict[Hashable, CachedDrawing] = {}
        """The drawings that are kept, by name."""

    def clear(self) -> None:
        """Drop everything, and keep the memory."""
        for meshes in self._layers.values():
            for mesh in meshes:
                mesh.clear()
            if len(meshes) > 1:
                self._spare += [mesh for mesh in meshes[1:] if mesh.texture is None]
                del meshes[1:]
            if meshes and meshes[0].texture is not None:
                meshes.clear()

    def clear_layers(self, first: int, last: int) -> None:
        """Drop the meshes of the layers from `first` to before `last`."""
        for layer in [layer for layer in self._layers if first <= layer < last]:
            del self._layers[layer]

    def between(self, first: int, last: int) -> list[Mesh]:
        """Return the meshes of the layers from `first` to `last`, that one left out."""
        return [
            mesh
            for layer, meshes in self._layers.items()
            if first <= layer < last
            for mesh in meshes
        ]

    def next(self, layer: int, texture: Texture | None, repeats: bool) -> Mesh:
        """Return the mesh that a layer's next triangles belong to."""
        meshes = self._layers.get(layer)
        if meshes:
            last = meshes[-1]
            if last.texture is texture and last.repeats == repeats:
                return last
        plain = texture is None and not repeats
        begun = self._spare.pop() if plain and self._spare else Mesh(texture, repeats)
        self._layers.setdefault(layer, []).append(begun)
        return begun

    def again(
        self,
        name: Hashable,
        key: Hashable,
        draw: Callable[[], None],
        texts: list[Any],
        at: tuple[float, float] = (0.0, 0.0),
        *,
        at_once: bool = False,
    ) -> None:
        """Add the output of `draw`: if the key is unchanged, repeat the last output without calling
        it.

        Args:
            name: of the drawing; one thing has one name in every picture.
            key: all that its triangles and texts depend on.
            draw: adds them, without pictures on them.
            texts: the picture's, to which `draw` adds.
            at: its current place [px]; a drawing that has only moved is translated, or drawn again
                if it has texts.
            at_once: keep it when it is drawn for the first time, since it takes long and will be
                the same for long.
        """
        kept = self._cached.get(name)
        seen_before = kept is not None and kept.key == key
        may_move = kept is not None and not kept.texts and not kept.is_first
        if (
            kept is not None
            and seen_before
            and kept.blocks is not None
            and (at == kept.at or may_move)
        ):
            # Blocks are repeated, or moved with the camera, instead of drawn: the picture of the
            # rope bridge takes a third of the time.
            for block in kept.blocks:
                part = self.next(block.layer, None, False).reserve(
                    len(block.vertices), len(block.indices)
                )
                part.vertices[:] = block.vertices
                if at != kept.at:
                    part.vertices[:, :2] += np.subtract(at, kept.at).astype(np.float32)
                np.add(block.indices, np.int32(part.first), out=part.indices)
            texts += kept.texts
            if kept.is_first:
                self._cached[name] = kept._replace(is_first=False)
            return
        if len(self._cached) > MOST_CACHED:
            self._cached.clear()
        # Only drawings that are the same for a second time are kept: moving ones, also by a moving
        # camera, are not worth a copy.
        if not (seen_before or at_once):
            draw()
            self._cached[name] = CachedDrawing(key, None, [], at)
            return
        before = {
            layer: (len(meshes), meshes[-1]) for layer, meshes in self._layers.items() if meshes
        }
        counts = {
            layer: (mesh.vertex_count, mesh.index_count) for layer, (_, mesh) in before.items()
        }
        count = len(texts)
        draw()
        self._cached[name] = CachedDrawing(
            key, self._added(before, counts), texts[count:], at, not seen_before
        )

    def _added(
        self, before: dict[int, tuple[int, Mesh]], counts: dict[int, tuple[int, int]]
    ) -> list[Block] | None:
        """Return the triangles added since, None if they began a mesh of their own in a layer."""
        blocks = []
        for layer, meshes in self._layers.items():
            if not meshes:
                continue
            if (
                len(meshes) != before.get(layer, (1, meshes[0]))[0]
                or meshes[-1].texture is not None
            ):
                return None
            vertex, index = counts.get(layer, (0, 0))
            mesh = meshes[-1]
            if mesh.index_count > index:
                blocks.append(
                    Block(
                        layer,
                        mesh.vertices[vertex:].copy(),
                        mesh.indices[index:] - np.int32(vertex),
                    )
                )
        return blocks

    def joined(self) -> tuple[NDArray[np.float32], NDArray[np.int32], list[Run], int]:
        """Return vertices (V, 10), indices (3 T,), the runs of triangles with their textures, and
        how many indices are opaque.
        """
        meshes = [
            mesh
            for layer in sorted(self._layers)
            for mesh in self._layers[layer]
            if mesh.index_count
        ]
        if not meshes:
            return np.zeros((0, WIDTH), np.float32), np.zeros(0, np.int32), [], 0
        # Only the lowest ones count: above the first translucent mesh, the order of blending
        # matters.
        opaque = sum(mesh.index_count for mesh in itertools.takewhile(Mesh.is_opaque, meshes))
        runs = []
        start = 0
        for (texture, repeats), run in itertools.groupby(
            meshes, lambda mesh: (mesh.texture, mesh.repeats)
        ):
            count = sum(mesh.index_count for mesh in run)
            runs.append(Run(texture, repeats, start, count))
            start += count
        indices = np.empty(start, np.int32)
        first = 0
        start = 0
        for mesh in meshes:
            np.add(mesh.indices, np.int32(first), out=indices[start : start + mesh.index_count])
            first = first + mesh.vertex_count
            start = start + mesh.index_count
        return np.concatenate([mesh.vertices for mesh in meshes]), indices, runs, opaque
