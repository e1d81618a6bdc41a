"""Water: its surface moves by what crosses it and comes to rest; what is below is bent."""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, Water, blueprints
from ecs_softbody.rendering import Picture, View, WorldPainter
from ecs_softbody.rendering.land.water import DOME, HIGHEST, Surface
from ecs_softbody.rendering.layers import Layer
from tests.helpers.internals import surfaces_of

QUIET = np.zeros((0, 2))


def test_a_surface_that_nothing_touches_is_level() -> None:
    water = Water(level=1.0, left=-4, right=4)
    surface = Surface(water)
    for _ in range(100):
        surface.advance(water, QUIET, QUIET, 1)
    assert (surface.height == 0.0).all()


@pytest.mark.parametrize("frames", [1, 3])
def test_what_falls_in_makes_waves_that_spread_and_calm_down(frames: int) -> None:
    water = Water(level=0.0, left=-6, right=6)
    surface = Surface(water)
    x = np.linspace(-0.4, 0.4, 9)
    falling = np.column_stack((x, 0.0 * x)), np.column_stack((0.0 * x, np.full(9, -4.0)))
    for _ in range(6):
        surface.advance(water, *falling, frames)
    dent = surface.height.copy()
    assert -HIGHEST <= dent.min() < -0.1
    assert np.argmin(dent) == pytest.approx(surface.columns / 2, abs=4)
    for _ in range(45 // frames):
        surface.advance(water, QUIET, QUIET, frames)
    # it has come this far
    assert np.abs(surface.at(np.array([-2.0, 2.0]))).max() > 0.005
    highest = np.abs(surface.height).max()
    for _ in range(900 // frames):
        surface.advance(water, QUIET, QUIET, frames)
    assert np.abs(surface.height).max() < 0.05 * highest


def test_a_tide_alone_makes_no_waves() -> None:
    water = Water(level=0.0, left=-6, right=6)
    surface = Surface(water)
    for _ in range(60):
        water.level += 0.01
        floating = np.array(((0.0, float(water.level)),))
        surface.advance(water, floating, np.array(((0.0, 0.6),)), 1)
    assert np.abs(surface.height).max() < 0.02


def vertices(sim: Simulation, picture: Picture, painter: WorldPainter) -> np.ndarray:
    picture.clear(640, 360, View((0.0, 0.0), 9.0, 640, 360))
    painter.draw(sim, picture)
    return np.concatenate(
        [mesh.vertices for mesh in picture.meshes.between(Layer.BODIES, Layer.BODIES + 1)]
    )


def test_bodies_are_bent_below_the_surface_only(sim: Simulation) -> None:
    body = sim.spawn(*blueprints.blob((0, 0), 1.0))
    picture = Picture(640, 360)
    painter = WorldPainter()
    dry = vertices(sim, picture, painter)
    sim.spawn(Water(level=0.0, left=-4, right=4))
    wet = vertices(sim, picture, painter)
    assert dry.shape == wet.shape
    above = dry[:, 1] > 181.0
    assert (wet[above, 0] == dry[above, 0]).all()
    moved = np.abs(wet[~above, 0] - dry[~above, 0])
    assert 0.2 < moved.max() < 4.0
    assert (wet[:, 1:] == dry[:, 1:]).all()
    sim.get(body, Particles).position[:] = np.nan
    assert np.isfinite(vertices(sim, picture, painter)).all()


def test_a_world_with_water_draws_the_same_twice() -> None:
    pictures = []
    for number in range(2):
        with Simulation(world=f"water-{number}") as made:
            made.spawn(Water(level=0.0, left=-4, right=4))
            made.spawn(*blueprints.box((0, 1.5), (0.8, 0.8), density=0.4))
            picture = Picture(320, 180)
            painter = WorldPainter()
            for _ in range(60):
                made.step()
                picture.clear(320, 180, View((0.0, 0.0), 9.0, 320, 180))
                painter.draw(made, picture)
            pictures.append(picture.triangles()[0].copy())
        made.close()
    assert np.array_equal(*pictures)


@pytest.mark.brief(6)
@pytest.mark.parametrize("radius", [1.0, 2.6])
@pytest.mark.parametrize("depth", [-0.3, 0.2, 0.6])
def test_a_blast_lifts_a_dome_and_waves_go_out_from_it(
    sim: Simulation, radius: float, depth: float
) -> None:
    sim.spawn(Water(level=0.0, left=-8.0, right=8.0))
    picture = Picture(320, 180)
    painter = WorldPainter()
    heights = []
    for frame in range(240):
        if frame == 20:
            sim.explode((1.0, -depth), radius=radius, impulse=10.0)
        sim.step()
        picture.clear(320, 180, View((0.0, 0.0), 9.0, 320, 180))
        painter.draw(sim, picture)
        painter.draw(sim, picture)  # a second picture of the same frame changes nothing
        (surface,) = surfaces_of(painter)
        heights.append(surface.height.copy())
    rows = np.array(heights)
    middle = int((1.0 + 8.0) / surface.step)
    assert not rows[:20].any()
    assert 0.1 < rows[20:60, middle].max() <= DOME
    assert rows.argmax() % surface.columns == pytest.approx(middle, abs=3)
    assert np.abs(rows.mean(axis=1)).max() < 0.02  # what rises was beside it
    assert np.abs(rows[120:, :10]).max() > 0.003
    assert np.abs(rows[-1]).max() < 0.1 * rows.max()


def test_the_last_explosions_are_told(sim: Simulation) -> None:
    for number in range(20):
        sim.explode((float(number), 2.0), radius=0.5, speed=1.0)
        sim.step()
    assert len(sim.explosions) == 16
    assert sim.explosions[-1] == (19, (19.0, 2.0), 0.5)
    with pytest.raises(ValueError, match=r"Simulation\.explode\.radius: -1"):
        sim.explode((0.0, 0.0), radius=-1.0)
    assert len(sim.explosions) == 16
