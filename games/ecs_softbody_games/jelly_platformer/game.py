"""JellyPlatformer: the rules of the game."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ecs_softbody import Contacts
from ecs_softbody.play import FRAME, Axis, Button, Controls, Game, say
from ecs_softbody.rendering import Picture, palette, themes
from ecs_softbody_games.jelly_platformer import hollow, meadow
from ecs_softbody_games.jelly_platformer.autopilot import Autopilot
from ecs_softbody_games.jelly_platformer.backdrop import Backdrop
from ecs_softbody_games.jelly_platformer.hero import HARD_LANDING, RADIUS, RUN_SPEED, Hero, Wish
from ecs_softbody_games.jelly_platformer.hud import draw_hud
from ecs_softbody_games.jelly_platformer.level import Hazard, Level, Point
from ecs_softbody_games.jelly_platformer.scenery import Scenery, Streaks
from ecs_softbody_games.jelly_platformer.second_chance import BY_COIN, BY_TIME, FULL, BestRun, SecondChance
from ecs_softbody_games.jelly_platformer.world import World

GAME_NUMBERS = itertools.count(1)
"""Each game has an esper world of its own, so that several can be played side by side."""
LIVES = 3
COIN_REACH = RADIUS + 0.3  # m
LAMP_REACH = 0.9  # m
PAD_SPEED = 14.5  # m/s
STOMP_SPEED = 9.0  # m/s
LOST_TIME = 0.9  # s between a misfortune and the next try
CLOSING = 0.25  # s in which the picture closes before it
STOMP_STOP, DEATH_STOP = 0.05, 0.07  # s for which the world stands still
SAFE_TIME = 1.0  # s after it in which nothing hurts
CHEER_TIME = 1.1  # s between the flag and the end
VIEW_HEIGHT = 9.6  # m
LOOK_UP = 0.9  # m by which the camera looks above the hero
SLACK_UP, SLACK_DOWN = 1.9, 0.4  # m that the hero may leave its ground before the camera follows


class JellyPlatformer(Game):
    """A jelly that rolls and jumps to the flag."""

    name: ClassVar[str] = "jelly-platformer"
    theme = themes.DUSK
    best_result: ClassVar[tuple[str, str]] = ("time", "{:.1f} s")
    title: ClassVar[str] = "Jelly platformer"
    tagline: ClassVar[str] = "Roll, bounce and fly to the flag"
    actions: ClassVar[Mapping[str, Axis | Button]] = {
        "move": Axis("left a pad_left", "right d pad_right", "stick_x"),
        "jump": Button("space", "up", "w", "pad_a", "pad_b"),
        "rewind": Button("z", "shift", "pad_x", "pad_lb"),
    }
    keys: ClassVar[list[tuple[str, str]]] = [
        ("move", "roll"),
        ("jump", "jump, hold it to go higher"),
        ("rewind", "turn time back"),
    ]
    impact_effects: ClassVar[bool] = False  # the rules below say what is heard

    parts: ClassVar[Sequence[Any]] = meadow.PARTS
    levels: ClassVar[Sequence[str]] = (meadow.FILE, hollow.FILE) if hollow.can_be_read() else (meadow.FILE,)

    def __init__(self, level: Level | None = None) -> None:
        super().__init__()
        self.given = level
        self.world_name = f"{self.name} {next(GAME_NUMBERS)}"

    def start(self) -> None:
        """Build the level and put the hero at its start."""
        self.level = self.given or self._read_level(self.current_level)
        self.close()
        self.outcome = None
        self.effects.clear()
        self.theme = themes.POND_LIFE if self.level.tiles else themes.DUSK
        self.world = World(self.level, self.world_name)
        self.sim = self.world.sim
        self.hero = Hero.spawn(self.sim, self.level.start)
        self.scenery, self.backdrop = Scenery(self.level), Backdrop()
        self.streaks = [Streaks(wind.low, wind.high, wind.velocity) for wind in self.level.winds]
        self.pilot = Autopilot(self.world, self.hero)
        self.chance, self.best = SecondChance(self), BestRun(self._ghost_path)
        self.lives, self.time = LIVES, 0.0
        self.coins_left = list(self.level.coins)
        self.checkpoint = -1
        self.lost_for = self.safe_for = self.cheer_for = 0.0
        self.last_coin = -9.0
        self.combo = 0
        self.pressing_pad = False
        self.camera_ground = self.level.start[1]
        self.camera.height = VIEW_HEIGHT
        self.camera.limits = self.level.view
        self.camera.jump_to(self._camera_goal())

    def _read_level(self, file: str) -> Level:
        read = hollow.level_of_map if file.endswith(".tmj") else meadow.level_of
        return read(Path(file).name, *self.scene_source.read(file, self.parts))

    @property
    def coins(self) -> int:
        """How many coins the hero has."""
        return len(self.level.coins) - len(self.coins_left)

    @property
    def home(self) -> Point:
        """Where the hero appears next."""
        if self.checkpoint < 0:
            return self.level.start
        x, y = self.level.checkpoints[self.checkpoint]
        return x, y + RADIUS + 0.1

    @property
    def has_next_level(self) -> bool:
        """Whether another level follows; a level that was given is the only one."""
        return self.given is None and super().has_next_level

    @property
    def best_time(self) -> str:
        """Under what the best time of this level is kept."""
        return f"time {self.level_number + 1}" if self.level_number else "time"

    @property
    def playing(self) -> bool:
        """Whether keys move the hero."""
        return self.outcome is None and self.lost_for == 0.0 and self.cheer_for == 0.0

    def update(self, controls: Controls, dt: float) -> None:
        """Move the hero by the keys, and what moves by itself, or turn time back."""
        turned = dt > 0.0 and self._turn_back(wanted=controls.is_held("rewind"))
        self.hero.jumped, self.hero.landed = False, 0.0
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
                self.saves.keep_best(self.best_time, self.time, better="lower")
                self.best.finish(self.time)
                self.hero.rest()
        elif self.outcome is None:
            self.time += dt
            self.chance.add(BY_TIME * dt)
            wish = Wish(controls.axis("move"), controls.was_pressed("jump"), controls.is_pressed("jump"))
            self.hero.control(wish)

    def after_step(self, dt: float) -> None:
        """See what the hero has reached."""
        hero = self.hero
        self.safe_for = max(0.0, self.safe_for - dt)
        hero.drift(floating=any(wind.contains(hero.position) for wind in self.level.winds))
        contacts = self.sim.contacts.of(hero.entity)
        if self.playing and not self.chance.turning:
            if hero.jumped:
                self.sounds.play("hop")
                self.effects.splash(self._feet(), colour=palette.lighter(palette.GREEN), strength=0.4)
            bitten = self._meet_grumps(contacts)
            self._land()
            rolling = abs(float(hero.velocity[0])) / RUN_SPEED if hero.grounded else 0.0
            self.sounds.hum("roll", volume=0.35 * min(rolling, 1.0), pitch=0.6 + 0.5 * rolling)
            self._collect()
            self._reach()
            if hero.position[1] < self.level.bottom or (self.safe_for == 0.0 and (bitten or self._is_hurt())):
                self._lose_life()
        blink = self.safe_for > 0.0 and int(self.safe_for * 12.0) % 2 == 0
        hero.look.opacity = 0.45 if blink and self.flashes else 1.0
        hero.look.outline = palette.TEXT if self.safe_for > 0.0 and not self.flashes else None
        if self.lost_for == 0.0:
            self.camera.follow(self._camera_goal(), (hero.velocity[0], 0.0), dt=dt)
        if self.outcome is None and self.cheer_for == 0.0:
            self.chance.note()
        self.best.note(self.sim, hero.entity, self.time)

    def _turn_back(self, *, wanted: bool) -> bool:
        """Go back in time where the player wants it; the clock of the run goes on. Return whether time has turned."""
        time, began = self.time, not self.chance.turning
        if self.outcome is not None or self.cheer_for > 0.0 or not self.chance.turn(wanted):
            return False
        self.time = time + FRAME
        if began:
            self.sounds.play("pop", pitch=0.5)
        return True

    @property
    def _ghost_path(self) -> Path | None:
        """Where the best run through this level is kept; None as long as nothing is."""
        level = re.sub(r"[^A-Za-z0-9._-]+", "-", self.level.name)
        return None if self.saves.path is None else self.saves.path.with_name(f"{self.name}-{level}.ghost")

    def draw(self, picture: Picture, alpha: float) -> None:
        """Add the scenery, the coins and the numbers."""
        time = self.sim.time + (alpha - 1.0) / 60.0
        self.backdrop.draw(picture)
        if self.outcome is None and self.time > 0.0:
            self.best.draw(picture, self.time + (alpha - 1.0) * FRAME)
        raised = 1.0 - self.cheer_for / CHEER_TIME if self.cheer_for > 0.0 else float(self.outcome == "won")
        self.scenery.draw(picture, time, self.coins_left, self.checkpoint, raised)
        if self.time > 0.0:
            self.scenery.draw_signs(picture, {action: self.key_text(action) for action in self.actions})
        for streaks in self.streaks:
            streaks.draw(picture, time)
        draw_hud(
            picture, coins=self.coins, all_coins=len(self.level.coins), lives=self.lives, most_lives=LIVES,
            time=self.time, best=self.best.time, charge=self.chance.charge / FULL, ready=self.chance.is_ready,
            turning=self.chance.turning,
        )  # fmt: skip

    def outcome_text(self) -> str:
        """Return how it went."""
        coins = say("platformer.coins", coins=self.coins, all=len(self.level.coins))
        if self.outcome == "won":
            fastest = self.saves.get(self.best_time, self.time)
            best = "" if fastest >= self.time else f" · {say('platformer.best', time=fastest)}"
            return f"{say('platformer.seconds', time=self.time)} · {coins}{best}"
        return f"{coins} · {say('platformer.lives', lives=LIVES)}"

    def autopilot(self) -> Controls:
        """Return what the scripted player does in this frame."""
        return self.pilot.controls()

    def _camera_goal(self) -> Point:
        """Return where to look: jumps leave the height alone, new ground does not."""
        x, y = (float(value) for value in self.hero.position)
        if self.hero.grounded:
            self.camera_ground += 0.12 * (y - self.camera_ground)
        self.camera_ground = min(max(self.camera_ground, y - SLACK_UP), y + SLACK_DOWN)
        return x, self.camera_ground + LOOK_UP

    def _feet(self) -> Point:
        positions = self.hero.particles.position
        return float(positions[:, 0].mean()), float(positions[:, 1].min())

    def _land(self) -> None:
        """Let landings be heard, and pads throw."""
        hero = self.hero
        on_pad = bool(hero.ground_entities & self.world.pads)
        if on_pad and hero.landed > 1.0:
            self.pressing_pad = True
        if self.pressing_pad and hero.velocity[1] > -0.5:
            hero.launch(PAD_SPEED)
            self.sounds.play("bounce", pitch=1.3)
            self.effects.ring(self._feet(), colour=palette.TEAL, radius=0.9)
            self.pressing_pad = False
        elif hero.landed > HARD_LANDING:
            self.sounds.play("squish", volume=min(1.0, hero.landed / 12.0))
            strength = hero.landed / 9.0
            self.effects.splash(self._feet(), colour=palette.lighter(palette.GREEN), strength=strength)
            if strength > 1.0:
                self.effects.crumbs(self._feet(), normal=(0.0, 1.0), colour=palette.GREEN, strength=strength - 0.8)
            self.camera.shake(0.05 * hero.landed - 0.3)

    def _collect(self) -> None:
        middle = self.hero.position
        for coin in [coin for coin in self.coins_left if np.hypot(*(middle - coin)) < COIN_REACH]:
            self.coins_left.remove(coin)
            self.combo = self.combo + 1 if self.time - self.last_coin < 0.8 else 0
            self.last_coin = self.time
            self.chance.add(BY_COIN)
            self.sounds.play("coin", pitch=1.0 + 0.08 * min(self.combo, 8))
            self.effects.burst(coin, colour=palette.GOLD, strength=0.6)
            self.effects.rising_text("+1", coin, colour=palette.GOLD)

    def _reach(self) -> None:
        """Light lamps, and reach the flag."""
        middle = self.hero.position
        for number, lamp in enumerate(self.level.checkpoints):
            if number > self.checkpoint and abs(middle[0] - lamp[0]) < LAMP_REACH and -0.5 < middle[1] - lamp[1] < 3.0:
                self.checkpoint = number
                self.sounds.play("pop")
                self.effects.ring((lamp[0], lamp[1] + 1.5), colour=palette.GOLD, radius=1.1)
                self.effects.rising_text("checkpoint", (lamp[0], lamp[1] + 2.0), colour=palette.GOLD, size=24.0)
        flag = self.level.flag
        if abs(middle[0] - flag[0]) < LAMP_REACH and -0.5 < middle[1] - flag[1] < 4.0:
            self.cheer_for = CHEER_TIME
            self.hero.look.mood = "happy"
            self.sounds.play("pop", pitch=0.7)
            for colour, height in ((palette.GOLD, 1.0), (palette.PINK, 1.8), (palette.TEAL, 2.6)):
                self.effects.burst((flag[0], flag[1] + height), colour=colour, strength=1.6)
            self.effects.confetti((flag[0], flag[1] + 2.4))

    def _meet_grumps(self, contacts: Contacts) -> bool:
        """Burst the grumps that the hero lands on; return whether one has bitten."""
        bitten = False
        for grump in self.world.grumps:
            meeting = grump.met(contacts, self.hero.fall_speed)
            bitten = bitten or meeting == "bitten"
            if meeting == "stomped":
                grump.alive = False
                self.sim.despawn(grump.entity)
                middle = grump.position
                self.hero.launch(STOMP_SPEED)
                self.sounds.play("pop")
                self.effects.burst(middle, colour=palette.CORAL, strength=1.2)
                self.effects.crumbs(middle, colour=palette.CORAL, strength=2.0)
                self.clock.hit_stop(STOMP_STOP)
                self.camera.kick((0.0, -1.0))
                self.effects.rising_text("splat!", middle, colour=palette.lighter(palette.CORAL))
                self.camera.shake(0.35)
        return bitten

    def _is_hurt(self) -> bool:
        return any(self._is_in(hazard) for hazard in self.level.hazards)

    def _is_in(self, hazard: Hazard) -> bool:
        inset = 0.12 if hazard.kind == "spikes" else 0.0
        positions = self.hero.particles.position
        low, high = np.add(hazard.low, (inset, 0.0)), np.subtract(hazard.high, (inset, inset))
        return bool(((positions > low - (0.0, 0.5)) & (positions < high)).all(axis=1).any())

    def _lose_life(self) -> None:
        self.lives -= 1
        self.lost_for = LOST_TIME
        self.pressing_pad = False
        self.sounds.play("hurt")
        middle = self.hero.position
        left, bottom, right, _ = self.camera.visible
        seen = (min(max(middle[0], left), right), max(middle[1], bottom + 0.6))  # a fall ends below the picture
        self.effects.crumbs(
            seen, normal=(0.0, 1.0) if seen[1] > middle[1] else None, colour=palette.GREEN, strength=2.5
        )
        self.effects.splash(seen, colour=palette.lighter(palette.GREEN), strength=2.0)
        self.effects.flash(palette.CORAL, 0.25)
        self.clock.hit_stop(DEATH_STOP)
        self.clock.after(LOST_TIME - 1.3 * CLOSING, lambda: self.effects.wipe(seen, closing=True, seconds=CLOSING))
        self.camera.shake(0.8)
        self.rumble(0.7, 0.25)
        self.hero.look.style = "none"
        self.hero.freeze()

    def _try_again(self) -> None:
        self.lost_for = 0.0
        if self.lives == 0:
            self.outcome = "lost"
            return
        self.hero.appear(self.home)
        self.hero.look.style = "body"
        self.camera_ground = self.home[1]
        self.camera.jump_to(self._camera_goal())
        self.safe_for = SAFE_TIME
        self.effects.wipe(self.home, closing=False)
        self.effects.ring(self.home, colour=palette.lighter(palette.GREEN), radius=0.9)
