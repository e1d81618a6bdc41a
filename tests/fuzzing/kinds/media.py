"""Pictures and sounds: read, made into bodies and skins,
or resampled and mixed as they are played.
"""

from __future__ import annotations

import io
import json
import random
import wave
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from ecs_softbody import scenes
from ecs_softbody.play.sound.waves import Wave, resampled, stereo, wave_of
from ecs_softbody.rendering import Picture, Skin
from tests.fuzzing.changes import raw
from tests.fuzzing.kinds.kind import Kind, Sample
from tests.fuzzing.kinds.maps import Imports
from tests.imports.samples import pictures

SKIN = (
    "entities.box = {{ box = {{ center = [3, 5], size = 1 }}, skin = {{ image = {0}, "
    "tile = 0.4 }} }}\n"
)


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def picture_files() -> list[tuple[str, bytes]]:
    """Return pictures in every format, as Pillow writes them."""
    star = pictures()["star"].resize((40, 40))
    ring = pictures()["ring"].resize((40, 40))
    whole = star.convert("RGB")
    letter = star.convert("P")
    grey = Image.fromarray((np.arange(1600).reshape(40, 40) * 40).astype(np.uint16))
    found = [
        ("a.png", encoded(one, "PNG"))
        for one in (star, whole, letter, star.convert("LA"), grey, star.convert("1"))
    ]
    found += [
        ("a.png", encoded(letter, "PNG", transparency=0)),
        ("a.png", encoded(whole, "PNG", transparency=(0, 0, 0))),
        ("a.png", encoded(star, "PNG", save_all=True, append_images=[ring, star], duration=40)),
        ("a.gif", encoded(letter, "GIF")),
        ("a.gif", encoded(letter, "GIF", transparency=0)),
        (
            "a.gif",
            encoded(
                star, "GIF", save_all=True, append_images=[ring, star], duration=40, disposal=2
            ),
        ),
        ("a.jpg", encoded(whole, "JPEG")),
        ("a.jpg", encoded(whole, "JPEG", progressive=True, comment=b"words")),
        ("a.jpeg", encoded(whole.convert("L"), "JPEG")),
        ("a.jpg", encoded(whole.convert("CMYK"), "JPEG", quality=30)),
        ("a.webp", encoded(star, "WEBP")),
        ("a.webp", encoded(star, "WEBP", lossless=True)),
        ("a.webp", encoded(whole, "WEBP")),
        ("a.webp", encoded(star, "WEBP", save_all=True, append_images=[ring], duration=40)),
        ("a.bmp", encoded(whole, "BMP")),
        ("a.bmp", encoded(letter, "BMP")),
        ("a.bmp", encoded(star, "BMP")),
        ("a.bmp", encoded(whole.convert("1"), "BMP")),
    ]
    return found


class Pictures(Imports):
    """Pictures: bodies of what they show, skins, and pictures on the screen."""

    name = "pictures"
    reach = 0

    def samples(self) -> list[Sample]:
        return [Sample(name, {name: data}) for name, data in picture_files()]

    def structured(self, name: str, data: bytes, dice: random.Random) -> tuple[bytes, list[str]]:
        ending = name[name.rfind(".") :]
        if ending in (".gif", ".bmp"):
            found = bytearray(data)
            said = []
            for _ in range(dice.choice((1, 1, 2, 3))):
                head = found[:64]
                said.append(raw.number(head, dice, b""))
                found[:64] = head
            return bytes(found), said
        return super().structured(name.replace(".jpeg", ".jpg"), data, dice)

    def take(self, sample: Sample, path: Path) -> Any:
        way = zlib.crc32(path.read_bytes()) % 3
        if way == 0:
            return super().take(sample, path)
        if way == 1:
            (path.parent / "level.toml").write_text(SKIN.format(json.dumps(path.name)))
            return scenes.open(path.parent / "level.toml")
        return Skin(path)

    def go_on(self, taken: Any) -> None:
        if isinstance(taken, Skin):
            picture = Picture(320, 180)
            picture.image(taken.picture, (1.0, 1.0), height=2.0)
            picture.triangles()
        elif isinstance(taken, scenes.Scene):
            taken.sim.step()
            taken.sim.close()
        else:
            super().go_on(taken)

    def after(self) -> None:
        if hasattr(self, "sim") and not self.sim.closed:
            super().after()


class Sounds(Kind):
    """Sounds of games."""

    name = "sounds"
    refusals = (ValueError,)
    batch = 200

    def samples(self) -> list[Sample]:
        found = []
        tone = np.sin(np.arange(2000) * 0.1)
        for width, channels, rate in (
            (1, 1, 8000),
            (2, 1, 22050),
            (2, 2, 44100),
            (3, 2, 48000),
            (4, 1, 44100),
        ):
            stream = io.BytesIO()
            with wave.open(stream, "wb") as file:
                file.setnchannels(channels)
                file.setsampwidth(width)
                file.setframerate(rate)
                whole = (tone * (2 ** (8 * width - 1) - 1)).astype(np.int64) + (
                    128 if width == 1 else 0
                )
                samples = whole.repeat(channels)
                file.writeframes(
                    b"".join(
                        int(one).to_bytes(width, "little", signed=width > 1) for one in samples
                    )
                )
            found.append(Sample("a.wav", {"a.wav": stream.getvalue()}))
        return found

    def take(self, sample: Sample, path: Path) -> Wave:
        return wave_of("sound", path)

    def go_on(self, taken: Wave) -> None:
        assert taken.rate > 0, f"a sound of {taken.rate} samples a second"
        assert np.isfinite(taken.samples).all(), "a sound that is not finite"
        assert np.abs(taken.samples).max() <= 1.0, "a sound beyond full"
        for speed in (0.5, 1.0, 1.7):
            stereo(resampled(taken.samples[:4000], speed), 0.5, -0.3)
