"""What lives on and in the ground: grass that bends, layers that end at cliffs, and shades where
bodies touch.
"""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.rendering import Picture, View, WorldPainter, themes
from ecs_softbody.rendering.land.strata import FADING, into_cliffs
from ecs_softbody.rendering.land.tufts import LAID, Lawn
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.world.touching import places_of
from ecs_softbody.simulation import Contacts

FLAT = np.array(((-20.0, 1.0), (20.0, 1.0)))
NOBODY = np.zeros((0, 2))


@pytest.mark.parametrize("frames", [1, 3])
def test_blades_bend_away_from_a_body_and_swing_back(frames: int) -> None:
    lawn = Lawn(FLAT)
    whole = slice(None)
    passer = lawn.feet[len(lawn.feet) // 2] + (0.0, 0.1)
    for _ in range(90 // frames):
        lawn.advance(passer[None], frames, whole)
    away = lawn.feet[:, 0] - passer[0]
    beside = (np.abs(away) > 0.01) & (np.abs(away) < 0.3)
    assert beside.any()
    assert (np.sign(lawn.bent[beside]) == np.sign(away[beside])).all()
    assert 0.2 < np.abs(lawn.bent).max() < LAID
    assert (np.abs(lawn.bent[np.abs(away) > 0.6]) < 1e-9).all()
    swings = []
    for _ in range(300 // frames):
        lawn.advance(NOBODY, frames, whole)
        swings.append(lawn.bent[beside][0])
    assert min(swings) < 0.0 < max(swings)
    assert np.abs(lawn.bent).max() < 1e-3


@pytest.mark.parametrize("shift", [0.0, 3.7, -1000.0])
def test_grass_stands_on_gentle_ground_and_always_in_the_same_place(shift: float) -> None:
    chain = np.array(((-9.0, 2.0), (-3.0, 2.0), (-3.0, 0.0), (1.0, 0.5), (2.0, 4.0), (9.0, 4.0)))
    chain[:, 0] += shift
    lawn = Lawn(chain)
    mirrored = Lawn(chain[::-1])
    assert len(lawn.feet) > 20
    assert (lawn.feet == mirrored.feet).all()
    x, y = lawn.feet.T
    assert (np.diff(x) > 0.0).all()
    assert y == pytest.approx(np.interp(x, *chain.T), abs=1e-9)
    assert not ((x > shift + 1.0) & (x < shift + 2.0)).any()  # a slope of 3.5


def test_grass_below_an_overhang_stands_on_its_own_ground() -> None:
    chain = np.array(((-9.0, 3.8), (-4.0, 3.8), (-4.6, -0.8), (4.6, -0.8), (4.0, 3.8), (9.0, 3.8)))
    lawn = Lawn(chain)
    assert set(lawn.feet[:, 1].round(9)) == {3.8, -0.8}
    assert (np.diff(lawn.feet[:, 0]) >= 0.0).all()
    assert (
        len(Lawn(chain[2:4] * (0.01, 1.0)).feet)
        == len(Lawn(np.array(((0.0, 0.0), (0.1, 9.0)))).feet)
        == 0
    )


@pytest.mark.filterwarnings("ignore::ecs_softbody.FrozenBodyWarning")
def test_a_theme_with_grass_draws_it_and_a_body_with_nan_does_not_matter(sim: Simulation) -> None:
    sim.spawn(StaticCollider(FLAT))
    blob = sim.spawn(*blueprints.blob((2.0, 1.6), 0.5))
    counts = []
    for theme in (themes.SUMMER, themes.PAPER):
        picture = Picture(320, 180)
        painter = WorldPainter()
        for number in range(3):
            picture.clear(320, 180, View((0.0, 1.0), 9.0, 320, 180))
            picture.theme = theme
            sim.step()
            if number == 1:
                sim.get(blob, Particles).position[0] = np.nan
            painter.draw(sim, picture)
        counts.append(
            sum(
                mesh.vertex_count
                for mesh in picture.meshes.between(Layer.GROUND + 1, Layer.GROUND + 2)
            )
        )
        assert all(np.isfinite(mesh.vertices).all() for mesh in picture.meshes.between(0, 100))
    assert counts[0] > 100
    assert counts[1] == 0


@pytest.mark.parametrize("wall", [-0.4, 0.0, 0.5, 2.0])
def test_a_layer_ends_where_a_cliff_cuts_it_and_fades_below_higher_ground(wall: float) -> None:
    line = np.array(((-9.0, 3.0), (0.0, 3.0), (wall, 0.0), (9.0, 0.0)))
    upper, seen = into_cliffs(line, slice(0, 2), 1.0, 0.2)
    # the cliff at the height of its top
    assert upper[-1].tolist() == pytest.approx([0.3 * wall, 2.0])
    assert (np.diff(upper[:, 0]) >= 0.0).all()
    lower, shares = into_cliffs(line, slice(2, 4), 1.0, 0.2)
    assert lower[0].tolist() == [wall - FADING, -1.0]
    assert shares[0] == 0.0
    assert seen[1:-1].min() == shares[1:-1].min() == 1.0


def test_shades_lie_at_contacts_and_between_neighbours(sim: Simulation) -> None:
    assert len(places_of(Contacts.none())) == 0
    sim.spawn(StaticCollider(FLAT))
    box = sim.spawn(*blueprints.box((0.0, 1.5), (1.0, 1.0), rows=4))
    for _ in range(60):
        sim.step()
    contacts = sim.contacts.of(box)
    places = places_of(sim.contacts)
    assert len(places) > len(contacts) > 2
    assert np.abs(places[:, 1] - 1.0).max() < 0.05
    assert np.ptp(places[:, 0]) == pytest.approx(np.ptp(contacts.point[:, 0]), abs=1e-9)
    steps = np.diff(np.sort(places[:, 0]))
    assert steps.max() < 0.15  # one line, without gaps
