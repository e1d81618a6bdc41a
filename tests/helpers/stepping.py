"""How a test lets time pass."""

from __future__ import annotations

from collections.abc import Callable

from ecs_softbody import Simulation

FRAME = 1.0 / 60.0


def run_frames(sim: Simulation, frames: int) -> None:
    """Step so many frames of 1/60 s."""
    for _ in range(frames):
        sim.step()


def run(sim: Simulation, seconds: float) -> None:
    """Step the frames of so many seconds."""
    run_frames(sim, round(seconds / FRAME))


def step_until(sim: Simulation, condition: Callable[[], bool], frames: int = 120) -> bool:
    """Step until the condition holds; return whether it did within so many frames."""
    for _ in range(frames):
        if condition():
            return True
        sim.step()
    return False
