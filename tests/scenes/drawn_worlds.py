"""Worlds of blueprints and components that hypothesis builds, with everything that a scene file can
have.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
from hypothesis import strategies as st
from PIL import Image

from ecs_softbody import (
    Character,
    Collider,
    Magnet,
    Particles,
    Simulation,
    StaticCollider,
    Water,
    Wind,
    blueprints,
)
from ecs_softbody.rendering import Look, Skin
from ecs_softbody.rendering.world.look import Mood, Style
from tests.simulation.random_full_worlds import FullWorld
from tests.simulation.random_worlds import Drawn, World

COLOUR = st.tuples(*[st.integers(0, 255)] * 3)
LOOKS = st.builds(
    Look,
    fill=st.none() | COLOUR,
    outline=st.none() | COLOUR,
    style=st.sampled_from(get_args(Style)),
    eyes=st.integers(0, 2),
    mood=st.sampled_from(get_args(Mood)),
    opacity=st.floats(0.0, 1.0),
    shadow=st.booleans(),
    layer_offset=st.integers(-9, 9),
)


class DrawnWorld(FullWorld):
    """A world of every component, joint, field, sensor and look."""

    def __init__(
        self, draw: Callable[[st.SearchStrategy[Any]], Any], solver: str, pictures: Path
    ) -> None:
        self.draw = draw
        self.tame = False
        self.verbs = False
        self.pictures = pictures
        World.__init__(self, Drawn(draw), solver=solver)
        self.fields()
        self.sensors()
        for _ in range(self.choose.whole(0, 3)):
            self.joint()
        self.blueprint_joint()

    def body(self) -> list[Any]:
        parts = super().body()
        found = {type(part): part for part in parts}
        if self.choose.chance(0.3):
            parts.append(self.draw(LOOKS))
        if self.choose.chance(0.3):
            options = self.pick(
                (
                    {},
                    {"tile": self.power(0.1, 3.0)},
                    {"fit": "stretch", "angle": self.power(0.1, 3.0)},
                )
            )
            parts.append(Skin(self.pictures / self.pick(("one.png", "two.png")), **options))
        if Collider in found and self.choose.chance(0.2):
            parts.append(Character(speed=self.power(0.1, 9.0), jump_height=self.power(0.1, 3.0)))
        if self.choose.chance(0.2):
            rows = self.rows(found[Particles].row_count, 1, 3)
            parts.append(
                Magnet(
                    strength=self.choose.number(-3.0, 3.0), rows=rows, polarity=[-1.0] * len(rows)
                )
            )
        return parts

    def shape(self) -> list[Any]:
        """A body of any blueprint."""
        x = self.choose.number(-2.0, 2.0)
        y = self.choose.number(0.5, 4.0)
        size = self.choose.number(0.3, 1.5)
        made: tuple[Callable[[], Any], ...] = (
            lambda: super(DrawnWorld, self).shape(),
            lambda: blueprints.cloth((x, y), (size, size), rows=3, columns=4),
            lambda: blueprints.polygon([(x, y), (x + size, y), (x, y + size)], spacing=0.4 * size),
            lambda: blueprints.rod((x, y), (x + size, y), segments=self.choose.whole(2, 5)),
            lambda: blueprints.wheel((x, y), 0.5 * size, particles=self.choose.whole(6, 12)),
        )
        return list(self.pick(made)())

    def sensors(self) -> None:
        choose = self.choose
        for _ in range(choose.whole(0, 2)):
            corners = [(0.0, 0.0), (choose.number(0.5, 2.0), 0.0), (0.0, choose.number(0.5, 2.0))]
            look = [self.draw(LOOKS)] if choose.chance(0.5) else []
            self.sim.spawn(
                StaticCollider(corners, closed=True, sensor=True, category=choose.whole(1, 7)),
                *look,
            )
        if choose.chance(0.3):
            self.sim.spawn(Water(0.5, left=-1.0, right=2.0), Wind((1.0, 0.0)), self.draw(LOOKS))
        if choose.chance(0.3):
            self.sim.spawn(Magnet(strength=2.0, position=self.velocity(3.0)))

    def blueprint_joint(self) -> None:
        """A hinge or an axle between the first two bodies."""
        if len(self.entities) < 2 or not self.choose.chance(0.4):
            return
        a, b = self.entities[:2]
        place = self.sim.get(b, Particles).position.mean(axis=0)
        with self.sim:
            if self.choose.chance(0.5):
                parts = blueprints.hinge(a, b, place)
            else:
                parts = blueprints.axle(a, b, place, speed=self.choose.number(-5.0, 5.0))
        self.sim.spawn(*parts)


def paint_pictures(folder: Path) -> None:
    """Make the pictures that skins of the worlds may have."""
    for name, size in (("one.png", (8, 4)), ("two.png", (5, 9))):
        Image.fromarray(np.full((*size, 4), 200, np.uint8)).save(folder / name)


@st.composite
def drawn_worlds(draw: Callable[[st.SearchStrategy[Any]], Any], pictures: Path) -> Simulation:
    """A strategy of simulations."""
    return DrawnWorld(draw, draw(st.sampled_from(["saturated", "xpbd"])), pictures).sim
