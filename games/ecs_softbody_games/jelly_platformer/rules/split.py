"""Split: blades cut the hero in two, both parts do what the player wants, and flow together where
they touch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ecs_softbody import Particles
from ecs_softbody.play import Controls
from ecs_softbody.rendering import Layer, Picture, palette
from ecs_softbody_games.jelly_platformer.course import Course
from ecs_softbody_games.jelly_platformer.hero import COLOUR
from ecs_softbody_games.jelly_platformer.rules.rule import Rule
from ecs_softbody_games.jelly_platformer.seen import is_seen

PUSH = 2.2  # m/s with which the parts leave each other
APART = 1.0  # s for which two parts stay apart
EDGE = 0.15  # m that a blade is within the hero before it cuts
ASIDE = 0.06  # m from the middle at which it cuts at most
REACH = 1.5  # m above and below the hero that a cut goes


class Split(Rule):
    """A blade has the tag "blade" and data `at`, its tip [m], and `to`, its other end [m]."""

    def __init__(self, game: Course) -> None:
        super().__init__(game)
        scene = game.loaded
        assert scene is not None
        given = [scene.data_of(scene.name_of(blade)) for blade in scene.tagged("blade")]
        self.blades: list[tuple[Any, Any]] = [
            (np.array(one["at"]), np.array(one["to"])) for one in given
        ]
        self.since = 0.0
        """How long the hero has been in two parts [s]."""

    def update(self, controls: Controls, dt: float) -> None:
        """Cut a hero who is in one part and meets a blade."""
        hero = self.game.hero
        self.since += dt
        if hero.others:
            return
        (left, bottom) = hero.particles.position.min(axis=0)
        (right, top) = hero.particles.position.max(axis=0)
        x = float(hero.position[0])
        for tip, end in self.blades:
            low, high = sorted((tip[1], end[1]))
            if left + EDGE < tip[0] < right - EDGE and bottom < high and top > low:
                self.cut(min(max(float(tip[0]), x - ASIDE), x + ASIDE))
                return

    def cut(self, x: float) -> None:
        """Cut the hero from top to bottom."""
        hero = self.game.hero
        sim = self.game.sim
        y = float(hero.position[1])
        cuts = sim.cut((x, y - REACH), (x, y + REACH), entity=hero.entity)
        if not cuts:
            return
        self.game.effects.cut_edges.add(sim, cuts[0].pieces)
        parts = sorted(cuts[0].pieces, key=lambda part: -sim.get(part, Particles).center[0])
        for part, way in zip(parts, (1.0, -1.0), strict=False):
            sim.get(part, Particles).velocity += (way * PUSH, 0.0)
        hero.become(parts[0])
        hero.others = list(parts[1:])
        self.since = 0.0
        self.game.sounds.play("pop", pitch=1.5)
        self.game.effects.crumbs((x, y), colour=COLOUR, strength=1.5)
        self.game.clock.hit_stop(0.05)

    def after_step(self, dt: float) -> None:
        """Let parts that touch flow together."""
        hero = self.game.hero
        if hero.others and self.since > APART:
            touched = set(self.game.sim.contacts.of(hero.entity).entity_b.tolist())
            if touched & set(hero.others):
                self.merge()

    @property
    def hurts(self) -> bool:
        """Whether a part is lost."""
        return any(part.center[1] < self.game.level.bottom for part in self.game.hero.parts)

    def merge(self) -> None:
        """Make the hero whole again, where its parts are."""
        hero = self.game.hero
        sim = self.game.sim
        if not hero.others:
            return
        masses = [float(part.mass.sum()) for part in hero.parts]
        centers, speeds = (
            [getattr(part, name) for part in hero.parts] for name in ("center", "velocity")
        )
        middle = np.average(centers, axis=0, weights=masses)
        velocity = np.average([speed.mean(axis=0) for speed in speeds], axis=0, weights=masses)
        old = [hero.entity, *hero.others]
        mood = hero.look.style
        x, y = (float(value) for value in middle)
        hero.others = []
        hero.become(sim.spawn(*hero.body((x, y + 0.12))))
        hero.particles.velocity[:] = velocity
        hero.look.style = mood
        for part in old:
            sim.despawn(part)
        self.game.sounds.play("squish", pitch=1.3)
        self.game.effects.ring((x, y), colour=palette.lighter(COLOUR), radius=0.9)

    def lose(self) -> None:
        """Be whole at once: there is one hero to appear again."""
        self.merge()

    def draw(self, picture: Picture, time: float) -> None:
        """Draw the blades."""
        for tip, end in self.blades:
            if not is_seen(picture, *sorted((tip[0], end[0]))):
                continue
            side = np.array((0.22, 0.0))
            steel = palette.lighter(palette.STEEL, 0.5)
            picture.polygon(
                [tip, end - side, end + side],
                steel,
                outline=palette.darker(steel),
                outline_width=2.0,
                layer=Layer.DECOR,
            )
