"""Muscles: a signal in time drives the rest lengths of springs, the rest angles of angular springs.

    level → target, by at most rate · h in a substep;   s = level + amplitude · sin(2π (f t + shift) + phase)
    rest length = base · max(s, 0),   rest angle = base + s,   at the time t of the end of the substep

The wave comes from the time itself, so it does not drift; a frequency that changes moves `shift` so that the wave goes
on where it was. Whoever else writes to what a muscle drives (a game, a material that yields) has changed the resting
muscle: `base` becomes what gives that value now.
"""

import math

import numpy as np

from ecs_softbody.kernels.compiling import lean

SMALLEST_FACTOR = 1e-9
LARGEST_SIGNAL = 1e6
"""More than this times its length, or this many radians, no muscle asks for."""


@lean
def ramped(level: float, target: float, rate: float, dt: float) -> float:
    """Return the level after dt: nearer to the target, by rate · dt at most."""
    if abs(target - level) <= rate * dt:
        return target
    return level + rate * dt if target > level else level - rate * dt


@lean
def continued(shift: float, before: float, frequency: float, time: float) -> float:
    """Return the shift [turns] with which a wave of another frequency [Hz] goes on at a time [s]."""
    turns = shift + (before - frequency) * time
    return turns - math.floor(turns)


@lean
def wave(amplitude: float, turns: float, phase: float) -> float:
    """Return the height of a wave after a number of turns."""
    if amplitude == 0.0:
        return 0.0
    return amplitude * math.sin(2.0 * math.pi * (turns - math.floor(turns)) + phase)


@lean
def is_working(amplitude: float, frequency: float, level: float, target: float, rate: float) -> bool:
    """Tell whether the signal will change."""
    return (amplitude != 0.0 and frequency != 0.0) or (level != target and rate > 0.0)


@lean
def within(signal: float, low: float) -> float:
    """Return the signal between `low` and the largest one."""
    return min(max(signal, low), LARGEST_SIGNAL)


@lean
def base_giving(value: float, factor: float) -> float:
    """Return the base that a factor turns into the value; for a factor of nothing, the value."""
    return value / factor if factor > SMALLEST_FACTOR else value


@lean
def drive_rest_lengths(
    active: np.ndarray,
    driven: np.ndarray,
    pairs: np.ndarray,
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
    rest_length: np.ndarray,
) -> None:
    """Write the rest lengths of the springs `driven` (U,) in the spans of muscles `active` (S, 2) at `time` [s].

    Bodies of muscles that work have been still for no time.
    """
    for span in range(active.shape[0]):
        for m in range(active[span, 0], active[span, 1]):
            s = driven[m]
            if s < 0:
                continue
            if rest_length[s] != written[m]:
                base[m] = base_giving(rest_length[s], factor[m])
            if frequency[m] != seen_frequency[m]:
                shift[m] = continued(shift[m], seen_frequency[m], frequency[m], time - dt)
                seen_frequency[m] = frequency[m]
            if is_working(amplitude[m], frequency[m], level[m], target[m], rate[m]):
                for end in range(2):
                    b = body[pairs[s, end]]
                    still_time[b] = min(still_time[b], 0.0)
            level[m] = ramped(level[m], target[m], rate[m], dt)
            signal = level[m] + wave(amplitude[m], frequency[m] * time + shift[m], phase[m])
            factor[m] = within(signal, 0.0)
            written[m] = base[m] * factor[m]
            rest_length[s] = written[m]


@lean
def drive_rest_angles(
    active: np.ndarray,
    driven: np.ndarray,
    triples: np.ndarray,
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
    seen_frequency: np.ndarray,
    shift: np.ndarray,
    written: np.ndarray,
    still_time: np.ndarray,
    rest_angle: np.ndarray,
) -> None:
    """Write the rest angles of the angular springs `driven` (W,), as `drive_rest_lengths` does rest lengths."""
    for span in range(active.shape[0]):
        for m in range(active[span, 0], active[span, 1]):
            s = driven[m]
            if s < 0:
                continue
            if rest_angle[s] != written[m]:
                base[m] += rest_angle[s] - written[m]
            if frequency[m] != seen_frequency[m]:
                shift[m] = continued(shift[m], seen_frequency[m], frequency[m], time - dt)
                seen_frequency[m] = frequency[m]
            if is_working(amplitude[m], frequency[m], level[m], target[m], rate[m]):
                b = body[triples[s, 1]]
                still_time[b] = min(still_time[b], 0.0)
            level[m] = ramped(level[m], target[m], rate[m], dt)
            signal = level[m] + wave(amplitude[m], frequency[m] * time + shift[m], phase[m])
            written[m] = base[m] + within(signal, -LARGEST_SIGNAL)
            rest_angle[s] = written[m]
