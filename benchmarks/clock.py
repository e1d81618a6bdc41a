"""The clock: engines take turns, frame by frame in one process; what counts is the CPU time of the process."""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass, field

import numpy as np

from peers import Runner, Setting
from quality import Quality, quality_of
from scenes import Scene


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
    """Over ours."""


@dataclass
class Contender:
    """An engine on the track."""

    label: str
    runner: Runner
    build_seconds: float
    spent: list[float] = field(default_factory=list)
    total: float = 0.0
    """CPU time of all frames but the first, in which some compile [s]."""

    def run_frame(self) -> None:
        """Run one frame and note its CPU time."""
        started = time.process_time()
        self.runner.step()
        self.spent.append(time.process_time() - started)
        if len(self.spent) > 1:
            self.total += self.spent[-1]


def race(scene: Scene, settings: list[Setting], limit: float, failures: list[str] | None = None) -> list[Result]:
    """Run the scene with all engines in turn; the first one is ours.

    An engine that has used `limit` seconds for its frames stops there. If it never came to the frames that count,
    the last third of those that it ran are taken. A peer that cannot build the scene is left out, and named in
    `failures`: their next versions may have changed.
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
    gc.freeze()  # what was built is not looked through again while an engine is on the clock
    try:
        for _ in range(scene.warmup_frames + scene.frames):
            for contender in contenders:
                if contender.total < limit:
                    contender.run_frame()
        results = [_result(scene, contender) for contender in contenders]
    finally:
        gc.unfreeze()
        for contender in contenders:
            close = getattr(contender.runner, "close", None)
            if close is not None:
                close()
    for result in results:
        result.ratio = result.milliseconds / results[0].milliseconds
    return results


def _result(scene: Scene, contender: Contender) -> Result:
    ran = len(contender.spent)
    before = scene.warmup_frames if ran > scene.warmup_frames else ran - max(1, ran // 3)
    return Result(
        scene.name, contender.label, 1e3 * float(np.median(contender.spent[before:])), ran - before, before,
        contender.build_seconds, ran == scene.warmup_frames + scene.frames,
        quality_of(scene, contender.runner.positions()),
    )  # fmt: skip
