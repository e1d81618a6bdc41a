"""Texture: the pixels of a picture, ready to be drawn at any size; the same picture is
loaded once.

Pictures come from files, which anybody may have made, images of Pillow, or arrays (`texture_of`).
Most of the limits below keep a hostile file from taking minutes or gigabytes.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import os
import struct
import warnings
import weakref
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ecs_softbody.arrays import Integers2, Uint8s1
from ecs_softbody.errors import FieldError
from ecs_softbody.reading import open_file, spend
from ecs_softbody.state.components import register_component
from ecs_softbody.validation import check_number

LARGEST_SIDE = 8192
"""Limit of the width and of the height of a picture [px]."""
LARGEST_AREA = 4096 * 4096
"""Pixels of a picture at most, 64 MB: a larger one is refused before it is decoded."""
ROWS = 256
"""Rows of a picture that are converted at once."""
LARGEST_FILE = 64_000_000
"""Limit of the size of a file [bytes]."""
MOST_SCANNED = 20 * LARGEST_AREA
"""Maximum number of pixels of a JPEG times its scans: a progressive JPEG has about ten scans."""
ROWS_AT_ONCE = 64
"""Rows of a picture that are changed in one go: a large one takes no further memory."""
MOST_READS = 200_000
"""Maximum number of reads by Pillow for one picture: most have a few thousand parts; millions of
empty ones would take minutes.
"""
LARGEST_HEADER = 16_000_000
"""Limit of the bytes before the pixels: Pillow joins them in time that grows with their square."""
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
"""The only formats for which Pillow's decoders are tried."""
ANIMATED = ("PNG", "WEBP", "GIF")
"""Formats of which a file may hold several pictures, one after another in time; of a JPEG they are
others.
"""
ORIENTATION = 0x0112
"""Tag of EXIF: how a camera was held."""
TURNS = dict(
    enumerate(
        (
            Image.Transpose.FLIP_LEFT_RIGHT,
            Image.Transpose.ROTATE_180,
            Image.Transpose.FLIP_TOP_BOTTOM,
            Image.Transpose.TRANSPOSE,
            Image.Transpose.ROTATE_270,
            Image.Transpose.TRANSVERSE,
            Image.Transpose.ROTATE_90,
        ),
        2,
    )
)
"""Transposition that makes a picture upright, by its EXIF orientation; 1 is upright."""
BROKEN = (
    OSError,
    SyntaxError,
    ValueError,
    ArithmeticError,
    LookupError,
    TypeError,
    struct.error,
    zlib.error,
    EOFError,
)
"""Exceptions of decoders for broken files."""

Bytes: TypeAlias = NDArray[np.uint8]
_known: weakref.WeakValueDictionary[tuple[object, ...], Texture] = weakref.WeakValueDictionary()
"""Textures in use: by path, time and size of a file, or by shape and hash of the pixels."""


class Texture:
    """A picture and its smaller versions, each half as large as the one before; colours multiplied
    by opacity.

    Attributes:
        width, height: of the picture [pixels].
        pixels: all versions, one after another, the rows of each from the top, four bytes a pixel.
        levels: shape (L, 3): where each version begins in `pixels`, its width and its height.
    """

    def __init__(self, image: Bytes) -> None:
        self.height, self.width = image.shape[:2]
        self.pixels: Uint8s1
        self.levels: Integers2
        self.pixels, self.levels = _versions(image)

    def __repr__(self) -> str:
        return f"Texture({self.width} x {self.height} pixels)"

    def level(self, number: int) -> Bytes:
        """Return one version, shape (height, width, 4)."""
        start, width, height = self.levels[number].tolist()
        return self.pixels[start : start + 4 * width * height].reshape(height, width, 4)


def _saved(texture: Texture) -> tuple[int, int, Uint8s1, Integers2]:
    return texture.width, texture.height, texture.pixels, texture.levels


