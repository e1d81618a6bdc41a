"""Tints: the colours of many bodies, found at once, are those that the palette gives one by one."""

import random

import numpy as np

from ecs_softbody import Simulation, blueprints
from ecs_softbody.rendering import Look, Picture, View, WorldPainter, palette
from ecs_softbody.rendering.world.lines import disc_tints


def some_colours(count: int) -> list[palette.Colour]:
    drawn = random.Random(4)
    return [tuple(drawn.randrange(256) for _ in range(drawn.choice((3, 4)))) for _ in range(count)]


def test_a_table_of_colours_is_mixed_as_each_of_them() -> None:
    colours = some_colours(500)
    shares = np.linspace(0.0, 1.0, len(colours))
    table = palette.table_of(colours)
    made = palette.shares_of(
        palette.all_faded(palette.all_lighter(table, shares[:, None]), shares[::-1])
    )
    dark = palette.shares_of(palette.all_darker(table, 0.52))
    for row, colour in enumerate(colours):
        alone = palette.faded(palette.lighter(colour, float(shares[row])), float(shares[::-1][row]))
        np.testing.assert_array_equal(made[row], palette.rgba(alone))
        np.testing.assert_array_equal(dark[row], palette.rgba(palette.darker(colour, 0.52)))


def test_a_disc_has_the_colours_of_the_palette() -> None:
    fill = (200, 90, 40, 180)
    edge = (12, 30, 60, 255)
    light = palette.faded(palette.lighter(fill, 0.42), 0.75 * 180 / 255)
    glint = palette.faded((255, 255, 255), 0.6 * 180 / 255)
    body = palette.darker(fill, 0.10)
    spot = palette.darker(fill, 0.34)
    asked = [palette.rgba(colour) for colour in (edge, body, spot, light, glint)]
    np.testing.assert_array_equal(
        disc_tints(palette.table_of([fill]), palette.table_of([edge]))[0], asked
    )


def test_a_crowd_that_glows_looks_the_same_however_often_it_was_drawn() -> None:
    """A kick makes a whole crowd glow: colours that were found one by one took 5 ms of that
    picture.
    """
    sim = Simulation()
    looks = []
    for number in range(60):
        looks.append(Look(fill=(4 * number, 250 - 4 * number, 90), shadow=False))
        sim.spawn(
            *blueprints.ball((0.4 * (number % 10) - 2.0, 0.4 * (number // 10)), 0.15), looks[-1]
        )
    painter = WorldPainter()
    view = View((0.0, 1.2), 4.0, 320, 180)
    for step in range(40):
        for number, look in enumerate(looks):
            look.glow = (number + step) % 33 / 32
        often = Picture(320, 180, view)
        first = Picture(320, 180, view)
        painter.draw(sim, often)
        WorldPainter().draw(sim, first)
        vertices = often.triangles()[0]
        assert len(vertices) > 60
        np.testing.assert_array_equal(vertices, first.triangles()[0])
