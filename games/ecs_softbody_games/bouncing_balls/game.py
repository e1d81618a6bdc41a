"""BouncingBalls: the game itself, keys to switches and numbers to the screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from ecs_softbody.elementary import power_of
from ecs_softbody.play import Controls, Game, say
from ecs_softbody.rendering import Picture, palette, themes
from ecs_softbody_games.bouncing_balls import hud
from ecs_softbody_games.bouncing_balls.challenge_hud import challenge_result, draw_challenge
from ecs_softbody_games.bouncing_balls.challenges import CHALLENGES, Challenge
from ecs_softbody_games.bouncing_balls.crowd import Crowd
from ecs_softbody_games.bouncing_balls.demo import Demo
from ecs_softbody_games.bouncing_balls.impacts import Impacts
from ecs_softbody_games.bouncing_balls.meters import Meters
from ecs_softbody_games.bouncing_balls.players import player_of
from ecs_softbody_games.bouncing_balls.settings import FLUIDS, RESTITUTIONS, Settings
from ecs_softbody_games.bouncing_balls.table import PARTS, Lane, Marble, all_of
from ecs_softbody_games.stars import MOST, best_stars, draw_won_stars, keep_stars

ARROWS = ("down", "up", "left", "right")
REPEAT_AFTER = 20
REPEAT_EVERY = 3
"""Frames that + or - is held before it repeats, and between two of its bodies then."""
CARD_EDGE = 0.4
"""Room around the walls on the card of the menu [m]."""
FAILURES = 2
"""After so many a challenge shows a hint."""
TOYS = {"mouse": ("mouse", "throw"), "gravity": ("↑ ↓ ← →", "gravity"), "kick": ("space", "kick")}
"""The key of each toy in a challenge, and what it does."""


class BouncingBalls(Game):
    """A room full of balls and blobs; throw them, and switch gravity, drag and elasticity while
    they fly.
    """

    name: ClassVar[str] = "bouncing-balls"
    theme = themes.PAPER
    group: ClassVar[str] = "toys"
    title: ClassVar[str] = "Bouncing balls"
    tagline: ClassVar[str] = "Throw them, and switch the laws of nature"
    keys: ClassVar[list[tuple[str, str]]] = [
        ("mouse", "throw"),
        ("↑ ↓ ← →", "gravity"),
        ("space", "kick all"),
        ("T", "collision table"),
        ("C", "challenges"),
    ]
    more_keys: ClassVar[list[tuple[str, str]]] = [
        ("+ -", "bodies"),
        ("G D E", "gravity off, drag, bounce"),
    ]
    """The panel shows them beside what they change."""
    levels: ClassVar[Sequence[Any]] = ("sandbox", *CHALLENGES)
    best_result: ClassVar[tuple[str, str]] = ("challenges", f"{{:.0f}} / {len(CHALLENGES)}")
    start_view = (-6.6, -0.2, 6.6, 1.9)
    scene: ClassVar[str] = "room.toml"
    parts: ClassVar[Sequence[Any]] = PARTS
    drag_with_mouse: ClassVar[bool] = True
    impact_effects: ClassVar[bool] = False
    challenge: Challenge | None = None
    """The one that is played; None in the sandbox."""
    _player: Iterator[Controls] | None = None

    def __init__(self) -> None:
        super().__init__()
        self.failures = [0] * len(self.levels)

    @property
    def opened_levels(self) -> int:
        """How many of the map are open: all."""
        return len(self.levels)

    def best_of(self, number: int) -> float | None:
        """Return the player's best result in a challenge, None for none."""
        return self.saves.number(f"challenge {number}", None, low=0.0)

    def level_words(self, number: int) -> tuple[str, str]:
        """Return what is to be done in a challenge, and the best result."""
        if number == 0:
            return say("balls.sandbox"), ""
        best = self.best_of(number)
        kind = self.levels[number]
        return say(f"balls.{kind.key}"), "" if best is None else challenge_result(kind, best)

    def start(self) -> None:
        """Open the room, and put its first bodies there."""
        super().start()
        assert self.loaded is not None
        self.first_bodies = int(self.loaded.data["bodies"])
        self.lanes, self.marbles = all_of(self.loaded, Lane), all_of(self.loaded, Marble)
        self.effects.clear()
        self.settings = Settings()
        self.crowd = Crowd(self.sim, self.settings, self.loaded["room"])
        self.on_table = False
        self.demo = Demo()
        self.held_frames = 0
        self._last_direction = "down"
        self._shape = (0.0, 0.0)
        left, bottom, right, top = self.crowd.bounds
        self.card_view = (left - CARD_EDGE, bottom - CARD_EDGE, right + CARD_EDGE, top + CARD_EDGE)
        kind = self.levels[self.level_number] if self.level_number else None
        toys = frozenset(TOYS) if kind is None else kind.toys
        self.drag_with_mouse = "mouse" in toys  # type: ignore[misc]
        self.challenge = None
        self._player = None
        self.keys, self.more_keys = type(self).keys, type(self).more_keys  # type: ignore[misc]
        if kind is None:
            self._fill_room()
        else:
            own = [TOYS[toy] for toy in sorted(toys)]
            self.keys = [*own, ("R", "again"), ("C", "next challenge")]  # type: ignore[misc]
            self.more_keys = []  # type: ignore[misc]
            self._begin_challenge(kind)

    def _begin_challenge(self, kind: type[Challenge]) -> None:
        self.meters = Meters()
        self.impacts = Impacts()
        self.settings = self.crowd.settings = replace(kind.switches)
        self.challenge = kind(self.crowd)
        self.crowd.apply_settings()
        self._look_at_room()

    def _fill_room(self) -> None:
        self.meters = Meters()
        self.impacts = Impacts()
        for _ in range(self.first_bodies):
            self.crowd.add_random()
        self._look_at_room()
        self.meters.update(self.crowd, 0)

    def update(self, controls: Controls, dt: float) -> None:
        """Turn keys into switches and bodies."""
        self._look_at_room()
        if controls.was_pressed("c"):
            self.choose_level((self.level_number + 1) % len(self.levels))
        toys = frozenset(TOYS) if self.challenge is None else self.challenge.toys
        if "gravity" in toys:
            self._gravity_keys(controls)
        if "kick" in toys and controls.was_pressed("space"):
            self._kick()
        if self.challenge is None:
            self._sandbox_keys(controls)

    def _sandbox_keys(self, controls: Controls) -> None:
        """Turn the keys that no challenge has into switches and bodies."""
        self._count_keys(controls)
        if controls.was_pressed("d"):
            self.settings.fluid_level = (self.settings.fluid_level + 1) % len(FLUIDS)
            self._switched()
        if controls.was_pressed("e"):
            self.settings.restitution_level = (self.settings.restitution_level + 1) % len(
                RESTITUTIONS
            )
            self._switched()
        if controls.was_pressed("t"):
            self._change_scene()

    def _kick(self) -> None:
        self.crowd.kick()
        self.camera.shake(0.8)
        self.sounds.play("hop", volume=0.7, pitch=0.7)
        if self.challenge is not None:
            self.challenge.kicks += 1

    def after_step(self, dt: float) -> None:
        """Show the hits, and measure."""
        self.impacts.update(self.crowd, self.sim.contacts, self.effects, self.sounds)
        self.meters.update(self.crowd, self.impacts.pairs)
        if self.challenge is not None and self.outcome is None:
            self._judge(self.challenge)

    def _judge(self, challenge: Challenge) -> None:
        """Tell what gets done, and see whether the challenge is met or lost."""
        before = challenge.done
        challenge.follow()
        if challenge.most < 10 and challenge.done > before:
            self.sounds.play("coin")
        if challenge.won:
            keep_stars(self, challenge.stars)
            self.saves.keep_best(
                f"challenge {self.level_number}", challenge.result, better="lower", low=0.0
            )
            stars = [
                self.saves.whole(f"stars {number + 1}", 0, 0, MOST)
                for number in range(1, len(self.levels))
            ]
            self.saves["challenges"] = sum(count > 0 for count in stars)
            self.failures[self.level_number] = 0
            self.outcome = "won"
        elif challenge.lost:
            self.failures[self.level_number] += 1
            self.outcome = "lost"

    def outcome_text(self) -> str:
        """Return how well a challenge was met, or how it was lost."""
        if self.challenge is None:
            return ""
        if self.outcome == "lost":
            return say(
                "balls.late" if self.challenge.time >= self.challenge.limit else "balls.fell"
            )
        return challenge_result(self.challenge, self.challenge.result)

    def draw(self, picture: Picture, alpha: float) -> None:
        """Add the numbers, and on the table what each ball is."""
        self._look_at_room()
        hud.draw_trails(picture, self.crowd, alpha)
        if self.challenge is not None:
            self._draw_challenge(picture, self.challenge)
            return
        hud.draw_panel(picture, self.crowd, self.settings, self.meters)
        if self.on_table:
            hud.draw_table(picture, self.crowd, self.lanes)
        elif not self.crowd.bodies:
            hud.draw_hint(picture, self.crowd, "Press + for bodies")

    def _draw_challenge(self, picture: Picture, challenge: Challenge) -> None:
        challenge.draw(picture)
        best = self.best_of(self.level_number)
        number = self.level_number
        stars = challenge.stars if self.outcome is None else best_stars(self)
        draw_challenge(
            picture, challenge, best, helped=self.failures[number] >= FAILURES, won=stars
        )
        if self.outcome == "won":
            draw_won_stars(picture, challenge.stars)

    def autopilot(self) -> Controls:
        """Play the demo, or the challenge."""
        if self.challenge is not None:
            self._player = self._player or player_of(self.challenge)
            return next(self._player)
        return self.demo.controls(self.crowd)

    def _count_keys(self, controls: Controls) -> None:
        if not controls.is_held("plus", "minus"):
            self.held_frames = 0
            return
        held_long = self.held_frames >= REPEAT_AFTER and self.held_frames % REPEAT_EVERY == 0
        if self.held_frames == 0 or held_long:
            if controls.is_held("plus"):
                self._add()
            else:
                self._remove()
        self.held_frames += 1

    def _add(self) -> None:
        body = self.crowd.add_random()
        if body is None:
            if self.held_frames == 0:
                self.effects.rising_text("The room is full", (0.0, 4.0), colour=palette.BAD)
            return
        self.effects.ring(
            body.place,
            radius=1.8 * body.radius,
            colour=palette.lighter(body.look.fill or palette.TEXT),
        )
        self.sounds.play("pop", volume=0.35, pitch=1.25 / power_of(body.mass, 0.25))

    def _remove(self) -> None:
        body = self.crowd.remove_last()
        if body is None:
            return
        self.effects.burst(body.place, colour=body.look.fill or palette.TEXT, strength=0.6)
        self.sounds.play("pop", volume=0.35, pitch=0.8 / power_of(body.mass, 0.25))

    def _gravity_keys(self, controls: Controls) -> None:
        for direction in ARROWS:
            if controls.was_pressed(direction) and self.settings.direction != direction:
                self.settings.direction = self._last_direction = direction
                self._switched()
        if controls.was_pressed("g"):
            off = self.settings.direction == "off"
            self.settings.direction = self._last_direction if off else "off"
            self._switched()

    def _switched(self) -> None:
        self.crowd.apply_settings()
        self.sounds.play("click", volume=0.5)

    def _change_scene(self) -> None:
        """Go from the room to the collision table, or back."""
        self.on_table = not self.on_table
        self.crowd.clear()
        self.effects.clear()
        if self.on_table:
            self.settings.direction = "off"
            self.settings.fluid_level = 0
            self.settings.restitution_level = len(RESTITUTIONS) - 1
        else:
            defaults = Settings()
            self.settings.direction = defaults.direction
            self.settings.fluid_level = defaults.fluid_level
            self.settings.restitution_level = defaults.restitution_level
        self._last_direction = "down"
        self._switched()
        if self.on_table:
            self.meters = Meters()
            self.impacts = Impacts()
            for marble in self.marbles:
                self.crowd.add(marble.place, marble.mass, velocity=marble.velocity)
        else:
            self._fill_room()

    def _look_at_room(self) -> None:
        """Show the whole room beside the numbers, whatever the shape of the window."""
        shape = (self.camera.screen_height * self.camera.aspect, self.camera.screen_height)
        if shape == self._shape:
            return
        self._shape = shape
        height, center = hud.view_of_room(self.crowd.bounds, *shape)
        self.camera.limits = None
        self.camera.height = height
        self.camera.jump_to(center)
