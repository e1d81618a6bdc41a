"""Layer meshes: the triangles of every layer of a picture, in the order in which they are drawn."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.rendering.layers import Run
from ecs_softbody.rendering.mesh.mesh import WIDTH, Mesh
from ecs_softbody.rendering.texture import Texture


class LayerMeshes:
    """The meshes of each layer: a new one where the next triangles carry another picture than those before."""

    def __init__(self) -> None:
        self._layers: dict[int, list[Mesh]] = {}
        self._spare: list[Mesh] = []

    def clear(self) -> None:
        """Drop everything, and keep the memory."""
        for meshes in self._layers.values():
            for mesh in meshes:
                mesh.clear()
            self._spare += [mesh for mesh in meshes[1:] if mesh.texture is None]
            del meshes[1:]
            if meshes and meshes[0].texture is not None:
                meshes.clear()

    def clear_layers(self, first: int, last: int) -> None:
        """Drop what is in the layers from `first` to `last`, that one left out."""
        for layer in [layer for layer in self._layers if first <= layer < last]:
            del self._layers[layer]

    def next(self, layer: int, texture: Texture | None, repeats: bool) -> Mesh:
        """Return the mesh that a layer's next triangles belong to."""
        meshes = self._layers.setdefault(layer, [])
        if not meshes or meshes[-1].texture is not texture or meshes[-1].repeats != repeats:
            plain = texture is None and not repeats
            meshes.append(self._spare.pop() if plain and self._spare else Mesh(texture, repeats))
        return meshes[-1]

    def joined(self) -> tuple[NDArray[np.float32], NDArray[np.int32], list[Run], int]:
        """Return vertices (V, 10), indices (3 T,), what is drawn with which picture, and how many indices hide all."""
        meshes = [mesh for layer in sorted(self._layers) for mesh in self._layers[layer] if mesh.index_count]
        if not meshes:
            return np.zeros((0, WIDTH), np.float32), np.zeros(0, np.int32), [], 0
        opaque = sum(mesh.index_count for mesh in itertools.takewhile(Mesh.is_opaque, meshes))
        runs, start = [], 0
        for (texture, repeats), run in itertools.groupby(meshes, lambda mesh: (mesh.texture, mesh.repeats)):
            count = sum(mesh.index_count for mesh in run)
            runs.append(Run(texture, repeats, start, count))
            start += count
        starts = np.cumsum([0] + [mesh.vertex_count for mesh in meshes[:-1]])
        indices = [mesh.indices + np.int32(first) for mesh, first in zip(meshes, starts, strict=True)]
        return np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate(indices), runs, opaque
