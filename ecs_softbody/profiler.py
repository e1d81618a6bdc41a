"""Profiler: where the time of a frame goes, processor by processor."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

import esper

from ecs_softbody.collision.space import CollisionSpace

FRAME_END = "end of the frame"
"""What runs once after the last substep: rolling, touching, sleep and the handlers of contact events."""
PARTS_OF_COLLISION = {
    "prepare": "bounds",
    "find_pairs": "pairs",
    "find_contacts": "contacts",
    "refresh": "geometry",
    "push": "impulses",
}
"""Methods of CollisionSpace that are measured by themselves, and what they are called."""
WINDOW = 60
WIDEST_NAME = 30


class Profiler:
    """Milliseconds of real time that every processor takes. Off until `enabled` is set; then it costs nothing.

    Processors go by the name of their class; those with the same name share one entry. Parts of the collision stage
    are named "CollisionProcessor: pairs" and so on, and are contained in "CollisionProcessor".
    """

    def __init__(self, space: CollisionSpace, count: Callable[[], dict[str, int]]) -> None:
        self._space, self._count = space, count
        self._enabled = False
        self._now: dict[str, float] = {}
        self._frames: deque[tuple[float, dict[str, float]]] = deque(maxlen=WINDOW)

    @property
    def enabled(self) -> bool:
        """Whether frames are measured; a change counts from the next frame on. Switching it on starts afresh."""
        return self._enabled

    @enabled.setter
    def enabled(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise ValueError(f"Profiler.enabled: {value!r} is not allowed; expected True or False")
        if value and not self._enabled:
            self._frames.clear()
        self._enabled = value

    @property
    def window(self) -> int:
        """Number of frames that the means are taken over at most."""
        return self._frames.maxlen or WINDOW

    @window.setter
    def window(self, value: int) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"Profiler.window: {value!r} is not allowed; expected a whole number >= 1")
        self._frames = deque(self._frames, maxlen=value)

    @property
    def frames(self) -> int:
        """Number of frames that the means are taken over now."""
        return len(self._frames)

    @property
    def last_frame(self) -> float:
        """The last measured frame, all of `Simulation.step` [ms]; 0 when there is none."""
        return self._frames[-1][0] if self._frames else 0.0

    @property
    def mean_frame(self) -> float:
        """Mean of the last frames [ms]."""
        return sum(whole for whole, _ in self._frames) / max(len(self._frames), 1)

    @property
    def last(self) -> dict[str, float]:
        """Time of every processor in the last measured frame [ms], in the order in which they ran."""
        return dict(self._frames[-1][1]) if self._frames else {}

    @property
    def mean(self) -> dict[str, float]:
        """Mean time of every processor in the last frames [ms]; in frames without it, it took 0."""
        sums: dict[str, float] = {}
        for _, spent in reversed(self._frames):
            for name, took in spent.items():
                sums[name] = sums.get(name, 0.0) + took
        return {name: total / len(self._frames) for name, total in sums.items()}

    @property
    def counts(self) -> dict[str, int]:
        """How many bodies, of them asleep, particles, springs and contacts there are now."""
        return self._count()

    def __str__(self) -> str:
        """A table of the last frame and the mean, with the counts."""
        if not self._frames:
            return "no frame was measured yet; set enabled = True before a step"
        last, mean = self.last, self.mean
        lines = [f"{'milliseconds':{WIDEST_NAME}} {'last':>8} {'mean':>8} {'share':>6}"]
        whole = self.mean_frame
        for name in mean:
            shown = f"  {name.partition(': ')[2]}" if ": " in name else name
            share = mean[name] / whole
            lines.append(f"{shown:{WIDEST_NAME}} {last.get(name, 0.0):8.3f} {mean[name]:8.3f} {share:6.0%}")
        lines.append(
            f"{f'whole frame (mean of {self.frames})':{WIDEST_NAME}} {self.last_frame:8.3f} {whole:8.3f} {1:6.0%}"
        )
        lines.append(", ".join(f"{value} {name}" for name, value in self.counts.items()))
        return "\n".join(lines)

    def run_frame(self, substeps: Callable[[Callable[[float], None]], None], end: Callable[[], None]) -> None:
        """Run one frame and keep its times; one that raises is not kept.

        Args:
            substeps: runs the substeps with the function that it is given instead of `esper.process`.
            end: runs what comes after the last substep.
        """
        self._now = {}
        self._time_parts()
        started = time.perf_counter()
        try:
            substeps(self._process)
            ended = time.perf_counter()
            end()
            finished = time.perf_counter()
        finally:
            self._leave_parts()
        self._now[FRAME_END] = 1e3 * (finished - ended)
        self._frames.append((1e3 * (finished - started), self._now))

    def _process(self, dt: float) -> None:
        """Do what `esper.process` does, with a clock."""
        esper.clear_dead_entities()
        spent = self._now
        for processor in esper._processors:
            name = type(processor).__name__
            spent.setdefault(name, 0.0)  # before its parts, so that it stands above them
            started = time.perf_counter()
            processor.process(dt)
            spent[name] += 1e3 * (time.perf_counter() - started)

    def _time_parts(self) -> None:
        for method, part in PARTS_OF_COLLISION.items():
            setattr(self._space, method, self._timed(f"CollisionProcessor: {part}", getattr(self._space, method)))

    def _leave_parts(self) -> None:
        for method in PARTS_OF_COLLISION:
            vars(self._space).pop(method, None)

    def _timed(self, name: str, call: Callable[..., None]) -> Callable[..., None]:
        spent = self._now

        def timed(*args: object, **options: object) -> None:
            started = time.perf_counter()
            call(*args, **options)
            spent[name] = spent.get(name, 0.0) + 1e3 * (time.perf_counter() - started)

        return timed
