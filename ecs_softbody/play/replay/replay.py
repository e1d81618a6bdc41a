"""Replay: the inputs of one round of a game, with hashes of the resulting states.

A round follows from its inputs, the seed of random numbers, the player's bindings and saves. So a
replay holds these, and no states. After each frame it has a hash of the world, by which playback
(player.py) notices the first frame that differs, and short hashes of the components that changed,
by which it names what differs.
"""

from __future__ import annotations

import json
import platform
import random
import reprlib
import struct
import sys
import zlib
from array import array
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ecs_softbody.files import write_atomically
from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.replay.inputs import InputWriter, rounded
from ecs_softbody.state import container
from ecs_softbody.state.container import SnapshotError
from ecs_softbody.validation import check_path

if TYPE_CHECKING:
    from ecs_softbody.play.game import Game

KIND = "replay"
MOST_FRAMES = 1 << 20
"""Limit of the frames of a replay, nearly five hours at 60 a second; later ones are not recorded.
"""
MOST_LEVELS = 1 << 20
SEED_BITS = 32
LENGTH = struct.Struct("<QQ")
"""At the start of the content: bytes of the JSON text, and of the inputs."""
TOTAL = struct.Struct("<I")
"""Hash of a frame."""
PART = struct.Struct("<H")
"""Short hash of a component."""
MOST_NAMES = 24
"""Maximum number of components compared in a replay."""
MOST_VERSIONS, LONGEST_TEXT = 16, 100
"""Maximum number of versions in a replay, and length of a version or component name: they are
printed.
"""
FLAG_BYTES = MOST_NAMES // 8
"""Bytes with a bit for each component, which tell the changed ones of a frame."""
FIELDS: dict[str, type[Any]] = {
    "game": str, "level": int, "bindings": dict, "saves": dict, "seed": int, "versions": dict,
    "names": list, "components": list, "frames": int,
}  # fmt: skip


@dataclass
class Replay:
    """One round of a game.

    `Replay.load(path)` reads it, `Recorder` makes it, `ReplayPlayer` plays it.
    """

    game: str
    """Name of the game."""
    level: int
    """Number of the level, from 0."""
    bindings: dict[str, Any]
    """The player's keys, as `Bindings.saved` gives them."""
    saves: dict[str, Any]
    """The game's saves when the round began."""
    seed: int
    """Seed of the global random numbers of Python and numpy."""
    versions: dict[str, str]
    """Versions at recording, by name: "ecs-softbody", "numpy", the game's package."""
    names: list[str]
    """Names of keys, buttons and sticks, which the inputs count."""
    components: list[str]
    """Names of components, which the hashes count."""
    frames: int
    """Number of frames."""
    inputs: bytes = b""
    """The player's input of all frames, see inputs.py."""
    hashes: bytes = b""
    """The hashes of all frames, see HashWriter."""

    def to_bytes(self) -> bytes:
        """Return the content of its file."""
        text = container.text_for(KIND, {name: getattr(self, name) for name in FIELDS})
        lengths = LENGTH.pack(len(text), len(self.inputs))
        return container.pack(KIND, lengths + text + self.inputs + self.hashes)

    def save(self, path: Path | str) -> Path:
        """Write a file atomically, and return its path."""
        target = check_path("replay", "path", path)
        write_atomically(target, self.to_bytes())
        return target

    @classmethod
    def load(cls, path: Path | str) -> Replay:
        """Read a file.

        Raises:
            SnapshotError: if it is damaged, foreign or of another format.
            OSError: if it cannot be read.
        """
        return cls._of(container.read(path, KIND))

    @classmethod
    def from_bytes(cls, data: bytes) -> Replay:
        """Read the bytes that `to_bytes` returned; raises SnapshotError as `load` does."""
        return cls._of(container.unpack(KIND, data))

    @classmethod
    def _of(cls, content: bytes) -> Replay:
        """Return the replay with this content of a file, checked."""
        try:
            text_size, input_size = LENGTH.unpack_from(content)
            at = LENGTH.size + text_size
            if at + input_size > len(content):
                raise ValueError("it is truncated")
            header = container.text_of(content, LENGTH.size, text_size)
            for name, kind in FIELDS.items():
                if type(header[name]) is not kind:
                    raise ValueError(f"{name} is {reprlib.repr(header[name])}")
            if not 0 <= header["frames"] <= MOST_FRAMES or len(header["names"]) > 256:
                raise ValueError("it has too many frames or names")
            if not 0 <= header["level"] < MOST_LEVELS:
                raise ValueError(f"level is {reprlib.repr(header['level'])}")
            if not 0 <= header["seed"] < 2**SEED_BITS:
                raise ValueError(f"seed is {reprlib.repr(header['seed'])}")
            if len(header["versions"]) > MOST_VERSIONS or len(header["components"]) > MOST_NAMES:
                raise ValueError("it has too many versions or components")
            texts = [*header["components"], *header["versions"], *header["versions"].values()]
            if not all(isinstance(text, str) for text in [*header["names"], *texts]):
                raise ValueError("a name in it is no text")
            if not all(text.isprintable() and len(text) <= LONGEST_TEXT for text in texts):
                raise ValueError("a version or component in it has a name that cannot be shown")
            fields = {name: header[name] for name in FIELDS}
            return cls(
                **fields, inputs=content[at : at + input_size], hashes=content[at + input_size :]
            )
        except (ValueError, LookupError, TypeError, struct.error, RecursionError) as error:
            raise container.damaged(KIND, error) from None

    def differing_versions(self, game: Game | type[Game]) -> list[str]:
        """Return the versions of this replay that differ from the installed ones: "ecs-softbody
        0.1.0 (here 0.2.0)".
        """
        here = versions_of(game if isinstance(game, type) else type(game))
        return [
            f"{name} {wanted} (here {here.get(name, 'none')})"
            for name, wanted in self.versions.items()
            if here.get(name) != wanted
        ]


