"""The clock: engines take turns in one process, some frames at a time; what counts is the CPU time
of the process.
"""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass, field

import numpy as np

from peers import Runner, Setting
from quality import Quality, quality_of
from scenes import Scene

TURN = 10
"""Frames that an engine runs before the next one has its turn. With fewer it mostly waits for its
own data to come back into the caches, which the others have used meanwhile: small scenes seem to
take twice as long.
"""


@dataclass
class Result:
    """What one engine did in one scene."""

    scene: str
    engine: str
    milliseconds: float
    """CPU time of a frame, median."""
    frames: int
    """Frames that the median is taken over ..."""
    frames_before: int
    """... and those that ran before them."""
    build_seconds: float
    is_complete: bool
    """False when it was stopped at the limit of time."""
    quality: Quality
    ratio: float = 1.0
    """Over ours, in the same frames: those of the one that was stopped, where one was."""


@dataclass
class Contender:
    """An engine on the track."""

    label: str
    runner: Runner
    build_seconds: float
    spent: list[float] = field(default_factory=list)
    total: float = 0.0
    """CPU time of all frames but the first, in which some compile [s]."""

    def is_running(self, count: int, limit: float) -> bool:
        """Return whether it has frames to run, and time left for them."""
        return len(self.spent) < count and self.total < limit

    def run_frame(self) -> None:
        """Run one frame and note its CPU time."""
        started = time.process_time()
        self.runner.step()
        self.spent.append(time.process_time() - started)
        if len(self.spent) > 1:
            self.total += self.spent[-1]


def race(
    scene: Scene, settings: list[Setting], limit: float, failures: list[str] | None = None
) -> list[Result]:
    """Run the scene with all engines in turn; the first one is ours.

    An engine that has used `limit` seconds for its frames stops there. If it never came to the
    frames that count, the last third of those that it ran are taken. A peer that cannot build the
    scene is left out, and named in `failures`: their next versions may have changed.
    """
    contenders = []
    for label, make in settings:
        started = time.process_time()
        try:
            runner = make()
        except Exception as error:
            if failures is None or not contenders:
                raise
            failures.append(f"{label} could not build {scene.name}: {error}")
            continue
        contenders.append(Contender(label, runner, time.process_time() - started))
    gc.collect()
    # what was built is not looked through again while an engine is on the clock
    gc.freeze()
    try:
        count = scene.warmup_frames + scene.frames
        while any(contender.is_running(count, limit) for contender in contenders):
            for contender in contenders:
                for _ in range(TURN):
                    if contender.is_running(count, limit):
                        contender.run_frame()
        results = [_result(scene, contender) for contender in contenders]
    finally:
        gc.unfreeze()
        for contender in contenders:
            close = getattr(contender.runner, "close", None)
            if close is not None:
                close()
    for contender, result in zip(contenders, results, strict=True):
        result.ratio = _ratio(contender, contenders[0], scene)
    return results


def _window(scene: Scene, contender: Contender) -> tuple[int, int]:
    """Return the frames [first, last) of an engine that count."""
    ran = len(contender.spent)
    return (scene.warmup_frames if ran > scene.warmup_frames else ran - max(1, ran // 3)), ran


def _ratio(contender: Contender, ours: Contender, scene: Scene) -> float:
    first, last = min(_window(scene, contender), _window(scene, ours), key=lambda window: window[1])
    return float(np.median(contender.spent[first:last]) / np.median(ours.spent[first:last]))


def _result(scene: Scene, contender: Contender) -> Result:
    before, ran = _window(scene, contender)
    return Result(
        scene.name,
        contender.label,
        1e3 * float(np.median(contender.spent[before:])),
        ran - before,
        before,
        contender.build_seconds,
        ran == scene.warmup_frames + scene.frames,
        quality_of(scene, contender.runner.positions()),
    )
