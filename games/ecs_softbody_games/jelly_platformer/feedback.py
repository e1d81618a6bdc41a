"""Feedback: what is seen and heard of what happens to the hero; no rule is in it."""

from __future__ import annotations

from ecs_softbody.play import say
from ecs_softbody.rendering import palette
from ecs_softbody_games.jelly_platformer.course import Course
from ecs_softbody_games.jelly_platformer.hero import COLOUR, HARD_LANDING, RUN_SPEED
from ecs_softbody_games.jelly_platformer.levels.level import Point

# The world stands still for these times [s].
STOMP_STOP = 0.05
DEATH_STOP = 0.07
CLOSING = 0.25  # s in which the picture closes before the next try
LIGHT = palette.lighter(COLOUR)


class Feedback:
    """Sounds, drops, rings and shakes of one game."""

    def __init__(self, game: Course) -> None:
        self.game = game
        self.last_coin = -9.0
        self.combo = 0

    @property
    def feet(self) -> Point:
        """The lowest place of the hero [m]."""
        positions = self.game.hero.particles.position
        return float(positions[:, 0].mean()), float(positions[:, 1].min())

    def roll(self) -> None:
        """Let it be heard that the hero rolls, and jumps."""
        game = self.game
        if game.hero.jumped:
            game.sounds.play("hop")
            game.effects.splash(self.feet, colour=LIGHT, strength=0.4)
        rolling = abs(float(game.hero.velocity[0])) / RUN_SPEED if game.hero.grounded else 0.0
        game.sounds.hum("roll", volume=0.35 * min(rolling, 1.0), pitch=0.6 + 0.5 * rolling)

    def land(self, speed: float) -> None:
        """Show a landing at a speed [m/s], where it is a hard one."""
        if speed <= HARD_LANDING:
            return
        game = self.game
        strength = speed / 9.0
        game.sounds.play("squish", volume=min(1.0, speed / 12.0))
        game.effects.splash(self.feet, colour=LIGHT, strength=strength)
        if strength > 1.0:
            game.effects.crumbs(
                self.feet, normal=(0.0, 1.0), colour=COLOUR, strength=strength - 0.8
            )
        game.camera.shake(0.05 * speed - 0.3)

    def thrown(self) -> None:
        """Show that a pad throws the hero up."""
        self.game.sounds.play("bounce", pitch=1.3)
        self.game.effects.ring(self.feet, colour=palette.TEAL, radius=0.9)

    def coin(self, at: Point) -> None:
        """Show a coin that was taken; several in a row sound higher and higher."""
        game = self.game
        self.combo = self.combo + 1 if game.time - self.last_coin < 0.8 else 0
        self.last_coin = game.time
        game.sounds.play("coin", pitch=1.0 + 0.08 * min(self.combo, 8))
        game.effects.burst(at, colour=palette.GOLD, strength=0.6)
        game.effects.rising_text("+1", at, colour=palette.GOLD)

    def secret(self, at: Point) -> None:
        """Show a gem that was found."""
        game = self.game
        game.sounds.play("coin", pitch=0.7)
        game.sounds.play("pop", pitch=1.4)
        game.effects.burst(at, colour=palette.VIOLET, strength=1.8)
        game.effects.ring(at, colour=palette.lighter(palette.VIOLET), radius=1.2)
        game.effects.rising_text(
            say("platformer.secret"), at, colour=palette.lighter(palette.VIOLET), size=30.0
        )

    def lamp(self, foot: Point) -> None:
        """Show a lamp that was lit."""
        game = self.game
        game.sounds.play("pop")
        game.effects.ring((foot[0], foot[1] + 1.5), colour=palette.GOLD, radius=1.1)
        game.effects.rising_text(
            "checkpoint", (foot[0], foot[1] + 2.0), colour=palette.GOLD, size=24.0
        )

    def flag(self, foot: Point) -> None:
        """Show that the flag is reached."""
        game = self.game
        game.hero.look.mood = "happy"
        game.sounds.play("pop", pitch=0.7)
        for colour, height in ((palette.GOLD, 1.0), (palette.PINK, 1.8), (palette.TEAL, 2.6)):
            game.effects.burst((foot[0], foot[1] + height), colour=colour, strength=1.6)
        game.effects.confetti((foot[0], foot[1] + 2.4))

    def stomp(self, at: Point) -> None:
        """Show a grump that bursts."""
        game = self.game
        game.sounds.play("pop")
        game.effects.burst(at, colour=palette.CORAL, strength=1.2)
        game.effects.crumbs(at, colour=palette.CORAL, strength=2.0)
        game.clock.hit_stop(STOMP_STOP)
        game.camera.kick((0.0, -1.0))
        game.effects.rising_text("splat!", at, colour=palette.lighter(palette.CORAL))
        game.camera.shake(0.35)

    def lost(self, seconds: float) -> None:
        """Show a misfortune; the picture closes before the next try, so many seconds from now."""
        game = self.game
        middle = self.game.hero.position
        game.sounds.play("hurt")
        left, bottom, right, _ = game.camera.visible
        # A fall ends below the picture.
        seen = (min(max(middle[0], left), right), max(middle[1], bottom + 0.6))
        normal = (0.0, 1.0) if seen[1] > middle[1] else None
        game.effects.crumbs(seen, normal=normal, colour=COLOUR, strength=2.5)
        game.effects.splash(seen, colour=LIGHT, strength=2.0)
        game.effects.flash(palette.CORAL, 0.25)
        game.clock.hit_stop(DEATH_STOP)
        game.clock.after(
            seconds - 1.3 * CLOSING, lambda: game.effects.wipe(seen, closing=True, seconds=CLOSING)
        )
        game.camera.shake(0.8)
        game.rumble(0.7, 0.25)

    def appear(self, at: Point) -> None:
        """Show that the hero is there again."""
        self.game.effects.wipe(at, closing=False)
        self.game.effects.ring(at, colour=LIGHT, radius=0.9)

    def help(self, at: Point) -> None:
        """Say that there is a bubble."""
        self.game.sounds.play("pop", pitch=0.8)
        self.game.effects.rising_text(
            say("platformer.help"), (at[0], at[1] + 1.2), colour=palette.TEXT, size=26.0
        )
