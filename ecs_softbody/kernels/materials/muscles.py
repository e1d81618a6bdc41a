"""Muscles and pumps: a signal in time drives rest lengths of springs, rest angles, and the gas of
bodies.

    level → target, by at most rate · h in a substep
    s = level + amplitude · sin(2π (f t + shift) + phase)
    rest length, nRT = base · max(s, 0),   rest angle = base + s,   t: of the end of the substep

The wave is a function of the time itself, so it does not drift; when the frequency changes, `shift`
moves so that the wave goes on where it was. If something else (a game, a material that yields)
writes the driven value, the resting muscle has changed: `base` becomes the value that gives the
written one.
"""

import math
from typing import NamedTuple

from ecs_softbody.arrays import Floats1, Integers1, Integers2, Uint32s1, Uint32s2
from ecs_softbody.elementary.angles import sin
from ecs_softbody.parallel.compiling import entry, inline, kernel

SMALLEST_FACTOR = 1e-9
"""Least factor by which a written value is divided to find its base."""
LARGEST_SIGNAL = 1e6
"""The largest signal, a factor or an angle [rad]."""


class Drive(NamedTuple):
    """The state of all drives of one kind, a row each."""

    driven: Integers1  # Row of the driven value, -1 without one
    amplitude: Floats1
    frequency: Floats1  # [Hz]
    phase: Floats1  # [rad]
    target: Floats1
    rate: Floats1  # [1/s]
    base: Floats1  # The driven value at rest
    level: Floats1
    factor: Floats1  # The last signal of drives that scale
    seen_frequency: Floats1  # [Hz], of the last substep
    shift: Floats1  # [turns]
    written: Floats1  # The value written last


class Driven(NamedTuple):
    """Outputs of drives, and the particles whose bodies a working drive keeps awake."""

    # (D,)
    value: Floats1
    # (D, E): rows of particles; the columns [first_end, last_end) are its own
    ends: Uint32s2
    first_end: int
    last_end: int
    # (N,): slot of the body of each particle
    body: Uint32s1
    # (B,) [s]: time at rest of each body
    still_time: Floats1


@kernel
def ramped(level: float, target: float, rate: float, dt: float) -> float:
    """Return the level after dt: nearer to the target, by rate · dt at most."""
    if abs(target - level) <= rate * dt:
        return target
    return level + rate * dt if target > level else level - rate * dt


@kernel
def continued(shift: float, before: float, frequency: float, time: float) -> float:
    """Return the shift [turns] with which a wave of another frequency [Hz] goes on at
    a time [s].
    """
    turns = shift + (before - frequency) * time
    return turns - math.floor(turns)


@kernel
def wave(amplitude: float, turns: float, phase: float) -> float:
    """Return the height of a wave after a number of turns."""
    if amplitude == 0.0:
        return 0.0
    return amplitude * sin(2.0 * math.pi * (turns - math.floor(turns)) + phase)


@kernel
def is_working(
    amplitude: float, frequency: float, level: float, target: float, rate: float
) -> bool:
    """Return whether the signal will change."""
    return (amplitude != 0.0 and frequency != 0.0) or (level != target and rate > 0.0)


@kernel
def within(signal: float, low: float) -> float:
    """Return the signal between `low` and the largest one."""
    return min(max(signal, low), LARGEST_SIGNAL)


@kernel
def base_giving(value: float, factor: float) -> float:
    """Return the base which a factor scales to the value; the value itself where the
    factor is 0.
    """
    return value / factor if factor > SMALLEST_FACTOR else value


@inline
def next_signal(m: int, drives: Drive, time: float, dt: float) -> float:
    """Move the level of drive m to the end of the substep; return its signal then."""
    frequency = drives.frequency[m]
    level = drives.level
    if frequency != drives.seen_frequency[m]:
        drives.shift[m] = continued(drives.shift[m], drives.seen_frequency[m], frequency, time - dt)
        drives.seen_frequency[m] = frequency
    level[m] = ramped(level[m], drives.target[m], drives.rate[m], dt)
    return level[m] + wave(drives.amplitude[m], frequency * time + drives.shift[m], drives.phase[m])


@entry
def drive(
    active: Integers2, drives: Drive, driven: Driven, adds: bool, time: float, dt: float
) -> None:
    """Write the values of the drives in the row spans `active` (S, 2) at `time` [s].

    They are base + s where the drives add, else base · s. The still_time of bodies with working
    drives is set to 0.
    """
    value = driven.value
    base = drives.base
    written = drives.written
    factor = drives.factor
    for span in range(active.shape[0]):
        for m in range(active[span, 0], active[span, 1]):
            s = drives.driven[m]
            if s < 0:
                continue
            if value[s] != written[m]:
                base[m] = (
                    base[m] + (value[s] - written[m]) if adds else base_giving(value[s], factor[m])
                )
            if is_working(
                drives.amplitude[m],
                drives.frequency[m],
                drives.level[m],
                drives.target[m],
                drives.rate[m],
            ):
                for end in range(driven.first_end, driven.last_end):
                    b = driven.body[driven.ends[s, end]]
                    driven.still_time[b] = min(driven.still_time[b], 0.0)
            signal = next_signal(m, drives, time, dt)
            if adds:
                written[m] = base[m] + within(signal, -LARGEST_SIGNAL)
            else:
                factor[m] = within(signal, 0.0)
                written[m] = base[m] * factor[m]
            value[s] = written[m]
