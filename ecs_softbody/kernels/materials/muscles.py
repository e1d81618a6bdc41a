"""Muscles and pumps: a signal s in time drives rest lengths of springs, rest angles, and the gas of
bodies, at the start of a substep h. A game sets target, amplitude and frequency f.

    level moves to the target, by at most rate · h in a substep
    s = level + amplitude · sin(2π (f t + shift) + phase),   t: time at the end of the substep
    rest length or amount of gas nRT = base · max(s, 0),   rest angle = base + s

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
"""Least factor by which a written value is divided to find its base; with a smaller one the value
itself becomes the base.
"""
LARGEST_SIGNAL = 1e6
"""Limit of signals, a factor or an angle [rad]."""


class Drive(NamedTuple):
    """All drives of one kind, a row each: muscles of springs, of angular springs, or pumps of gas.
    Amplitude, target and level are factors, of angular muscles angles [rad].
    """

    driven: Integers1  # Row of the driven value, -1 without one
    amplitude: Floats1
    frequency: Floats1  # [Hz]
    phase: Floats1  # [rad]
    target: Floats1  # Goal of the level
    rate: Floats1  # Of the level [1/s, rad/s]
    base: Floats1  # The driven value at rest: [m], [rad] or [J]
    level: Floats1
    factor: Floats1  # s of the last substep, of drives that scale
    seen_frequency: Floats1  # f of the last substep [Hz]
    shift: Floats1  # [turns], keeps the wave continuous when f changes
    written: Floats1  # The value written last: [m], [rad] or [J]


class Driven(NamedTuple):
    """The D values that drives of one kind can write, and the particles whose bodies a working
    drive keeps awake.
    """

    # (D,) rest lengths [m], rest angles [rad] or nRT [J]
    value: Floats1
    # (D, E): rows of the particles that a value acts on, in the columns [first_end, last_end)
    ends: Uint32s2
    first_end: int
    last_end: int
    # (N,): number (slot) of the body of each particle
    body: Uint32s1
    # (B,) time for which each body has been still [s]
    still_time: Floats1


@kernel
def ramped(level: float, target: float, rate: float, dt: float) -> float:
    """Return the level after a substep dt: nearer to the target, by rate · dt at most."""
    if abs(target - level) <= rate * dt:
        return target
    return level + rate * dt if target > level else level - rate * dt


@kernel
def continued(shift: float, before: float, frequency: float, time: float) -> float:
    """Return the shift [turns] with which a wave goes on at this time [s] without a jump, where its
    frequency [Hz] changes from `before` to `frequency`.
    """
    turns = shift + (before - frequency) * time
    return turns - math.floor(turns)


@kernel
def wave(amplitude: float, turns: float, phase: float) -> float:
    """Return amplitude · sin(2π turns + phase); phase in [rad]."""
    if amplitude == 0.0:
        return 0.0
    return amplitude * sin(2.0 * math.pi * (turns - math.floor(turns)) + phase)


@kernel
def is_working(
    amplitude: float, frequency: float, level: float, target: float, rate: float
) -> bool:
    """Return whether the signal of a drive will change, so that its bodies have to stay awake."""
    return (amplitude != 0.0 and frequency != 0.0) or (level != target and rate > 0.0)


@kernel
def within(signal: float, low: float) -> float:
    """Return the signal limited to [low, LARGEST_SIGNAL]."""
    return min(max(signal, low), LARGEST_SIGNAL)


@kernel
def base_giving(value: float, factor: float) -> float:
    """Return value / factor, the base that the factor scales to the value; the value for 0."""
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
    """Write the values of the drives in the spans `active` (S, 2) of awake rows at `time` [s], the
    end of the substep: base + s if `adds` (angles), else base · s.

    The still_time of bodies with working drives is set to 0, so that they do not fall asleep.
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
                # A game or plasticity has written the value: the muscle at rest has changed.
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
