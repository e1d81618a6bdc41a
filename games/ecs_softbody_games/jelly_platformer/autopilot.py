"""Autopilot: a scripted player.

It looks at the level and at the hero, and presses the keys that a player has.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import esper
import numpy as np

from ecs_softbody import Particles
from ecs_softbody.play import Controls
from ecs_softbody_games.jelly_platformer.grumps import Grump
from ecs_softbody_games.jelly_platformer.hero import FALL_PULL, GRAVITY, RADIUS, Hero
from ecs_softbody_games.jelly_platformer.levels.level import Ferry, Jelly
from ecs_softbody_games.jelly_platformer.levels.script import AUTO, TO, Script
from ecs_softbody_games.jelly_platformer.rules import Rule
from ecs_softbody_games.jelly_platformer.world import World

EDGE = 0.7  # m before an edge at which to jump
SPIKES = 1.4
SOFT = 1.7
AIM = 3.2  # m from which to aim at something soft to land on
PATIENCE = 20  # frames of standing still before jumping anyway
LEAD = 0.25  # s
LONG_PRESS = 34  # frames
FALL = GRAVITY + FALL_PULL  # m/s²


class Autopilot:
    """Runs to the right, jumps where it must, aims at what is soft, and rides the ferries."""

    def __init__(
        self, world: World, hero: Hero, script: Script | None = None, rules: Sequence[Rule] = ()
    ) -> None:
        self.rules = rules
        self.script = script or Script(())
        self.world = world
        self.hero = hero
        self.x = self.y = 0.0
        self._press = 0
        self._still = 0
        self._before: set[str] = set()

    def controls(self) -> Controls:
        """Return the keys of this frame."""
        hero = self.hero
        self.x, self.y = (float(value) for value in hero.position)
        seen = self._seen()
        for rule in self.rules:
            seen |= rule.seen()
        held = self.script.keys(seen)
        for key in [key for key in held if key.startswith(TO)]:
            goal = key.removeprefix(TO)
            held = (held - {key}) | self._towards(seen[goal] if goal in seen else float(goal))
        if AUTO in held:
            held = self._run() | (held - {AUTO})
        controls = Controls(
            held=set(held), pressed=held - self._before, released=self._before - held
        )
        self._before = held
        return controls

    def _seen(self) -> dict[str, float]:
        """Return what conditions of scripts may ask about."""
        hero = self.hero
        (vx, vy) = self.hero.velocity
        character = hero.character
        return {
            "x": self.x, "y": self.y, "vx": float(vx), "vy": float(vy), "time": hero.sim.time,
            "ground": float(hero.grounded), "stuck": float(character.sticking),
            "wet": float(character.submerged),
        }  # fmt: skip

    def _run(self) -> set[str]:
        """Return the keys of one who runs to the right and jumps."""
        hero = self.hero
        held = self._steer()
        if self._press > 0:
            self._press -= 1
        elif hero.may_jump and "right" in held and self._should_jump():
            self._press = LONG_PRESS
        if self._press > 0:
            held.add("space")
        return held

    def _steer(self) -> set[str]:
        """Run right; wait for ferries and ride in their middle; in the air, come down on pads and
        pillars.
        """
        for ferry, entity in self.world.ferries:
            goal = self._place_at_ferry(ferry, entity)
            if goal is not None:
                return self._towards(goal)
        hero = self.hero
        if not hero.grounded and not hero.boosted and self._press < LONG_PRESS - 8:
            for x in [jelly.foot[0] for jelly, _ in self._things("pad", "pillar")]:
                if -0.3 < x - self.x < AIM:
                    return self._towards(x + 0.2)
            for grump in self.world.grumps:
                if grump.alive and -0.3 < grump.position[0] - self.x < AIM:
                    return self._onto(grump)
        if self._bounces_towards_an_edge():
            return {"left"}
        return {"right"}

    def _onto(self, grump: Grump) -> set[str]:
        """Come down on a grump, or well before it where it is too far."""
        (x, y) = grump.position - (self.x, self.y)
        (vx, vy) = grump.velocity - self.hero.velocity
        drop = max(-y - RADIUS, 0.0)
        short = x + vx * (math.sqrt(vy * vy + 2.0 * FALL * drop) - vy) / FALL
        return {"left"} if short < -0.3 or 0.7 < short < 2.0 else {"right"}

    def _bounces_towards_an_edge(self) -> bool:
        """Return whether the hero is just above the ground, cannot jump,
        and soon has none below.
        """
        hero = self.hero
        floor = self.world.level.ground_height(self.x)
        low = floor is not None and self.y - floor < 1.0
        return low and hero.velocity[1] <= 0.0 and not hero.may_jump and self._is_edge_within(1.8)

    def _is_edge_within(self, distance: float) -> bool:
        return any(0.0 < edge - self.x < distance for edge in self._edges())

    def _place_at_ferry(self, ferry: Ferry, entity: int) -> float | None:
        """Return where to stand [m] because of a ferry, or None."""
        left = float(self.world.ferry_collider(entity).vertices[0, 0])
        near = ferry.start[0] - 0.8
        far = ferry.end[0] + ferry.width + 0.8
        if near - 2.0 < self.x < near and left > near + 1.6:
            return near - 1.0
        if near < self.x < far - 1.5 and far - left - ferry.width > 1.7:
            return left + 0.6 * ferry.width
        return None

    def _towards(self, goal: float) -> set[str]:
        ahead = goal - self.x - LEAD * float(self.hero.velocity[0])
        return {"right"} if ahead > 0.15 else {"left"} if ahead < -0.15 else set()

    def _things(self, *kinds: str) -> list[tuple[Jelly, int]]:
        return [(jelly, entity) for jelly, entity in self.world.jellies if jelly.kind in kinds]

    def _should_jump(self) -> bool:
        hero = self.hero
        level = self.world.level
        if self._is_edge_within(EDGE):
            return True
        ledges = [(ledge.left[0] + ledge.width, ledge.left[1]) for ledge in level.ledges[:-1]]
        if any(0.0 < x - self.x < EDGE and 0.0 < self.y - y < 1.0 for x, y in ledges):
            return True
        spikes = [hazard.low for hazard in level.hazards if hazard.kind == "spikes"]
        if any(0.3 < x - self.x < SPIKES and abs(self.y - y) < 2.0 for x, y in spikes):
            return True
        pillars = [entity for jelly, entity in self._things("pillar") if self.x > jelly.foot[0]]
        if pillars and not hero.ground_entities.isdisjoint(pillars):
            return True
        if any(
            0.3 < low[0] - self.x < SOFT and high > self.y - 0.3 for low, high in self._soft_boxes()
        ):
            return True
        self._still = self._still + 1 if abs(hero.velocity[0]) < 0.3 else 0
        return self._still > PATIENCE

    def _edges(self) -> list[float]:
        """Return the right ends of all ground [m], but for those where a bridge begins, and the
        shores of acid.
        """
        level = self.world.level
        bridges = [bridge.start[0] for bridge in level.bridges]
        ends = [chain[-1][0] for chain in level.terrain if chain[-1][1] < level.bottom]
        dry = [end for end in ends if all(abs(end - start) > 0.5 for start in bridges)]
        return dry + [hazard.low[0] for hazard in level.hazards if hazard.kind == "acid"]

    def _soft_boxes(self) -> list[tuple[tuple[float, float], float]]:
        """Return lower left corner and top of every crate, ball, pad and grump [m]."""
        with self.world.sim:
            things = self._things("crate", "ball", "pad")
            positions = [
                esper.component_for_entity(entity, Particles).position for _, entity in things
            ]
        positions += [grump.particles.position for grump in self.world.grumps if grump.alive]
        return [
            ((float(p[:, 0].min()), float(p[:, 1].min())), float(np.max(p[:, 1])))
            for p in positions
        ]
