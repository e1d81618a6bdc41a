"""Replays and ghosts: what was played is played again."""

from __future__ import annotations

import contextlib
import io
import random
import zlib
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

from ecs_softbody import Simulation, SnapshotError, blueprints
from ecs_softbody.cli.main import main
from ecs_softbody.play import Game, Ghost, Recorder, Replay, ReplayPlayer
from ecs_softbody.rendering import Picture
from included import included_games
from tests.fuzzing.changes import packed
from tests.fuzzing.kinds.kind import FRAME, Kind, Sample
from tests.snapshots.small_game import Hop

INSTALLED = ("bouncing-balls", "jelly-car")
PLAYED = 30
SEED = 20_260_000


class Told(Exception):  # noqa: N818 - what a command prints
    """What the command printed when it refused a file."""


def recorded(game: Game, frames: int) -> bytes:
    """Return the replay of a game that plays itself."""
    # the same file at each start
    with patch.object(random.SystemRandom, "getrandbits", lambda *_: SEED):
        game.recorder = recorder = Recorder()
        game.begin()
    for _ in range(frames):
        game.advance(game.autopilot())
    found = recorder.finished().to_bytes()
    game.close()
    return found


class Replays(Kind):
    """Replays: by the program, and by the command with the name of a game in the file."""

    name = "replays"
    refusals = (SnapshotError, Told)
    words: ClassVar[list[str]] = [
        "game",
        "level",
        "bindings",
        "saves",
        "seed",
        "versions",
        "names",
        "components",
        "frames",
    ]

    def samples(self) -> list[Sample]:
        self.games = {name: entry.load() for name, entry in included_games().items()}
        hop = Sample("a.replay", {"a.replay": recorded(Hop(), 60)}, Hop)
        return [hop, hop] + [
            Sample("a.replay", {"a.replay": recorded(self.games[name](), 20)}, self.games[name])
            for name in INSTALLED
        ]

    def structured(self, name: str, data: bytes, dice: random.Random) -> tuple[bytes, list[str]]:
        return packed.changed("replay", data, dice, self.words)

    def take(self, sample: Sample, path: Path) -> Any:
        # The command knows installed games only.
        if sample.about is not Hop and zlib.crc32(path.read_bytes()) % 4 == 0:
            return self._command(path)
        return ReplayPlayer(sample.about, Replay.load(path))

    def _command(self, path: Path) -> None:
        """Let the command play it: it knows the game by the name in the file."""
        said = io.StringIO()
        wrong = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
            status = main(["replay", path.name])
        if status:
            raise Told(wrong.getvalue().rstrip("\n"))

    def go_on(self, taken: ReplayPlayer | None) -> None:
        if taken is None:
            return
        for _ in range(PLAYED):
            taken.step()
        taken.seek(min(taken.replay.frames, 3))
        taken.game.close()


class Ghosts(Kind):
    """Ghosts: the shapes of the best run."""

    name = "ghosts"
    refusals = (SnapshotError,)
    batch = 200
    words: ClassVar[list[str]] = ["result", "frames", "counts"]

    def samples(self) -> list[Sample]:
        ghost = Ghost()
        sim = Simulation(world="seen")
        blob = sim.spawn(*blueprints.blob((0, 3), 0.5))
        box = sim.spawn(*blueprints.box((3, 3), 0.5))
        for frame in range(60):
            sim.step(FRAME)
            ghost.note(sim, blob if frame < 40 else box)
        sim.close()
        ghost.finish(3.5)
        path = Path("a.ghost")
        data = ghost.save(path).read_bytes()
        path.unlink()
        return [Sample("a.ghost", {"a.ghost": data})]

    def structured(self, name: str, data: bytes, dice: random.Random) -> tuple[bytes, list[str]]:
        return packed.changed("ghost", data, dice, self.words)

    def take(self, sample: Sample, path: Path) -> Ghost:
        return Ghost.load(path)

    def go_on(self, taken: Ghost) -> None:
        picture = Picture(320, 180)
        for frame in (0.0, 0.5, 1.0, 7.25, float(min(taken.frames, 10**9)), 1e9):
            taken.at(frame)
            taken.draw(picture, frame)
        picture.triangles()