def _loaded(saved: Any) -> Texture:
    """Return the texture of a snapshot; renderers read pixels at the places given by `levels`, so
    these are checked.
    """
    made = object.__new__(Texture)
    made.width, made.height, made.pixels, made.levels = saved
    check_array("Texture", "pixels", made.pixels, np.uint8, 1)
    check_array("Texture", "levels", made.levels, np.int64, 2)
    at = 0
    sizes = [(made.width, made.height), *made.levels[1:, 1:].tolist()]
    for start, width, height in made.levels.tolist():
        if (width, height) != tuple(sizes.pop(0)) or start != at:
            raise FieldError("Texture", "levels", made.levels, "versions one after the other")
        if not (
            0 < width <= LARGEST_SIDE
            and 0 < height <= LARGEST_SIDE
            and width * height <= LARGEST_AREA
        ):
            raise FieldError(
                "Texture", "levels", made.levels, "a picture", in_words=f"{width} x {height} pixels"
            )
        at += 4 * width * height
    if at == 0 or at != len(made.pixels):
        raise FieldError(
            "Texture",
            "pixels",
            made.pixels,
            f"{at}, and some",
            in_words=f"{len(made.pixels)} bytes",
        )
    return made


def check_array(
    owner: str, field: str, array: Any, dtype: type[np.generic], dimensions: int
) -> None:
    """Raise ValueError for anything but an array of this type."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != dimensions:
        raise FieldError(
            owner,
            field,
            array,
            f"an array of {dtype.__name__}",
            in_words=f"a {type(array).__name__}",
        )


register_component(Texture, save=_saved, load=_loaded)


def texture_of(owner: str, source: Any) -> Texture:
    """Return the texture of a picture: a file, an image of Pillow, an array, or a Texture.

    Args:
        owner: the caller, for error messages.
        source: a path to a PNG, JPEG, WEBP, GIF or BMP file; an image; or an array of shape (H, W),
            (H, W, 3) or (H, W, 4), rows from the top: bytes, or numbers from 0 to 1.

    Raises:
        ValueError: if the file does not exist, is no picture, or is too large.
    """
    if isinstance(source, Texture):
        return source
    key: tuple[object, ...]
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        try:
            known = path.stat()
            # A file is decoded once, and again when its time or size has changed.
            key = (str(path.absolute()), known.st_mtime_ns, known.st_size)
        except (OSError, ValueError):
            raise FieldError(
                owner, "", path, "a picture", wrong=f"there is no file {str(path)!r}"
            ) from None
        if key in _known:
            return _known[key]
        image = image_of(owner, path)
    else:
        image = image_of(owner, source)
        key = (image.shape, hashlib.blake2b(image.tobytes(), digest_size=16).digest())
        if key not in _known:
            _spend(owner, *image.shape[:2])
    found = _known.get(key)
    if found is None:
        found = _known[key] = Texture(image)
    return found


def image_size(
    texture: Texture, width: float | None, height: float | None, default: float
) -> tuple[float, float]:
    """Return width and height of a picture; it keeps its proportions where one of them
    is left out.
    """
    if width is not None:
        width = check_number("Picture.image", "width", width, above=0.0)
    if height is not None:
        height = check_number("Picture.image", "height", height, above=0.0)
    if width is None:
        height = default if height is None else height
        width = height * texture.width / texture.height
    elif height is None:
        height = width * texture.height / texture.width
    return width, height


def image_of(owner: str, source: Any) -> Bytes:
    """Return a picture as bytes of red, green, blue and opacity, shape (H, W, 4), rows from the
    top; see texture_of.
    """
    if isinstance(source, str | os.PathLike):
        return _read(owner, Path(source))
    if isinstance(source, Image.Image):
        _check_size(owner, *source.size)
        return _decoded(owner, source, "the image")
    return _of_array(owner, source)


def is_animated(path: str | os.PathLike[str]) -> bool:
    """Return whether a file holds several pictures, of which the first is taken.

    Raises:
        ValueError: as `texture_of` does.
    """
    with _opened("picture.source", Path(path)) as (image, _):
        try:
            return image.format in ANIMATED and bool(getattr(image, "is_animated", False))
        except BROKEN:
            return False


def _read(owner: str, path: Path) -> Bytes:
    with _opened(owner, path) as (image, file):
        _check_size(f"{owner}: {path.name}", *image.size)
        _check_scans(f"{owner}: {path.name}", file, image)
        _spend(f"{owner}: {path.name}", *image.size)
        return _decoded(owner, image, path.name)


@contextmanager
def _opened(owner: str, path: Path) -> Iterator[tuple[Image.Image, BinaryIO]]:
    """Open a picture, of which no pixel is decoded yet, and its file."""
    if not path.is_file():
        raise FieldError(owner, "", path, "a picture", wrong=f"there is no file {str(path)!r}")
    try:
        file = open_file(path, LARGEST_FILE)
    except ValueError as error:
        raise ValueError(f"{owner}: the file {error}") from None
    with file:
        metered = _Metered(file)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                image = Image.open(metered, formats=FORMATS)  # type: ignore[arg-type]  # it needs no more of a file
        except Image.DecompressionBombError:
            raise FieldError(
                owner,
                "",
                path,
                f"at most {LARGEST_AREA}, {LARGEST_SIDE} a side: make it smaller",
                wrong=f"{path.name} has too many pixels",
            ) from None
        except BROKEN:
            raise FieldError(
                owner, "", path, ", ".join(FORMATS), wrong=f"{path.name} is no picture"
            ) from None
        with image:
            metered.header = -2 * LARGEST_FILE
            yield image, file


class _Metered:
    """A file of a picture as Pillow reads it: neither so often, nor so much before the first pixel,
    as to take long.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.reads = 0
        self.header = 0
        self.seek = file.seek
        self.tell = file.tell

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes; an endless header is an OSError, as a truncated one is."""
        self.reads += 1
        self.header += max(size, 0)
        if self.reads > MOST_READS or self.header > LARGEST_HEADER:
            raise OSError("a header without an end")
        return self.file.read(size)


def _check_scans(owner: str, file: BinaryIO, image: Image.Image) -> None:
    """Refuse a JPEG that goes over all its pixels again and again: a scan of a few bytes may change
    none.
    """
    if image.format != "JPEG":
        return
    place = file.tell()
    scans = 0
    file.seek(0)
    while block := file.read(2**20):
        scans += block.count(b"\xff\xda")
    file.seek(place)
    if scans * image.width * image.height > MOST_SCANNED:
        raise ValueError(
            f"{owner} is scanned {scans} times, which is not allowed for so large a picture"
        )


def _decoded(owner: str, image: Image.Image, name: str) -> Bytes:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plain = _upright(_of_eight_bits(image), image)
            pixels = np.empty((plain.height, plain.width, 4), np.uint8)
            # Only source and result are in memory as a whole, not the converted rows.
            for top in range(0, plain.height, ROWS):
                rows = plain.crop((0, top, plain.width, min(top + ROWS, plain.height)))
                pixels[top : top + ROWS] = np.asarray(rows.convert("RGBA"))
            return pixels
    except (*BROKEN, MemoryError):
        raise ValueError(f"{owner}: {name} is broken: it cannot be decoded") from None


def _upright(decoded: Image.Image, image: Image.Image) -> Image.Image:
    """Return a picture as its camera saw it; where it does not say how, as it is."""
    try:
        turn = TURNS.get(image.getexif().get(ORIENTATION, 1))
    except BROKEN:
        return decoded
    return decoded if turn is None else decoded.transpose(turn)


def _of_eight_bits(image: Image.Image) -> Image.Image:
    """Return a picture of eight bits per channel; Pillow would clip 16-bit values, and lose
    transparency.
    """
    clear = image.info.get("transparency")
    if image.mode.startswith("I"):
        grey = np.asarray(image)
        opaque = grey != clear if isinstance(clear, int) else np.ones(grey.shape, np.bool_)
        made = np.empty((*grey.shape, 2), np.uint8)
        np.clip(grey >> 8, 0, 255, out=made[:, :, 0], casting="unsafe")
        np.multiply(opaque, 255, out=made[:, :, 1], casting="unsafe")
        return Image.fromarray(made, "LA")
    if isinstance(clear, tuple) and max(clear) > 255:
        image.load()
        image.info["transparency"] = tuple(part // 256 for part in clear)
    return image


def _check_size(owner: str, width: int, height: int) -> None:
    if not (
        1 <= width <= LARGEST_SIDE
        and 1 <= height <= LARGEST_SIDE
        and width * height <= LARGEST_AREA
    ):
        share = min(
            1.0,
            LARGEST_SIDE / max(width, height, 1),
            math.sqrt(LARGEST_AREA / max(width * height, 1)),
        )
        smaller = ""
        if min(width, height) * share >= 1.0:
            smaller = f"; make it smaller, such as {int(width * share)} x {int(height * share)}"
        raise FieldError(
            owner,
            "",
            (width, height),
            f"1 to {LARGEST_SIDE} a side and at most {LARGEST_AREA} in all{smaller}",
            in_words=f"{width} x {height} pixels",
        )


def _spend(owner: str, width: int, height: int) -> None:
    """Count the pixels of a picture, before it is decoded or kept."""
    try:
        spend("pixels", width * height)
    except ValueError as error:
        raise ValueError(f"{owner}: {error}") from None


def _of_array(owner: str, source: Any) -> Bytes:
    array = np.asarray(source) if isinstance(source, np.ndarray | list | tuple) else np.zeros(0)
    shaped = array.ndim == 2 or (array.ndim == 3 and array.shape[2] in (3, 4))
    if not shaped or array.dtype.kind not in "buif":
        raise FieldError(
            owner,
            "",
            source,
            "a file, an image, or an array of shape (H, W), (H, W, 3) or (H, W, 4)",
            in_words=f"{type(source).__name__} of shape {array.shape}",
        )
    _check_size(owner, array.shape[1], array.shape[0])
    if array.dtype.kind in "bf":
        if not (np.isfinite(array).all() and array.min() >= 0.0 and array.max() <= 1.0):
            raise FieldError(owner, "", source, "float numbers from 0 to 1")
        array = np.rint(array * 255.0)
    elif array.min() < 0 or array.max() > 255:
        raise FieldError(owner, "", source, "whole numbers from 0 to 255")
    image = np.full((*array.shape[:2], 4), 255, np.uint8)
    if array.ndim == 2:
        image[:, :, :3] = array[:, :, None]
    else:
        image[:, :, : array.shape[2]] = array
    return image


def _versions(image: Bytes) -> tuple[Uint8s1, Integers2]:
    """Return `pixels` and `levels` of a Texture: the picture with colours multiplied by opacity,
    and ever smaller versions down to one pixel; and where each begins, its width and its height.
    """
    sizes = [image.shape[:2]]
    while max(sizes[-1]) > 1:
        sizes.append((max(1, sizes[-1][0] // 2), max(1, sizes[-1][1] // 2)))
    starts = np.cumsum(
        [0, *(4 * height * width for height, width in sizes)], dtype=np.int64
    ).tolist()
    pixels = np.empty(starts[-1], np.uint8)
    first, *others = (pixels[at : at + 4 * size[0] * size[1]].reshape(*size, 4)
                      for at, size in zip(starts, sizes, strict=False))  # fmt: skip
    first[...] = image
    for rows in range(0, len(image), ROWS_AT_ONCE):
        part = first[rows : rows + ROWS_AT_ONCE]
        if int(part[:, :, 3].min()) < 255:
            part[:, :, :3] = (
                part[:, :, :3].astype(np.uint16) * part[:, :, 3:] + np.uint16(127)
            ) // 255
    for larger, smaller in itertools.pairwise([first, *others]):
        for rows in range(0, len(smaller), ROWS_AT_ONCE):
            last = rows + ROWS_AT_ONCE
            smaller[rows:last] = _halved(larger[2 * rows : 2 * last])
    levels = [(at, width, height) for at, (height, width) in zip(starts, sizes, strict=False)]
    return pixels, np.array(levels, np.int64)


def _halved(image: Bytes) -> Bytes:
    """Return the mean of two by two pixels; the last row or column of an odd number
    counts twice.
    """
    height = max(1, image.shape[0] // 2)
    width = max(1, image.shape[1] // 2)
    rows = (0, min(1, image.shape[0] - 1))
    columns = (0, min(1, image.shape[1] - 1))
    total = np.full((height, width, 4), 2, np.uint16)
    for row in rows:
        for column in columns:
            total += image[row : row + 2 * height - 1 : 2, column : column + 2 * width - 1 : 2]
    return (total >> 2).astype(np.uint8)
