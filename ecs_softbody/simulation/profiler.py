"""Profiler: measures where the real time of a frame goes, processor by processor (`sim.profiler`).

`Simulation.step` runs a frame through `run_frame` while it is enabled.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

import esper

from ecs_softbody.collision.pipeline import run_phase
from ecs_softbody.components import Particles, Springs
from ecs_softbody.simulation.contacts import WorldContacts
from ecs_softbody.simulation.pipeline import Pipeline
from ecs_softbody.storage import world_processors
from ecs_softbody.validation import check_count, check_flag

FRAME_END = "end of the frame"
"""The work done once after the last substep: rolling, touching, sleep and the handlers of contact
events.
"""
WINDOW = 60
"""Default number of frames that means are taken over: a second at 60 frames a second."""
WIDEST_NAME = 30
"""Width of the column of names in the table [characters]; longer names push their numbers aside."""


class Profiler:
    """Milliseconds of real time that every processor takes. Off until `enabled` is set; then it
    costs nothing.

    Processors are listed by class name; processors with the same name share one entry. Parts of the
    collision stage are named "CollisionProcessor: pairs" and so on, and are contained in
    "CollisionProcessor".
    """

    def __init__(self) -> None:
        self._pipeline: Pipeline
        self._contacts: WorldContacts
        self._enabled = False
        self._now: dict[str, float] = {}
        """Milliseconds of each processor in the frame that runs."""
        self._frames: deque[tuple[float, dict[str, float]]] = deque(maxlen=WINDOW)
        """Milliseconds of each measured frame: of all of it, and of each processor."""

    def follow(self, pipeline: Pipeline, contacts: WorldContacts) -> None:
        """Measure these stages from now on."""
        self._pipeline = pipeline
        self._contacts = contacts

    @property
    def enabled(self) -> bool:
        """Whether frames are measured; a change counts from the next frame on.

        Switching it on starts afresh.
        """
        return self._enabled

    @enabled.setter
    def enabled(self, value: bool) -> None:
        value = check_flag("Profiler", "enabled", value)
        if value and not self._enabled:
            self._frames.clear()
        self._enabled = value

    @property
    def window(self) -> int:
        """Number of frames that the means are taken over at most."""
        return self._frames.maxlen or WINDOW

    @window.setter
    def window(self, value: int) -> None:
        self._frames = deque(self._frames, maxlen=check_count("Profiler", "window", value))

    @property
    def frames(self) -> int:
        """Number of frames that the means are taken over now."""
        return len(self._frames)

    @property
    def last_frame(self) -> float:
        """The last measured frame, all of `Simulation.step` [ms]; 0 if there is none."""
        return self._frames[-1][0] if self._frames else 0.0

    @property
    def mean_frame(self) -> float:
        """Mean of the last frames [ms]."""
        return sum(whole for whole, _ in self._frames) / max(len(self._frames), 1)

    @property
    def last(self) -> dict[str, float]:
        """Time of every processor in the last measured frame [ms], in the order in
        which they ran.
        """
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
        """Numbers of bodies, sleeping bodies, particles, springs and contacts."""
        buffers = self._pipeline.context.buffers
        bodies, springs = (buffers[kind].bound.values() for kind in (Particles, Springs))
        return {
            "bodies": len(bodies),
            "asleep": self._pipeline.sleep.asleep_count,
            "particles": sum(body.row_count for body in bodies),
            "springs": sum(spring.row_count for spring in springs),
            "contacts": len(self._contacts.contacts),
        }

    def __str__(self) -> str:
        """A table of the last frame and the mean, with the counts."""
        if not self._frames:
            return "no frame was measured yet; set enabled = True before a step"
        last = self.last
        mean = self.mean
        lines = [f"{'milliseconds':{WIDEST_NAME}} {'last':>8} {'mean':>8} {'share':>6}"]
        whole = self.mean_frame
        for name in mean:
            shown = f"  {name.partition(': ')[2]}" if ": " in name else name
            share = mean[name] / whole
            lines.append(
                f"{shown:{WIDEST_NAME}} {last.get(name, 0.0):8.3f} {mean[name]:8.3f} {share:6.0%}"
            )
        lines.append(
            f"{f'whole frame (mean of {self.frames})':{WIDEST_NAME}} {self.last_frame:8.3f} "
            f"{whole:8.3f} {1:6.0%}"
        )
        lines.append(", ".join(f"{value} {name}" for name, value in self.counts.items()))
        return "\n".join(lines)

    def run_frame(
        self, substeps: Callable[[Callable[[float], None]], None], end: Callable[[], None]
    ) -> None:
        """Run one frame and keep its times; a frame that raises is not kept.

        Args:
            substeps: runs the substeps with the function that it is given instead of
                `esper.process`.
            end: runs the work after the last substep.
        """
        self._now = {}
        space = self._pipeline.space
        space.run_phase = self._run_phase
        started = time.perf_counter()
        try:
            substeps(self._run_substep)
            ended = time.perf_counter()
            end()
            finished = time.perf_counter()
        finally:
            space.run_phase = run_phase
        self._now[FRAME_END] = 1e3 * (finished - ended)
        self._frames.append((1e3 * (finished - started), self._now))

    def _run_substep(self, dt: float) -> None:
        """Do what `Pipeline.run_substep` does, and add the time of each processor."""
        esper.clear_dead_entities()
        spent = self._now
        for processor in world_processors():
            name = type(processor).__name__
            # The name comes before its parts, so that it stands above them.
            spent.setdefault(name, 0.0)
            if id(processor) not in self._pipeline.idle:
                started = time.perf_counter()
                self._pipeline.process_of(processor)(dt)
                spent[name] += 1e3 * (time.perf_counter() - started)

    def _run_phase(
        self, name: str, phase: Callable[..., None], *arguments: object, **options: object
    ) -> None:
        """Run a phase of the collision stage, with a clock."""
        started = time.perf_counter()
        phase(*arguments, **options)
        name = f"CollisionProcessor: {name}"
        self._now[name] = self._now.get(name, 0.0) + 1e3 * (time.perf_counter() - started)
