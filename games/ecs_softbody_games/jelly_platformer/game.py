"""JellyPlatformer: the rules of the game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from ecs_softbody import Contacts
from ecs_softbody.play import FRAME, Axis, BestRun, Button, Controls, say
from ecs_softbody.rendering import Picture, palette, themes
from ecs_softbody_games.jelly_platformer.autopilot import Autopilot
from ecs_softbody_games.jelly_platformer.backdrop import Backdrop
from ecs_softbody_games.jelly_platformer.bubble import Bubble
from ecs_softbody_games.jelly_platformer.course import Course
from ecs_softbody_games.jelly_platformer.feedback import Feedback
from ecs_softbody_games.jelly_platformer.hero import RADIUS, Hero, Wish
from ecs_softbody_games.jelly_platformer.hud import draw_hud
from ecs_softbody_games.jelly_platformer.levels.level import Point, is_within
from ecs_softbody_games.jelly_platformer.levels.script import Script
from ecs_softbody_games.jelly_platformer.masonry import walls_of
from ecs_softbody_games.jelly_platformer.rules import RULES
from ecs_softbody_games.jelly_platformer.scenery import Scenery, Streaks, Told
from ecs_softbody_games.jelly_platformer.second_chance import (
    BY_COIN,
    BY_TIME,
    FULL,
    SecondChance,
    draw_ghost,
)
from ecs_softbody_games.jelly_platformer.world import World

COIN_REACH = RADIUS + 0.3  # m
LAMP_REACH = 0.9  # m
PAD_SPEED = 14.5  # m/s
STOMP_SPEED = 9.0  # m/s
LOST_TIME = 0.9  # s between a misfortune and the next try
SAFE_TIME = 1.0  # s after it in which nothing hurts
CHEER_TIME = 1.1  # s between the flag and the end
# At least this height and width [m] are seen.
VIEW_HEIGHT = 9.6
NARROWEST = 7.5
LOOK_UP = 0.9  # m by which the camera looks above the hero
# The hero may leave its ground by this distance [m] before the camera follows.
SLACK_UP = 1.9
SLACK_DOWN = 0.4


class JellyPlatformer(Course):
    """A jelly that rolls and jumps to the flag."""

    name: ClassVar[str] = "jelly-platformer"
    theme = themes.DUSK
    best_result: ClassVar[tuple[str, str]] = ("time", "{:.1f} s")
    title: ClassVar[str] = "Jelly platformer"
    tagline: ClassVar[str] = "Roll, bounce and fly to the flag"
    actions: ClassVar[Mapping[str, Axis | Button]] = {
        "move": Axis("left a pad_left", "right d pad_right", "stick_x"),
        "jump": Button("space", "up", "w", "pad_a", "pad_b"),
        "soft": Button("down", "s", "pad_rb"),
        "swell": Button("x", "e", "pad_rt"),
        "rewind": Button("z", "shift", "pad_x", "pad_lb"),
    }
    keys: ClassVar[list[tuple[str, str]]] = [
        ("move", "roll"),
        ("jump", "jump, hold it to go higher"),
        ("rewind", "turn time back"),
    ]
    impact_effects: ClassVar[bool] = False  # the rules below say what is heard

    def start(self) -> None:
        """Build the level and put the hero at its start."""
        self.effects.clear()
        self.level = self.open_level()
        self.world = World(self.level, self.sim)
        self.hero = Hero.spawn(self.sim, self.level.start)
        self.scenery = Scenery(self.level, walls_of(self.sim, self.level.terrain))
        self.backdrop = Backdrop()
        self.streaks = [Streaks(wind.low, wind.high, wind.velocity) for wind in self.level.winds]
        self.chance, self.run = SecondChance(self), BestRun(self.saves, self.level.name)
        self.falls = 0
        self.time = 0.0
        self.bubble = Bubble()
        self.coins_left, self.secrets_left = list(self.level.coins), list(self.level.secrets)
        self.checkpoint = -1
        self.lost_for = self.safe_for = self.cheer_for = 0.0
        self.pressing_pad = False
        self.feedback = Feedback(self)
        self.rules = [RULES[name](self) for name in self.level.rules]
        self.pilot = Autopilot(self.world, self.hero, Script(self.level.script), self.rules)
        own = [key for rule in self.rules for key in rule.keys]
        self.keys = [*type(self).keys[:2], *own, *type(self).keys[2:]]  # type: ignore[misc]  # those of this level
        self.camera_ground = self.level.start[1]
        self.camera.height = self._view_height
        self.camera.limits = self.level.view
        self.camera.jump_to(self._camera_goal())

    @property
    def coins(self) -> int:
        """How many coins the hero has."""
        return len(self.level.coins) - len(self.coins_left)

    @property
    def secrets(self) -> int:
        """How many gems the hero has found."""
        return len(self.level.secrets) - len(self.secrets_left)

    @property
    def home(self) -> Point:
        """Where the hero appears next."""
        if self.checkpoint < 0:
            return self.level.start
        x, y = self.level.checkpoints[self.checkpoint]
        return x, y + RADIUS + 0.1

    @property
    def playing(self) -> bool:
        """Whether keys move the hero."""
        return self.outcome is None and self.lost_for == 0.0 and self.cheer_for == 0.0

    def update(self, controls: Controls, dt: float) -> None:
        """Move the hero by the keys, and what moves by itself, or turn time back."""
        turned = dt > 0.0 and self._turn_back(wanted=controls.is_held("rewind"))
        self.hero.jumped = False
        self.hero.landed = 0.0
        self.world.move()
        if turned:
            return
        if self.lost_for > 0.0:
            self.lost_for -= dt
            if self.lost_for <= 0.0:
                self._try_again()
        elif self.cheer_for > 0.0:
            self.cheer_for -= dt
            beside = self.level.flag[0] + 0.8 - float(self.hero.position[0])
            self.hero.control(Wish(run=float(np.clip(beside, -0.4, 0.4)), jump=self.hero.grounded))
            if self.cheer_for <= 0.0:
                self.outcome = "won"
                self.keep(self.time, self.coins, self.secrets)
                self.run.finish(self.time)
                self.hero.rest()
        elif self.outcome is None:
            self.time += dt
            self.chance.add(BY_TIME * dt)
            wish = Wish(
                controls.axis("move"), controls.was_pressed("jump"), controls.is_pressed("jump")
            )
            self.hero.control(wish)
            for rule in self.rules:
                rule.update(controls, dt)
            if self.bubble.carry(self.hero, jump=wish.jump):
                self.sounds.play("hop", pitch=1.3)

    def after_step(self, dt: float) -> None:
        """See what the hero has reached."""
        hero = self.hero
        self.safe_for = max(0.0, self.safe_for - dt)
        place = hero.position
        hero.drift(floating=any(wind.contains(place) for wind in self.level.winds))
        contacts = self.sim.contacts.of(hero.entity)
        if self.playing and not self.chance.turning:
            self.feedback.roll()
            bitten = self._meet_grumps(contacts)
            self._land()
            for rule in self.rules:
                rule.after_step(dt)
            self._collect()
            self._reach()
            if hero.position[1] < self.level.bottom or (
                self.safe_for == 0.0 and (bitten or self._is_hurt())
            ):
                self.lose()
        blink = self.safe_for > 0.0 and int(self.safe_for * 12.0) % 2 == 0
        hero.look.opacity = 0.45 if blink and self.flashes else 1.0
        hero.look.outline = palette.TEXT if self.safe_for > 0.0 and not self.flashes else None
        self.camera.zoom_to(self._view_height)
        if self.lost_for == 0.0:
            self.camera.follow(self._camera_goal(), (hero.velocity[0], 0.0), dt=dt)
        if self.outcome is None and self.cheer_for == 0.0:
            self.chance.note()
        if round(self.time / FRAME) > self.run.frames:  # its clock went on
            self.run.note(self.sim, hero.entity)

    def _turn_back(self, *, wanted: bool) -> bool:
        """Go back in time where the player wants it; the clock of the run goes on.

        Return whether time has turned.
        """
        time = self.time
        began = not self.chance.turning
        if self.outcome is not None or self.cheer_for > 0.0 or not self.chance.turn(wanted):
            return False
        self.time = time + FRAME
        if began:
            self.sounds.play("pop", pitch=0.5)
        return True

    def draw(self, picture: Picture, alpha: float) -> None:
        """Add the scenery, the coins and the numbers."""
        time = self.sim.time + (alpha - 1.0) / 60.0
        self.backdrop.draw(picture)
        if self.outcome is None and self.time > 0.0:
            draw_ghost(self.run.ghost, picture, self.time + (alpha - 1.0) * FRAME)
        raised = (
            1.0 - self.cheer_for / CHEER_TIME
            if self.cheer_for > 0.0
            else float(self.outcome == "won")
        )
        self.scenery.draw(
            picture, time, [self.coins_left, self.secrets_left], self.checkpoint, raised
        )
        if self.time > 0.0:
            self.scenery.draw_signs(picture, lambda: Told(self.key_text))
        for streaks in self.streaks:
            streaks.draw(picture, time)
        for rule in self.rules:
            rule.draw(picture, time)
        self.bubble.draw(picture, self.hero, time)
        draw_hud(
            picture,
            coins=self.coins,
            all_coins=len(self.level.coins),
            secrets=self.secrets,
            all_secrets=len(self.level.secrets),
            time=self.time,
            best=self.run.time,
            charge=self.chance.charge / FULL,
            ready=self.chance.is_ready,
            turning=self.chance.turning,
        )

    def outcome_text(self) -> str:
        """Return how it went."""
        coins = say("platformer.coins", coins=self.coins, all=len(self.level.coins))
        gems = len(self.level.secrets)
        found = f" · {say('platformer.secrets', secrets=self.secrets, all=gems)}" if gems else ""
        fastest = self.saves.number(self.kept_as("time"), self.time, low=0.0)
        best = "" if fastest >= self.time else f" · {say('platformer.best', time=fastest)}"
        return f"{say('platformer.seconds', time=self.time)} · {coins}{found}{best}"

    def autopilot(self) -> Controls:
        """Return what the scripted player does in this frame."""
        return self.pilot.controls()

    @property
    def _view_height(self) -> float:
        """How much is seen in a window of this shape [m]."""
        return max(VIEW_HEIGHT, NARROWEST / self.camera.aspect)

    def _camera_goal(self) -> Point:
        """Return where to look: jumps leave the height alone, new ground does not."""
        x, y = (float(value) for value in self.hero.position)
        if self.hero.grounded:
            self.camera_ground += 0.12 * (y - self.camera_ground)
        self.camera_ground = min(max(self.camera_ground, y - SLACK_UP), y + SLACK_DOWN)
        return x, self.camera_ground + LOOK_UP

    def _land(self) -> None:
        """Let landings be heard, and pads throw."""
        hero = self.hero
        on_pad = bool(hero.ground_entities & self.world.pads)
        if on_pad and hero.landed > 1.0:
            self.pressing_pad = True
        if self.pressing_pad and hero.velocity[1] > -0.5:
            hero.launch(PAD_SPEED)
            self.feedback.thrown()
            self.pressing_pad = False
        else:
            self.feedback.land(hero.landed)

    def _collect(self) -> None:
        middle = self.hero.position.tolist()
        for coin in [coin for coin in self.coins_left if is_within(middle, coin, COIN_REACH)]:
            self.coins_left.remove(coin)
            self.chance.add(BY_COIN)
            self.feedback.coin(coin)
        for gem in [gem for gem in self.secrets_left if is_within(middle, gem, COIN_REACH)]:
            self.secrets_left.remove(gem)
            self.feedback.secret(gem)

    def _reach(self) -> None:
        """Light lamps, and reach the flag."""
        middle = self.hero.position.tolist()
        for number, lamp in enumerate(self.level.checkpoints):
            if (
                number > self.checkpoint
                and abs(middle[0] - lamp[0]) < LAMP_REACH
                and -0.5 < middle[1] - lamp[1] < 3.0
            ):
                self.checkpoint = number
                self.bubble.burst()
                self.feedback.lamp(lamp)
        flag = self.level.flag
        is_open = all(rule.is_open for rule in self.rules)
        if is_open and abs(middle[0] - flag[0]) < LAMP_REACH and -0.5 < middle[1] - flag[1] < 4.0:
            self.cheer_for = CHEER_TIME
            self.feedback.flag(flag)

    def _meet_grumps(self, contacts: Contacts) -> bool:
        """Burst the grumps that the hero lands on; return whether one has bitten."""
        bitten = False
        for grump in self.world.grumps:
            meeting = grump.met(contacts, self.hero.fall_speed)
            bitten = bitten or meeting == "bitten"
            if meeting == "stomped":
                grump.alive = False
                self.sim.despawn(grump.entity)
                self.hero.launch(STOMP_SPEED)
                self.feedback.stomp(tuple(grump.position))
        return bitten

    def _is_hurt(self) -> bool:
        positions = self.hero.particles.position
        low = positions.min(axis=0).tolist()
        high = positions.max(axis=0).tolist()
        return any(rule.hurts for rule in self.rules) or any(
            hazard.is_near(low, high) and hazard.hurts(positions) for hazard in self.level.hazards
        )

    def lose(self) -> None:
        """Let a misfortune happen: after a moment the hero is at the last lamp again."""
        self.falls += 1
        self.lost_for = LOST_TIME
        self.pressing_pad = False
        self.feedback.lost(LOST_TIME)
        for rule in self.rules:
            rule.lose()
        self.hero.look.style = "none"
        self.hero.freeze()

    def _try_again(self) -> None:
        self.lost_for = 0.0
        self.hero.appear(self.home)
        self.hero.look.style = "body"
        for rule in self.rules:
            rule.appear()
        self.pilot.script.resume(self.checkpoint + 1)
        self.camera_ground = self.home[1]
        self.camera.jump_to(self._camera_goal())
        self.safe_for = SAFE_TIME
        self.feedback.appear(self.home)
        if self.bubble.fail():
            self.feedback.help(self.home)
