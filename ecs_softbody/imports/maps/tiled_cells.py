"""Cells of Tiled's layers, in each of its formats, as arrays of numbers; never more than there may
be.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import Any

import numpy as np

from ecs_softbody.arrays import Integers
from ecs_softbody.imports.budget import Budget, Unreadable
from ecs_softbody.imports.reading import dicts_of, list_of, package, shortened, whole_of
from ecs_softbody.indices import argwhere

MOST_CELLS = 1_000_000
"""Limit of the cells of all layers."""
FARTHEST = 10**6
"""Maximum distance of a chunk of an infinite map [cells]."""
LARGEST_GID = 0xFFFFFFFF
"""Largest tile number, with the bits of its turns."""
LARGEST_WINDOW = 2**24
"""Bytes that unpacking a layer may look back."""


class Cells:
    """Unpacks the layers of a map, and counts their cells."""

    def __init__(self, owner: str, budget: Budget, *, endless: bool) -> None:
        self.owner = owner
        self.layer = owner
        """Name of the layer being unpacked, for messages."""
        self.budget = budget
        self.endless = endless
        """Whether the map is infinite: Tiled writes no chunk there where all of a
        layer is empty.
        """
        self.count = 0

    def used(self, raw: dict[str, Any]) -> tuple[Integers, Integers]:
        """Return row and column (N, 2) of the cells of a layer that are not empty, and the numbers
        (N,) in them.
        """
        owner = self.layer = f"{self.owner}, layer {shortened(raw.get('name') or '')}"
        packing = (raw.get("encoding", "csv"), raw.get("compression", ""))
        blocks = [raw | {"x": 0, "y": 0}]
        if "chunks" in raw or (self.endless and not raw.get("data")):
            blocks = dicts_of(owner, "chunks", raw.get("chunks"))
            self.budget.spend("chunks", len(blocks))
        places = [np.zeros((0, 2), np.int64)]
        numbers = [np.zeros(0, np.int64)]
        for one in blocks:
            corner = [
                whole_of(owner, name, one.get(name), -FARTHEST, FARTHEST) for name in ("y", "x")
            ]
            sides = [
                whole_of(owner, name, one.get(name), 0, MOST_CELLS) for name in ("height", "width")
            ]
            cells = self._cells(one.get("data"), packing, (sides[0], sides[1]))
            places.append(argwhere(cells) + corner)
            numbers.append(cells[cells > 0])
        return np.concatenate(places), np.concatenate(numbers)

    def _cells(self, data: Any, packing: tuple[Any, Any], shape: tuple[int, int]) -> Integers:
        # Cells are counted before anything is unpacked, by the size that the file declares:
        # unpacking ends there.
        expected = shape[0] * shape[1]
        self.count += expected
        if self.count > MOST_CELLS:
            raise Unreadable(f"{self.owner} has more than {MOST_CELLS} cells, which is not allowed")
        self.budget.spend("cells", expected)
        if isinstance(data, str) and packing[0] == "csv":
            cells = self._numbers([part for part in data.split(",") if not part.isspace() and part])
        elif isinstance(data, str):
            unpacked = self._unpacked(data, packing, 4 * expected)
            cells = np.frombuffer(unpacked[: len(unpacked) // 4 * 4], "<u4").astype(np.int64)
        else:
            cells = self._whole(list_of(self.layer, "data", data))
        if len(cells) != expected:
            found = f"more than {expected}" if len(cells) > expected else f"{len(cells)}"
            raise Unreadable(
                f"{self.layer}: it has {found} cells; expected {expected}: width times height"
            )
        return cells.reshape(shape)

    def _numbers(self, words: list[str]) -> Integers:
        """Return the numbers of a layer as CSV."""
        try:
            cells = [int(word) for word in words]
        except ValueError:
            bad = next(
                (word for word in words if not word.strip().isdecimal()), max(words, key=len)
            )
            raise Unreadable(
                f"{self.layer}: a cell is {shortened(bad.strip())}; expected a whole number"
            ) from None
        return self._whole(cells)

    def _whole(self, cells: list[Any]) -> Integers:
        """Return a list of numbers of tiles as an array."""
        if not all(type(cell) is int and 0 <= cell <= LARGEST_GID for cell in cells):
            for cell in cells:
                whole_of(self.layer, "a cell", cell, 0, LARGEST_GID)
        return np.array(cells, np.int64)

    def _unpacked(self, text: str, packing: tuple[Any, Any], size: int) -> bytes:
        """Return packed bytes, and not one more than there may be."""
        encoding, compression = packing
        if encoding != "base64" or compression not in ("", None, "zlib", "gzip", "zstd"):
            raise Unreadable(
                f"{self.layer}: layers in the format {shortened(compression or encoding)} cannot "
                "be read; expected "
                "CSV, or Base64 with zlib, gzip, zstd or nothing"
            )
        try:
            packed = base64.b64decode(text, validate=False)
            if not compression:
                return packed
            if compression == "zstd":
                return _of_zstd(packed, size + 4)
            unpacker = zlib.decompressobj(zlib.MAX_WBITS | (16 if compression == "gzip" else 0))
            return unpacker.decompress(packed, size + 4)
        except (ValueError, binascii.Error, zlib.error):
            raise Unreadable(f"{self.layer} is broken: it cannot be unpacked") from None


def _of_zstd(packed: bytes, most: int) -> bytes:
    """Decompress Zstandard data to at most `most` bytes, regardless of its declared size.

    Raises:
        ValueError: if it is broken, or needs too much memory.
        RuntimeError: without the extra `import`.
    """
    zstandard = package("zstandard")
    try:
        with zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW).stream_reader(
            packed
        ) as reader:
            found: bytes = reader.read(most)
            return found
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None
