"""Boss: a body of gas that swells and rolls after the hero, and is soft on top when it is out of
breath.
"""

from __future__ import annotations

import numpy as np

from ecs_softbody import Character, Inflation, Particles
from ecs_softbody.play import Controls
from ecs_softbody.rendering import Layer, Look, Picture, palette
from ecs_softbody_games.jelly_platformer.course import Course
from ecs_softbody_games.jelly_platformer.rules.gates import Gates
from ecs_softbody_games.jelly_platformer.seen import is_seen

LOSS = 0.24
"""What each hit takes of its gas."""
FULL, EMPTY = 1.5, 0.55
"""Gas of a deep breath, and when it is out of breath, as a share of what it has left."""
BREATH = 3.2  # s, in which it is full for the first half
NORMAL = 0.45
"""A contact that points up more than this is on top of it."""
STUNNED = 1.4  # s after a hit in which it neither rolls nor bites
THROW = 10.0  # m/s, with which the hero leaves it


class Boss(Gates):
    """The boss has the tag "boss" and data `hits`, `left` and `right` [m], between which it rolls.

    All gates of the level open when it has burst.
    """

    def __init__(self, game: Course) -> None:
        super().__init__(game)
        scene = game.loaded
        assert scene is not None
        (self.entity,) = scene.tagged("boss")
        data = scene.data_of(scene.name_of(self.entity))
        sim = game.sim
        self.hits_left = self.hits = int(data["hits"])
        self.room = (float(data["left"]), float(data["right"]))
        self.body, self.character = sim.get(self.entity, Particles), sim.get(self.entity, Character)
        self.gas, self.look = sim.get(self.entity, Inflation), sim.get(self.entity, Look)
        self.place = np.array(self.body.position)
        self.time = 0.0
        self.stunned = 0.0
        self.bitten = False

    @property
    def is_open(self) -> bool:
        """Whether it has burst."""
        return self.hits_left == 0

    @property
    def hurts(self) -> bool:
        """Whether it has bitten."""
        return self.bitten

    @property
    def is_full(self) -> bool:
        """Whether it holds its breath: then it is hard, and nothing hurts it."""
        return self.stunned == 0.0 and self.time % BREATH < 0.5 * BREATH

    def update(self, controls: Controls, dt: float) -> None:
        """Breathe, and roll after the hero."""
        if self.is_open:
            return
        x = float(self.body.center[0])
        target = float(self.game.hero.position[0])
        awake = self.room[0] - 4.0 < target < self.room[1] + 4.0
        self.time += dt * awake
        self.stunned = max(0.0, self.stunned - dt)
        left = 1.0 - LOSS * (self.hits - self.hits_left)
        self.gas.target = left * (FULL if self.is_full else EMPTY)
        self.look.mood = "angry" if self.is_full else "hurt" if self.stunned else "calm"
        wanted = float(np.clip(target, *self.room)) - x
        chases = awake and self.stunned == 0.0 and abs(wanted) > 0.3
        self.character.move = float(np.sign(wanted)) if chases else 0.0

    def after_step(self, dt: float) -> None:
        """See what the hero's touch means."""
        super().after_step(dt)
        self.bitten = False
        if self.is_open or self.stunned > 0.0:
            return
        hero = self.game.hero
        contacts = self.game.sim.contacts.of(hero.entity)
        touch = contacts.entity_b == self.entity
        if not touch.any():
            return
        on_top = bool(contacts.normal[touch, 1].mean() > NORMAL)
        if not on_top:
            self.bitten = True
            return
        hero.launch(THROW)
        if self.is_full:
            self.game.sounds.play("bounce", pitch=0.8)
        else:
            self.hit()

    def hit(self) -> None:
        """Lose gas; burst with the last of it."""
        game = self.game
        at = (float(self.body.center[0]), float(self.body.position[:, 1].max()))
        self.hits_left -= 1
        self.stunned = STUNNED
        game.sounds.play("squish", pitch=0.6)
        game.sounds.play("pop", pitch=0.6)
        game.effects.burst(at, colour=palette.GOLD, strength=2.0)
        game.effects.ring(at, colour=palette.TEXT, radius=2.0)
        game.clock.hit_stop(0.07)
        game.camera.shake(0.6)
        if self.is_open:
            game.effects.crumbs(at, colour=palette.VIOLET, strength=5.0)
            game.effects.confetti(at)
            game.clock.slow_motion(0.3, 0.9)
            game.sim.despawn(self.entity)

    def is_due(self, name: str) -> bool:
        """Return whether a gate is to open."""
        return self.is_open

    def seen(self) -> dict[str, float]:
        """Return what the scripted player sees of it."""
        if self.is_open:
            return {"boss": 0.0, "gap": 0.0, "full": 0.0, "hits": 0.0}
        x = float(self.body.center[0])
        gap = abs(x - float(self.game.hero.position[0]))
        return {"boss": x, "gap": gap, "full": float(self.is_full), "hits": float(self.hits_left)}

    def appear(self) -> None:
        """Be where it began; what it has lost stays lost."""
        if not self.is_open:
            self.body.position[:] = self.place
            self.body.velocity[:] = 0.0
            self.time = 0.0
            self.stunned = 0.0

    def draw(self, picture: Picture, time: float) -> None:
        """Draw how often it has to be hit yet, above it."""
        super().draw(picture, time)
        if self.is_open:
            return
        x = float(self.body.center[0])
        top = float(self.body.position[:, 1].max()) + 0.6
        if not is_seen(picture, x - 0.5 * self.hits, x + 0.5 * self.hits):
            return
        for number in range(self.hits):
            place = (x + 0.5 * (number - 0.5 * (self.hits - 1)), top)
            fill = (
                palette.CORAL if number < self.hits_left else palette.faded(palette.TEXT_DIM, 0.4)
            )
            picture.disc(
                place,
                0.18,
                fill,
                outline=palette.darker(palette.CORAL),
                outline_width=2.0,
                layer=Layer.BODIES + 2,
            )
