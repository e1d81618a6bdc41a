"""Container: the outer form of all binary files of the package, such as snapshots and replays.

A file is a header (see HEADER) and the content, compressed by zlib. The checksum is verified before
anything is unpacked; every defect raises a SnapshotError in plain words.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from pathlib import Path
from typing import Any

from ecs_softbody.errors import FieldTypeError
from ecs_softbody.files import write_atomically
from ecs_softbody.reading import read_file
from ecs_softbody.validation import check_path

MAGIC = b"ecs-softbody\r\n\x1a\n"
"""The line ends show a file that was changed by a transfer as text."""
FORMATS = {"snapshot": 4}
"""Format number of each kind of file that has changed on its own."""
FIRST_FORMAT = 3
"""Format number of all other kinds."""
HEADER = struct.Struct("<16s8sIQQ32s")
"""Little-endian: MAGIC, kind, format number, size of the content as it is stored and as it is
unpacked [bytes], SHA-256 of the header (with zeros in this field) and of the stored content.
"""
LARGEST = 1 << 27
"""Maximum size of the content of a file [bytes]; a thousand blobs take 17 million."""
LONGEST_TEXT = 3 << 20
"""Letters of the text in a file, which a thousand blobs need 0.2 million of: lists in lists take 44
bytes a letter.
"""

MOST_SAID = 200
"""Maximum number of characters quoted from the content of a file."""


class SnapshotError(ValueError):
    """A snapshot or a replay cannot be used; nothing has changed. The message gives the reason."""


def damaged(kind: str, error: Exception) -> SnapshotError:
    """Return the error for invalid content: short and printable, whatever the content is."""
    return SnapshotError(f"{kind}: its content is damaged ({printable(error)})")


def printable(error: object) -> str:
    """Return the message of an error in one printable line of limited length; also for other
    text.
    """
    said = "".join(letter if letter.isprintable() else "?" for letter in str(error))
    return said if len(said) <= MOST_SAID else f"{said[:MOST_SAID]}..."


def pack(kind: str, content: bytes) -> bytes:
    """Return a file of a kind (8 letters at most) with this content."""
    if len(content) > LARGEST:
        raise SnapshotError(
            f"{kind}: {len(content)} bytes are not allowed; expected {LARGEST} at most"
        )
    stored = zlib.compress(content, 1)
    fields = MAGIC, kind.encode(), FORMATS.get(kind, FIRST_FORMAT), len(stored), len(content)
    return HEADER.pack(*fields, _digest(fields, stored)) + stored


def unpack(kind: str, data: bytes, name: str = "") -> bytes:
    """Return the content of a file.

    Raises:
        SnapshotError: when it is foreign, of another format, truncated or damaged.
    """
    called = f"{kind} {name!r}" if name else kind
    if not isinstance(data, bytes | bytearray | memoryview):
        raise FieldTypeError(kind, "", data, "bytes")
    if len(data) < HEADER.size:
        raise SnapshotError(
            f"{called}: {len(data)} bytes are no {kind}; the file is truncated or foreign"
        )
    magic, found, number, stored_size, size, digest = HEADER.unpack_from(data)
    if magic != MAGIC.ljust(16, b"\0"):
        raise SnapshotError(f"{called}: this is no {kind} of ecs-softbody")
    if found.rstrip(b"\0") != kind.encode():
        other = printable(found.rstrip(bytes(1)).decode("ascii", "replace"))
        raise SnapshotError(f"{called}: this is no {kind}, but a {other}")
    if number != (own := FORMATS.get(kind, FIRST_FORMAT)):
        raise SnapshotError(f"{called}: its format is {number}; this version reads format {own}")
    stored = memoryview(data)[HEADER.size :]
    if len(stored) != stored_size or size > LARGEST:
        raise SnapshotError(
            f"{called}: the file is truncated or damaged: it has {len(stored)} bytes of "
            f"{stored_size}"
        )
    # The digest is checked before anything is unpacked.
    if _digest((MAGIC, found, number, stored_size, size), stored) != digest:
        raise SnapshotError(f"{called}: the file is damaged: its checksum is wrong")
    unpacker = zlib.decompressobj()
    try:
        # One byte more than told is enough to find content that is larger: it is never unpacked
        # whole.
        content = unpacker.decompress(stored, size + 1)
    except zlib.error as error:
        raise SnapshotError(f"{called}: the file is damaged: {error}") from None
    if len(content) != size or unpacker.unconsumed_tail or unpacker.unused_data:
        raise SnapshotError(f"{called}: the file is damaged: its size is wrong")
    return content


def _digest(fields: tuple[bytes, bytes | str, int, int, int], stored: bytes | memoryview) -> bytes:
    """Return the checksum: of the first five fields of the header, and of the stored content."""
    magic, kind, number, stored_size, size = fields
    name = kind.encode() if isinstance(kind, str) else kind
    digest = hashlib.sha256(HEADER.pack(magic, name, number, stored_size, size, bytes(32)))
    digest.update(stored)
    return digest.digest()


def text_for(kind: str, values: dict[str, Any]) -> bytes:
    """Return the JSON text of some values.

    Raises:
        SnapshotError: where it is too long to be read again.
    """
    text = json.dumps(values, separators=(",", ":")).encode()
    if len(text) > LONGEST_TEXT:
        raise SnapshotError(
            f"{kind}: {len(text)} letters are not allowed; expected {LONGEST_TEXT} at most: "
            "keep long lists as arrays"
        )
    return text


def text_of(content: bytes, start: int, length: int) -> Any:
    """Parse the JSON text at `start`, `length` bytes long, and return its value.

    Raises:
        ValueError: if it is invalid, too long, or extends beyond the content.
    """
    if not length <= min(LONGEST_TEXT, len(content) - start):
        raise ValueError("it is truncated, or its text is too long")
    return json.loads(content[start : start + length])


def write(path: Path | str, kind: str, content: bytes) -> Path:
    """Write a file; after a crash it is the old one or the new one."""
    target = check_path(kind, "path", path)
    write_atomically(target, pack(kind, content))
    return target


def read(path: Path | str, kind: str) -> bytes:
    """Return the content of a file.

    Raises:
        SnapshotError: when it cannot be used.
        OSError: if the file does not exist.
    """
    source = check_path(kind, "path", path)
    source.stat()
    try:
        content = read_file(source, LARGEST)
    except ValueError as error:  # a pipe would be waited for
        raise SnapshotError(f"{kind}: {error}") from None
    return unpack(kind, content, source.name)
