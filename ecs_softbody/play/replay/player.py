"""ReplayPlayer: plays a replay, seeks to any frame, and finds where it diverges from the
recording.

It plays the game itself, with the recorded inputs. To seek fast, it keeps snapshots on the way, as
differences in an Archive, and plays on from the nearest one. A game may rewind itself (Rewind); the
snapshots that it could go back to belong to such a moment, too: its past.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from ecs_softbody.errors import FieldTypeError
from ecs_softbody.parallel.machine import thread_time
from ecs_softbody.play.game import Game, game_from
from ecs_softbody.play.mouse_drag import MouseDrag
from ecs_softbody.play.replay.game_snapshot import GameSnapshot
from ecs_softbody.play.replay.inputs import InputReader
from ecs_softbody.play.replay.replay import HashReader, Replay, seed_all, total_of
from ecs_softbody.play.replay.rewind import Rewind
from ecs_softbody.play.save_data.values import tidied
from ecs_softbody.play.saves import Saves
from ecs_softbody.play.timing.game_clock import FRAME
from ecs_softbody.state.archives.archive import Archive
from ecs_softbody.state.container import SnapshotError
from ecs_softbody.validation import check_count

Past = list[tuple[Rewind, tuple[GameSnapshot | None, ...]]]
"""What each Rewind of a game can go back to, oldest first; None stands for a snapshot that no
rewind of the replay needs, to save memory.
"""
MOST_PLAYED = 0.02
"""Maximum CPU time [s] of frames replayed by `seek`: a snapshot is kept whenever the frames since
the last one took longer.
"""
MOST_BYTES = 1 << 29
"""Maximum size of the snapshots [bytes]; beyond it every second one is dropped."""


@dataclass(frozen=True)
class Divergence:
    """The first frame, counted from 1, after which the state differs, and the differing
    components.
    """

    frame: int
    components: list[str]


class ReplayPlayer:
    """Plays one replay.

    Args:
        game: a game used by this player alone, or its class; it gets the replay's saves and
            bindings.
        replay: the replay to play.

    Raises:
        SnapshotError: if the replay is of another game, or damaged.

    Attributes:
        frame: number of frames played.
        divergence: the first difference of the state, None until there is one.
    """

    def __init__(self, game: Game | type[Game], replay: Replay) -> None:
        if not isinstance(replay, Replay):
            raise FieldTypeError("ReplayPlayer", "replay", replay, "a Replay: Replay.load(path)")
        self.game = game_from("ReplayPlayer", game)
        self.replay = replay
        if self.game.name != replay.game:
            raise SnapshotError(
                f"replay: it is one of the game {reprlib.repr(replay.game)}, not of "
                f"{self.game.name!r}"
            )
        if replay.level and replay.level >= len(self.game.levels):
            raise SnapshotError(
                f"replay: it is one of level {replay.level}; the game has {len(self.game.levels)}"
            )
        self.hashes = HashReader(replay)
        self._frames = InputReader(replay.names, replay.inputs, replay.frames)
        self.divergence: Divergence | None = None
        self.frame = 0
        self._archive = Archive()
        self._last: GameSnapshot | None = None
        self._numbers: dict[int, int] = {}
        """Numbers of the snapshots in the archive, by frame."""
        self._pasts: dict[int, Past] = {}
        """The past at each such frame."""
        # Last frame with a snapshot; how often the game had rewound then; frames compared with the
        # recording.
        self._last_kept = self._uses = self._compared = 0
        # CPU time of the frames since the last snapshot [s], and its present limit.
        self._played = 0.0
        self._most_played = MOST_PLAYED
        self._drag = MouseDrag()
        self.begin()

    def begin(self) -> None:
        """Go back to the first frame by rebuilding the world."""
        game = self.game
        replay = self.replay
        game.recorder = None
        game.level_number = replay.level
        game.bindings.load(replay.bindings)
        game.saves = Saves(game.name)
        for name, value in replay.saves.items():
            game.saves[name] = tidied(value)  # the file may be untrusted
        seed_all(replay.seed)
        self._drag.release()
        self._archive = Archive()
        self._last = None
        self._numbers.clear()
        self._pasts.clear()
        self._last_kept = self._uses = self._compared = 0
        self._played = 0.0
        self._most_played = MOST_PLAYED
        self.frame = 0
        self.divergence = None
        game.begin()
        self._sim = game.sim
        self._keep()

    @property
    def at_end(self) -> bool:
        """Whether all frames have been played, or the game has begun another round."""
        return self.frame >= self.replay.frames or self.game.sim is not self._sim

    @property
    def nbytes(self) -> int:
        """Size of the snapshots kept for `seek` [bytes]."""
        return self._archive.nbytes

    @property
    def kept_frames(self) -> list[int]:
        """Frames whose snapshots are kept for `seek`."""
        return list(self._numbers)

    def step(self) -> None:
        """Play one frame, and compare the state with the recording; do nothing at the end."""
        if self.at_end:
            return
        started = thread_time()
        (controls, standing) = self._frames[self.frame]
        controls = controls.copied()
        game = self.game
        controls.actions = game.bindings
        game.camera.advance(FRAME)
        if game.drag_with_mouse and not standing:
            self._drag.follow(game.sim, controls)
        game.advance(controls, standing=standing)
        if game.sim is self._sim:
            game.effects.advance(FRAME, game.sim.gravity)
        self._played += thread_time() - started
        if game.sim is self._sim:
            self._compare()
        self.frame += 1
        if game.sim is self._sim:
            if self.frame in self._numbers:
                self._played = 0.0
                self._put_past_back()
            elif self._played > self._most_played and self.frame > self._last_kept:
                self._keep()

    def seek(self, frame: int) -> None:
        """Go to a frame, 0 for the beginning: fast if it has been played before, otherwise by
        playing.

        Raises:
            ValueError: if the replay has no such frame.
        """
        frame = check_count(
            "ReplayPlayer.seek", "frame", frame, minimum=0, maximum=self.replay.frames
        )
        if self.game.sim is not self._sim:
            self.begin()
        nearest = max(at for at in self._numbers if at <= frame)
        if not nearest <= self.frame <= frame:
            GameSnapshot.put_together(
                self.game, self._archive.get(self._numbers[nearest])
            ).restore()
            self.frame = nearest
            self._played = 0.0
            self._put_past_back()
        while self.frame < frame and not self.at_end:
            self.step()

    def prepare(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Play the whole replay once, so that `seek` is fast everywhere; calls
        `progress(done, total)` after every frame.
        """
        while not self.at_end:
            self.step()
            if progress is not None:
                progress(self.frame, self.replay.frames)

    def verify(self) -> Divergence | None:
        """Play from the beginning until the state differs; return the divergence, or None."""
        self.begin()
        while not self.at_end and self.divergence is None:
            self.step()
        if self.divergence is None and self.frame < self.replay.frames:
            self.divergence = Divergence(self.frame + 1, ["the game has begun another round"])
        return self.divergence

    def _compare(self) -> None:
        """Compare the state after a frame with the recording, until the first difference."""
        if self.divergence is None and self.frame >= self._compared:
            self._compared = self.frame + 1
            hashes = self.game.sim.component_hashes()
            if total_of(hashes) != self.hashes.totals[self.frame]:
                self.divergence = Divergence(
                    self.frame + 1, self.hashes.differing(self.frame, hashes)
                )

    def _keep(self) -> None:
        """Keep a snapshot of this frame; drop every second one where they take too much memory."""
        self._last = GameSnapshot(self.game, self._drag, before=self._last)
        self._numbers[self.frame] = self._archive.add(self._last.taken_apart())
        self._played = 0.0
        self._keep_past()
        if self._archive.nbytes > MOST_BYTES:
            self._most_played *= 2.0
            needed = {
                number
                for at, number in self._numbers.items()
                if at == self.frame or self._rewinds_after(at)
            }
            kept = set(self._archive.forget_every_second(needed))
            self._numbers = {at: number for at, number in self._numbers.items() if number in kept}

    def _keep_past(self) -> None:
        """Keep what the game can rewind to from here. What was kept at the last such frame is
        needed only if the game has rewound since; otherwise its snapshots are replaced by None.
        """
        rewinds = self.game.rewinds
        uses = sum(rewind.uses for rewind in rewinds)
        if uses == self._uses:
            before = self._pasts.get(self._last_kept, [])
            self._pasts[self._last_kept] = [(rewind, nothing(len(kept))) for rewind, kept in before]
        self._pasts[self.frame] = [(rewind, rewind.kept) for rewind in rewinds]
        self._last_kept = self.frame
        self._uses = uses

    def _put_past_back(self) -> None:
        """Give the game's rewinds the snapshots back that they had at this frame."""
        for rewind, kept in self._pasts.get(self.frame, ()):
            rewind.put_back(kept)
        if self.frame == self._last_kept:
            self._uses = sum(rewind.uses for rewind in self.game.rewinds)

    def _rewinds_after(self, frame: int) -> bool:
        """Return whether the game rewinds soon after a frame."""
        return any(
            snapshot is not None for _, kept in self._pasts.get(frame, ()) for snapshot in kept
        )


@lru_cache(maxsize=1024)
def nothing(length: int) -> tuple[None, ...]:
    """Return a tuple of `length` Nones, cached: one tuple serves many frames."""
    return (None,) * length
