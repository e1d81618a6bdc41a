"""Links: encode a scene file in the address of a page, and decode it.

The part behind `#scene=` is the file, deflated, in base64url without padding. No server sees it:
browsers do not send the part behind the `#`.
"""

from __future__ import annotations

import base64
import binascii
import zlib

MOST_BYTES = 1_000_000
"""Maximum size of a scene file."""
MOST_LETTERS = 64_000
"""Maximum length of a link: browsers accept longer ones, but many programs that send them do
not.
"""

MOST_BY_LINK = {"particles": 8000, "entities": 2000}
"""What a scene that comes by a link may have: whoever opens it did not choose to wait.

One jelly, single balls, and walls, in a page of 320 x 180 pixels, in headless Chromium on two busy
cores of 2026: 2500 particles showed 25 pictures a second, 5000 14, 10,000 6, 20,000 3; 1000 balls
30, 4000 5; 1000 walls 21, 6000 3. A file on this machine may have 200,000 particles; 160,000 took
26 s to begin in a page.
"""


def scene_to_text(content: bytes) -> str:
    """Return a scene file as text for a link.

    Raises:
        ValueError: if it is too long for a link.
    """
    if len(content) > MOST_BYTES:
        raise ValueError(f"the scene has {len(content)} bytes; a link holds at most {MOST_BYTES}")
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    text = base64.urlsafe_b64encode(packer.compress(content) + packer.flush()).rstrip(b"=").decode()
    if len(text) > MOST_LETTERS:
        raise ValueError(
            f"the scene becomes {len(text)} letters; a link has at most {MOST_LETTERS}"
        )
    return text


def file_name(content: bytes) -> str:
    """Return a file name for a scene from a link: its ending says whether it is JSON or TOML."""
    return (
        "scene.json" if content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{" else "scene.toml"
    )


def text_to_scene(text: str) -> bytes:
    """Return the scene file that a link carries; its content is not validated here.

    Raises:
        ValueError: if the text is not in this encoding, or too long.
    """
    if len(text) > MOST_LETTERS:
        raise ValueError(
            f"the link carries {len(text)} letters; at most {MOST_LETTERS} are allowed"
        )
    try:
        packed = base64.b64decode(
            text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True
        )
        unpacker = zlib.decompressobj(-15)
        content = unpacker.decompress(packed, MOST_BYTES + 1)
    except (UnicodeEncodeError, binascii.Error, zlib.error):
        raise ValueError("the link carries no scene, or not all of it was copied") from None
    if len(content) > MOST_BYTES:
        raise ValueError(
            f"the link carries a scene of more than {MOST_BYTES} bytes, which is not allowed"
        )
    if not unpacker.eof:
        raise ValueError("the link carries no whole scene: not all of it was copied")
    return content