def versions_of(game: type[Game]) -> dict[str, str]:
    """Return the versions on which the bits of a round depend."""
    package = game.__module__.partition(".")[0]
    found = {
        "ecs-softbody": str(sys.modules["ecs_softbody"].__version__),
        "numpy": np.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
    }
    if package not in ("ecs_softbody", "ecs_softbody_games", "__main__"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found


class Recorder:
    """Records the rounds of a game: `game.recorder = Recorder()` before `begin`; then
    `game.recorder.replay`.
    """

    def __init__(self) -> None:
        self.replay: Replay | None = None
        """The current round, None before the first one begins."""
        self._writer = InputWriter()
        self._inputs: list[bytes] = []
        self._hashes = HashWriter()

    def begin_round(self, game: Game) -> None:
        """Discard the last round, and begin another one.

        Random number generators are reseeded, for playback.
        """
        seed = random.SystemRandom().getrandbits(SEED_BITS)
        seed_all(seed)
        self._writer = InputWriter()
        self._inputs = []
        self._hashes = HashWriter()
        saves = json.loads(json.dumps(game.saves.as_dict()))
        self.replay = Replay(
            game.name,
            game.level_number,
            game.bindings.saved(),
            saves,
            seed,
            versions_of(type(game)),
            self._writer.names,
            self._hashes.names,
            0,
        )

    def note(self, controls: Controls, *, standing: bool) -> Controls:
        """Record the player's input of a frame; return it as it will be played back."""
        seen = rounded(controls)
        if self.replay is not None and self.replay.frames < MOST_FRAMES:
            self._inputs.append(self._writer.frame(seen, standing=standing))
        return seen

    def note_state(self, game: Game) -> None:
        """Record the state after the frame."""
        if self.replay is not None and self.replay.frames < MOST_FRAMES:
            self._hashes.frame(game.sim.component_hashes())
            self.replay.frames += 1

    def finished(self) -> Replay:
        """Return the round so far.

        Raises:
            RuntimeError: if no round has begun.
        """
        if self.replay is None:
            raise RuntimeError("Recorder.finished: no round has begun; call game.begin() first")
        self.replay.inputs = b"".join(self._inputs[: self.replay.frames])
        self.replay.hashes = b"".join(self._hashes.frames)
        return self.replay


def seed_all(seed: int) -> None:
    """Seed the global random number generators of Python and numpy."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - a game may use it


class HashWriter:
    """Keeps a hash of every frame, and a short hash of each component that changed in it.

    A frame is its hash, flags of the components that follow, and their hashes, in the order of
    `names`.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        """Names of the components so far, at most MOST_NAMES."""
        self.frames: list[bytes] = []
        """The bytes of each frame."""
        self._before: dict[str, int] = {}
        """Short hashes after the last frame, by name."""

    def frame(self, hashes: dict[str, str]) -> None:
        """Add a frame."""
        now = _short(hashes)
        self.names += [name for name in now if name not in self.names][
            : MOST_NAMES - len(self.names)
        ]
        now |= dict.fromkeys(self._before.keys() - now.keys(), 0)
        changed = [
            n for n, name in enumerate(self.names) if now.get(name, 0) != self._before.get(name, 0)
        ]
        flags = sum(1 << n for n in changed).to_bytes(FLAG_BYTES, "little")
        parts = [PART.pack(now[self.names[n]]) for n in changed]
        self.frames.append(b"".join([TOTAL.pack(total_of(hashes)), flags, *parts]))
        self._before = now


class HashReader:
    """Reads the hashes of the frames."""

    def __init__(self, replay: Replay) -> None:
        self.totals: list[int] = []
        """The hash of each frame."""
        self._data = replay.hashes
        # Where the flags of each frame begin.
        self._starts = array("Q")
        self._names = replay.components
        at = 0
        try:
            for _ in range(replay.frames):
                self.totals.append(TOTAL.unpack_from(self._data, at)[0])
                self._starts.append(at := at + TOTAL.size)
                at += FLAG_BYTES + PART.size * self._flags(at).bit_count()
        except struct.error:
            raise SnapshotError("replay: its hashes are truncated") from None
        if at > len(self._data):
            raise SnapshotError("replay: its hashes are truncated")

    def differing(self, frame: int, hashes: dict[str, str]) -> list[str]:
        """Return the names of the components whose hash differs after a frame, counted from 0."""
        expected: dict[int, int] = {}
        for start in self._starts[: frame + 1]:
            flags = self._flags(start)
            at = start + FLAG_BYTES
            for number in range(MOST_NAMES):
                if flags >> number & 1:
                    expected[number] = PART.unpack_from(self._data, at)[0]
                    at = at + PART.size
        known = {
            self._names[number]: part
            for number, part in expected.items()
            if number < len(self._names)
        }
        now = _short(hashes)
        return sorted(
            name for name in known.keys() | now.keys() if known.get(name, 0) != now.get(name, 0)
        )

    def _flags(self, at: int) -> int:
        """Return the flags of the components that follow, one bit each."""
        return int.from_bytes(self._data[at : at + FLAG_BYTES], "little")


def _short(hashes: dict[str, str]) -> dict[str, int]:
    """Return two bytes of each hash; the clock is in the hash of the frame."""
    return {name: int(digest[:4], 16) for name, digest in hashes.items() if name != "clock"}


def total_of(hashes: dict[str, str]) -> int:
    """Return the hash of a frame."""
    return zlib.crc32(repr(sorted(hashes.items())).encode())
