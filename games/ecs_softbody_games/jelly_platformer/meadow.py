"""The level "Night meadow", as data."""

from __future__ import annotations

import math

from ecs_softbody_games.jelly_platformer.level import (
    Bridge,
    Chain,
    Ferry,
    Hazard,
    Jelly,
    Ledge,
    Level,
    Patrol,
    Point,
    Sign,
    WindArea,
)

DEEP = -12.0


def row(left: Point, right: Point, count: int) -> tuple[Point, ...]:
    """Coins along a straight line, both ends included."""
    steps = [number / max(count - 1, 1) for number in range(count)]
    return tuple((left[0] + s * (right[0] - left[0]), left[1] + s * (right[1] - left[1])) for s in steps)


def arc(left: Point, right: Point, height: float, count: int) -> tuple[Point, ...]:
    """Coins along a jump from left to right."""
    line = zip(row(left, right, count), range(count), strict=True)
    return tuple((x, y + height * math.sin(math.pi * (n + 0.5) / count)) for (x, y), n in line)


def hill(left: Point, right: Point) -> Chain:
    """Corners of a smooth slope between two heights."""
    steps = [number / 8 for number in range(9)]
    return tuple(
        (left[0] + s * (right[0] - left[0]), left[1] + (0.5 - 0.5 * math.cos(math.pi * s)) * (right[1] - left[1]))
        for s in steps
    )


MEADOW = Level(
    name="Night meadow",
    start=(0.0, 0.8),
    flag=(165.0, 0.0),
    bottom=-6.0,
    view=(-8.0, -2.4, 174.0, 16.0),
    terrain=(
        (
            (-20.0, 8.0), (-4.5, 8.0), (-4.5, 0.0), *hill((10.0, 0.0), (15.0, 1.3)), *hill((19.0, 1.3), (24.0, 0.0)),
            (27.0, 0.0), (27.0, DEEP),
        ),
        ((29.6, DEEP), (29.6, 0.0), (46.0, 0.0), (46.0, 3.4), (51.0, 3.4), (51.0, DEEP)),
        (
            (60.0, DEEP), (60.0, 3.4), *hill((64.0, 3.4), (71.0, 0.0)), (90.0, 0.0), (90.0, DEEP),
        ),
        (
            (102.0, DEEP), (102.0, 0.0), (114.0, 0.0), (114.0, 6.2), *hill((119.0, 6.2), (132.0, -0.6)),
            *hill((132.5, -0.6), (136.0, 0.6)), (136.0, DEEP),
        ),
        (
            (140.5, DEEP), (140.5, -0.4), (148.0, -0.4), (148.0, -1.8), (157.0, -1.8), (157.0, 0.0), (169.5, 0.0),
            (169.5, 8.0), (185.0, 8.0),
        ),
    ),
    checkpoints=((62.0, 3.4), (104.5, 0.0), (142.0, -0.4)),
    ledges=(Ledge((75.4, 1.9), 2.6), Ledge((79.4, 3.5), 2.6)),
    ferries=(Ferry((90.1, 0.0), (99.1, 0.0), 2.8, 2.4),),
    bridges=(Bridge((51.0, 3.3), (60.0, 3.3)),),
    jellies=(
        Jelly("ball", (17.5, 1.3), (1.1, 1.1)),
        Jelly("crate", (33.5, 0.0), (1.0, 1.0)),
        Jelly("crate", (36.4, 0.0), (1.2, 1.0)),
        Jelly("crate", (36.4, 1.0), (0.9, 0.9)),
        Jelly("pad", (43.2, 0.0), (2.2, 0.7)),
        Jelly("pillar", (151.0, -1.8), (1.7, 1.7)),
        Jelly("pillar", (154.2, -1.8), (1.5, 2.1)),
    ),
    hazards=(
        Hazard((73.0, 0.0), (74.4, 0.5), "spikes"),
        Hazard((79.3, 0.0), (80.9, 0.5), "spikes"),
        Hazard((148.0, -1.8), (157.0, -1.1), "acid"),
    ),
    grumps=(Patrol(83.5, 86.5, 0.0), Patrol(106.2, 108.6, 0.0), Patrol(160.8, 163.3, 0.0)),
    winds=(WindArea((109.6, 0.0), (114.0, 9.0), (0.0, 13.5)),),
    coins=(
        *row((5.0, 0.6), (8.0, 0.6), 3), *arc((13.0, 2.0), (21.0, 2.0), 0.6, 4), *arc((26.6, 0.9), (30.0, 0.9), 1.4, 5),
        *row((43.5, 3.0), (44.8, 5.0), 3), *row((49.0, 5.0), (50.2, 4.1), 2), *arc((53.0, 3.5), (58.0, 3.5), -0.45, 4),
        *row((75.9, 2.6), (77.5, 2.6), 3), *row((79.9, 4.2), (81.5, 4.2), 3), *row((93.5, 0.9), (98.5, 0.9), 3),
        *row((112.0, 2.0), (112.0, 7.0), 4), *row((122.0, 6.3), (128.0, 2.5), 4),
        *arc((136.2, 1.4), (140.3, 0.9), 1.2, 4),
        (151.0, 0.7), (154.2, 1.1), *row((159.0, 0.7), (161.0, 0.7), 3),
    ),
    signs=(
        Sign((0.5, 3.2), "{move}  roll"),
        Sign((23.5, 3.4), "{jump}  jump, hold it to go higher"),
        Sign((40.6, 3.0), "jump on it: it throws you"),
        Sign((86.5, 4.6), "wait for the ferry"),
        Sign((107.5, 3.4), "let the wind carry you"),
    ),
)  # fmt: skip
"""About a minute and a half for a first visit."""
