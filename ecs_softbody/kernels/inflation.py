"""Inflation: nRT = base · max(s, 0) with the signal s in time of kernels/muscles.py, at the end of the substep."""

import numpy as np

from ecs_softbody.kernels.compiling import lean
from ecs_softbody.kernels.muscles import base_giving, continued, is_working, ramped, wave, within


@lean
def drive_gas(
    active: np.ndarray,
    driven: np.ndarray,
    body: np.ndarray,
    amplitude: np.ndarray,
    frequency: np.ndarray,
    phase: np.ndarray,
    target: np.ndarray,
    rate: np.ndarray,
    time: float,
    dt: float,
    base: np.ndarray,
    level: np.ndarray,
    factor: np.ndarray,
    seen_frequency: np.ndarray,
    shift: np.ndarray,
    written: np.ndarray,
    still_time: np.ndarray,
    gas: np.ndarray,
) -> None:
    """Write nRT [J] of the gas bodies `driven` (P,) for the pumps in `active`; body (P,): whom they keep awake."""
    for m in active:
        g = driven[m]
        if g < 0:
            continue
        if gas[g] != written[m]:
            base[m] = base_giving(gas[g], factor[m])
        if frequency[m] != seen_frequency[m]:
            shift[m] = continued(shift[m], seen_frequency[m], frequency[m], time - dt)
            seen_frequency[m] = frequency[m]
        if is_working(amplitude[m], frequency[m], level[m], target[m], rate[m]):
            still_time[body[m]] = min(still_time[body[m]], 0.0)
        level[m] = ramped(level[m], target[m], rate[m], dt)
        factor[m] = within(level[m] + wave(amplitude[m], frequency[m] * time + shift[m], phase[m]), 0.0)
        written[m] = base[m] * factor[m]
        gas[g] = written[m]
