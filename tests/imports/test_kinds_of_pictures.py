"""Pictures of every kind of PNG, thin and huge ones; and layers of maps packed by Zstandard."""

from __future__ import annotations

import base64
import builtins
import json
import struct
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ecs_softbody import imports
from ecs_softbody.rendering.texture import image_of
from tests.imports.samples import a_map, cells, write

SIDE = 32
Y, X = np.mgrid[:SIDE, :SIDE]
DISC = (X - 15.5) ** 2 + (Y - 15.5) ** 2 < 144
INNER, OUTER = 40000, 1000
"""Values of 16 bits inside of the disc and around it: 156 and 3 of 8 bits."""


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_of(
    depth: int,
    colour: int,
    rows: bytes,
    *,
    extra: bytes = b"",
    size: int = SIDE,
    interlaced: int = 0,
) -> bytes:
    head = struct.pack(">IIBBBBB", size, size, depth, colour, 0, 0, interlaced)
    parts = chunk(b"IHDR", head) + extra + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def rows_of(pixels: np.ndarray) -> bytes:
    return b"".join(b"\0" + row.tobytes() for row in pixels)


def bits(depth: int) -> bytes:
    """Return rows of the disc as 1 on 0, several pixels in a byte."""
    flags = DISC.astype(np.uint8).reshape(SIDE, -1, 8 // depth)
    shifts = 8 - depth * np.arange(1, 8 // depth + 1)
    return rows_of((flags.astype(int) << shifts).sum(axis=2).astype(np.uint8))


def interlaced(pixels: np.ndarray) -> bytes:
    """Return the rows of the seven passes of an interlaced picture."""
    passes = (
        (0, 0, 8, 8),
        (4, 0, 8, 8),
        (0, 4, 4, 8),
        (2, 0, 4, 4),
        (0, 2, 2, 4),
        (1, 0, 2, 2),
        (0, 1, 1, 2),
    )
    return b"".join(rows_of(pixels[y::dy, x::dx]) for x, y, dx, dy in passes)


GREY = np.where(DISC, INNER, OUTER).astype(">u2")
CLEAR = np.where(DISC, 65535, 0).astype(">u2")
RGB = np.stack([GREY, GREY, GREY], axis=2).astype(">u2")
EIGHT = np.where(DISC[:, :, None], (156, 156, 156, 255), (3, 3, 3, 0)).astype(np.uint8)
PALETTE = chunk(b"PLTE", bytes([3, 3, 3, 156, 156, 156])) + chunk(b"tRNS", b"\0")
KINDS = {
    "grey 16 with a clear value": png_of(
        16, 0, rows_of(GREY), extra=chunk(b"tRNS", struct.pack(">H", OUTER))
    ),
    "grey and opacity 16": png_of(16, 4, rows_of(np.stack([GREY, CLEAR], axis=2).astype(">u2"))),
    "colours 16 with a clear one": png_of(
        16, 2, rows_of(RGB), extra=chunk(b"tRNS", struct.pack(">HHH", OUTER, OUTER, OUTER))
    ),
    "colours and opacity 16": png_of(16, 6, rows_of(np.dstack([RGB, CLEAR]).astype(">u2"))),
    "interlaced": png_of(8, 6, interlaced(EIGHT), interlaced=1),
    **{f"palette {depth}": png_of(depth, 3, bits(depth), extra=PALETTE) for depth in (1, 2, 4, 8)},
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_png_has_its_colours_and_its_shape(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path, "disc.png", KINDS[kind])
    image = image_of("picture", path)
    assert image[16, 16].tolist() == [156, 156, 156, 255]
    assert image[0, 0, 3] == 0
    body = imports.picture(path, (0, 0), height=32.0)[0]
    np.testing.assert_allclose(np.ptp(body.position, axis=0), (24.0, 24.0), atol=1.5)


def test_grey_of_sixteen_bits_is_not_white(tmp_path: Path) -> None:
    image = image_of("picture", write(tmp_path, "grey.png", png_of(16, 0, rows_of(GREY))))
    assert image[0, 0].tolist() == [3, 3, 3, 255]
    assert image[16, 16].tolist() == [156, 156, 156, 255]


@pytest.mark.parametrize(
    "size", [(1, 200), (200, 1), (4000, 1), (1, 4000), (4000, 3), (257, 300), (1000, 999)]
)
def test_thin_and_uneven_pictures_are_as_large_as_they_are(size: tuple[int, int]) -> None:
    body = imports.picture(Image.new("RGB", size, "red"), (0, 0), height=float(size[1]))[0]
    radius = float(body.radius.max())
    thick = np.array(size) > 4.0 * radius  # else thinner than its particles
    np.testing.assert_allclose(
        np.ptp(body.position, axis=0) + 2.0 * radius * thick, size, atol=1e-6
    )


@pytest.mark.brief(3)
@pytest.mark.parametrize("side", [300, 1024, 3000])
def test_a_thin_line_in_a_large_picture_is_a_body(side: int) -> None:
    image = np.zeros((side, side, 4), np.uint8)
    image[side // 2, side // 4 : side * 3 // 4] = 255
    body = imports.picture(image, (0, 0), height=1.0)[0]
    assert np.ptp(body.position, axis=0)[0] == pytest.approx(0.5, abs=0.03)


@pytest.mark.slow
def test_a_huge_picture_takes_seconds_and_a_fine_pattern_is_one_error(tmp_path: Path) -> None:
    path = tmp_path / "huge.png"
    Image.new("L", (4096, 4096), 255).save(path)
    began = time.perf_counter()
    assert imports.picture(path, (0, 0), height=1.0)
    assert time.perf_counter() - began < 20.0
    y, x = np.mgrid[:256, :256]
    fine = np.where(((x + y) % 2 == 0)[:, :, None], 255, np.zeros(4)).astype(np.uint8)
    with pytest.raises(
        ValueError,
        match=r"so fine an outline needs more than \d+ particles; expected a simpler one",
    ):
        imports.picture(fine, (0, 0))


def map_with(data: bytes) -> dict[str, Any]:
    raw = a_map()
    raw["layers"][0] |= {"compression": "zstd", "data": base64.b64encode(data).decode()}
    return raw


def test_layers_packed_by_zstandard_are_those_of_zlib(tmp_path: Path) -> None:
    import zstandard

    plain = struct.pack(f"<{len(cells())}I", *cells())
    as_zlib = imports.tiled(write(tmp_path, "zlib.tmj", a_map()))
    stream = zstandard.ZstdCompressor(level=19).compressobj()
    for packed in (
        zstandard.ZstdCompressor().compress(plain),
        stream.compress(plain) + stream.flush(),
    ):
        as_zstd = imports.tiled(write(tmp_path, "zstd.tmj", map_with(packed)))
        assert as_zstd.describe() == as_zlib.describe()
        for one, two in zip(as_zstd.entities, as_zlib.entities, strict=True):
            first = one.components[0]
            second = two.components[0]
            name = "vertices" if hasattr(first, "vertices") else "position"
            assert getattr(first, name).tolist() == getattr(second, name).tolist()


@pytest.mark.brief(3)
@pytest.mark.parametrize("broken", ["cut", "garbage", "bomb", "window"])
def test_broken_and_absurd_packings_are_one_error(tmp_path: Path, broken: str) -> None:
    import zstandard

    plain = struct.pack(f"<{len(cells())}I", *cells())
    packed = zstandard.ZstdCompressor().compress(plain)
    wide = zstandard.ZstdCompressor(
        compression_params=zstandard.ZstdCompressionParameters(window_log=27)
    ).compressobj()
    data = {
        "cut": packed[: len(packed) // 2],
        "garbage": b"zstd?",
        "bomb": zstandard.ZstdCompressor().compress(bytes(100_000_000)),
        "window": wide.compress(plain) + wide.flush(),
    }[broken]
    with pytest.raises(
        ValueError, match=r"tiled: a\.tmj, layer 'tiles'(: it has .* cells| is broken)"
    ):
        imports.tiled(write(tmp_path, "a.tmj", map_with(data)))


def test_without_the_package_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "a.tmj", json.dumps(map_with(b"")))
    load = builtins.__import__

    def missing(name: str) -> Any:
        if name == "zstandard":
            raise ImportError(name)
        return load(name)

    monkeypatch.setattr("ecs_softbody.imports.reading.importlib.import_module", missing)
    with pytest.raises(
        RuntimeError, match=r"this needs zstandard, .*pip install 'ecs-softbody\[import\]'"
    ):
        imports.tiled(path)
