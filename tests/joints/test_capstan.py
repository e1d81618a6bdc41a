"""A rope round a peg slips at T2/T1 = exp(mu theta): the capstan equation (L.

Euler 1769, J. Eytelwein 1808).
"""

import itertools
import warnings

import numpy as np
import pytest

from ecs_softbody import (
    Collider,
    DistanceLimits,
    Particles,
    Simulation,
    Springs,
    StaticCollider,
    blueprints,
)

G = 9.81
LINK_MASS = 0.01
HANGING = 6
QUICK = [
    ("limits", "saturated", 8, 50.0, 0.3),
    ("springs", "xpbd", 8, 50.0, 0.3),
    ("outline", "saturated", 8, 20.0, 0.3),
    ("outline", "xpbd", 8, 50.0, 0.3),
]
WHOLE = [
    *itertools.product(
        ["limits"], ["saturated"], [4, 8, 16], [5.0, 20.0, 50.0, 200.0, 500.0], [0.1, 0.3, 0.5]
    ),
    *itertools.product(["springs"], ["saturated"], [8, 16], [20.0, 50.0], [0.3]),
    *itertools.product(["springs"], ["xpbd"], [8, 16], [20.0, 50.0], [0.1, 0.3]),
    *itertools.product(["outline"], ["saturated"], [8, 16], [5.0, 20.0], [0.1, 0.3, 0.5]),
    *itertools.product(
        ["outline"], ["xpbd"], [4, 8, 16], [5.0, 20.0, 50.0, 100.0], [0.1, 0.3, 0.5]
    ),
]


def slipping_tension(start, weight, friction):
    """Return the tension at which the rope slips: dT = (weight cos a + mu (T + weight sin a)) da,
    weight [N/rad].
    """
    tension = start
    steps = 4000
    for a in (np.arange(steps) + 0.5) * np.pi / steps:
        tension += (weight * np.cos(a) + friction * (tension + weight * np.sin(a))) * np.pi / steps
    return tension


def made(kind, place, thickness, link, friction):
    """Return a rope: discs on limits or springs, or what `blueprints.rope` makes, which collides
    with its edges.
    """
    if kind == "outline":
        end = ((len(place) - 1) * link, 0.0)
        stiff = {"stiffness": 2e4, "damping": 10.0}
        parts = blueprints.rope(
            (0.0, 0.0),
            end,
            segments=len(place) - 1,
            thickness=2.0 * thickness,
            air=0.0,
            friction=friction**2,
            **stiff,
        )
        parts[0].position[:] = place
        return parts
    pairs = np.column_stack((np.arange(len(place) - 1), np.arange(1, len(place))))
    joined = (
        DistanceLimits(pairs) if kind == "limits" else Springs(pairs, stiffness=2e4, damping=10.0)
    )
    return Particles(place, radius=thickness), joined, Collider(friction=friction**2)


def rise(kind, solver, substeps, load, friction, share):
    """Return how far the lighter load rises in a second and a half at a share of the slipping
    tension [m].
    """
    peg = 0.3
    thickness = 0.05
    link = 0.1
    radius = peg + thickness
    count = int(np.ceil(np.pi * radius / link))
    sim = Simulation(solver=solver, substeps=substeps, sleeping=False, world=f"capstan {share}")
    sim.spawn(StaticCollider([(0.0, 0.0)], radius=peg, friction=1.0))
    arc = np.pi - np.linspace(0.0, np.pi, count + 1)
    down = link * np.arange(HANGING, 0, -1)
    place = np.vstack([
        np.column_stack((np.full(HANGING, -radius), -down)),
        radius * np.column_stack((np.cos(arc), np.sin(arc))),
        np.column_stack((np.full(HANGING, radius), -down[::-1])),
    ])  # fmt: skip
    mass = np.full(len(place), LINK_MASS)
    mass[[0, -1]] = load * LINK_MASS
    hangs = HANGING * LINK_MASS * G
    lighter = load * LINK_MASS * G + hangs
    most = slipping_tension(lighter, LINK_MASS * G * count / np.pi, friction)
    rope, *rest = made(kind, place, thickness, link, friction)
    rope.mass[:] = mass
    sim.spawn(rope, *rest)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for frame in range(240):
            pull = 1.0 + (share * most / lighter - 1.0) * min(frame / 60.0, 1.0)
            rope.mass[-1] = (pull * lighter - hangs) / G
            if frame == 150:
                before = rope.position[0, 1]
            sim.step()
    sim.close()
    return rope.position[0, 1] - before


@pytest.mark.brief(2)
@pytest.mark.parametrize(
    "case",
    [
        *QUICK,
        *(pytest.param(case, marks=[pytest.mark.slow, pytest.mark.sample(4)]) for case in WHOLE),
    ],
    ids=lambda case: "-".join(map(str, case)),
)
def test_a_rope_round_a_peg_slips_where_it_should(case):
    assert abs(rise(*case, 0.91)) < 0.005
    assert abs(rise(*case, 1.09)) > 0.02, "it may have run off the peg"
