"""World: turns a level into entities; remembers which ones the game asks about again."""

from __future__ import annotations

import esper
import numpy as np

from ecs_softbody import Drag, Simulation, StaticCollider, Wind, blueprints
from ecs_softbody.elementary import dot, length
from ecs_softbody.rendering import Look, palette
from ecs_softbody_games.jelly_platformer.grumps import Grump
from ecs_softbody_games.jelly_platformer.hero import GRAVITY
from ecs_softbody_games.jelly_platformer.levels.level import Ferry, Jelly, Level

AIR_DENSITY = 0.8  # kg/m³; the wind of 13.5 m/s lifts the hero at about 7 m/s
GROUND_FRICTION = 0.9
FERRY_THICKNESS = 0.4  # m
BRIDGE_THICKNESS = 0.3  # m
BRIDGE_DRAG = 0.4  # N·s/m of each particle: the bridge comes to rest


class World:
    """All that a level holds, except its hero, and its entities by what they are for.

    Args:
        level: the level.
        sim: what it is put into; the bodies of a scene file are there already.
    """

    def __init__(self, level: Level, sim: Simulation) -> None:
        self.level = level
        self.sim = sim
        sim.gravity = (0.0, -GRAVITY)
        self.ferries: list[tuple[Ferry, int]] = []
        self._spawn_ground()
        for bridge in level.bridges:
            self._spawn_bridge(bridge.start, bridge.end, bridge.slack)
        self.jellies = [(jelly, self._spawn_jelly(jelly)) for jelly in level.jellies]
        self.grumps = [Grump.spawn(self.sim, patrol) for patrol in level.grumps]
        for area in level.winds:
            self.sim.spawn(Wind(area.velocity, density=AIR_DENSITY, region=(area.low, area.high)))

    @property
    def pads(self) -> frozenset[int]:
        """The entities that throw up what lands on them."""
        return frozenset(entity for jelly, entity in self.jellies if jelly.kind == "pad")

    def move(self) -> None:
        """Let what moves by itself go on its way; before each step."""
        self._turn_ferries()
        for grump in self.grumps:
            if grump.alive:
                grump.patrol_on()

    def _turn_ferries(self) -> None:
        """Turn round each ferry that has reached an end of its way."""
        for ferry, entity in self.ferries:
            collider = self.ferry_collider(entity)
            start = np.array(ferry.start)
            way = np.subtract(ferry.end, ferry.start)
            share = float(dot(collider.vertices[0] - start, way) / dot(way, way))
            along = way / length(way)
            if share >= 1.0:
                collider.velocity = -ferry.speed * along
            elif share <= 0.0:
                collider.velocity = ferry.speed * along

    def ferry_collider(self, entity: int) -> StaticCollider:
        """Return where a ferry is: its first vertex is its upper left corner."""
        with self.sim:
            return esper.component_for_entity(entity, StaticCollider)

    def _spawn_ground(self) -> None:
        for chain in self.level.terrain:
            look = Look(style="ground", opacity=0.0 if self.level.tiles else 1.0)
            self.sim.spawn(StaticCollider(chain, friction=GROUND_FRICTION), look)
        for tiles in self.level.tiles:
            self.sim.spawn(tiles)
        for ledge in self.level.ledges:
            x, y = ledge.left
            plank = StaticCollider(
                [(x, y), (x + ledge.width, y)], friction=GROUND_FRICTION, one_way=(0.0, 1.0)
            )
            self.sim.spawn(plank, Look(style="platform", fill=palette.SAND))
        for ferry in self.level.ferries:
            x, y = ferry.start
            corners = [
                (0, 0),
                (0, -FERRY_THICKNESS),
                (ferry.width, -FERRY_THICKNESS),
                (ferry.width, 0),
            ]
            plank = StaticCollider(np.add(corners, (x, y)), closed=True, friction=GROUND_FRICTION)
            self.ferries.append(
                (ferry, self.sim.spawn(plank, Look(style="solid", fill=palette.STEEL)))
            )

    def _spawn_bridge(
        self, start: tuple[float, float], end: tuple[float, float], slack: float
    ) -> None:
        segments = int(length(np.subtract(end, start)) / BRIDGE_THICKNESS)
        body, springs, _, collider = blueprints.rope(
            start,
            end,
            segments=segments,
            mass=6.0,
            frequency=80.0,
            damping_ratio=0.08,
            slack=slack,
            pin_start=True,
            pin_end=True,
            friction=GROUND_FRICTION,
        )
        look = Look(style="rope", fill=palette.SAND)
        self.sim.spawn(body, springs, Drag(linear=BRIDGE_DRAG), collider, look)

    def _spawn_jelly(self, jelly: Jelly) -> int:
        (x, y) = jelly.foot
        (width, height) = jelly.size
        center = (x, y + 0.5 * height + 0.01)
        if jelly.kind == "ball":
            ball = blueprints.blob(
                center, 0.5 * width, particles=20, mass=0.5, pressure=50.0, friction=0.7
            )
            look = Look(fill=palette.PINK, style="body", eyes=2)
            return self.sim.spawn(*ball, look)
        rows = max(round(height / 0.3), 2) + 1
        columns = max(round(width / 0.3), 2) + 1
        stiff = {"crate": 26.0, "pillar": 22.0, "pad": 16.0}[jelly.kind]
        mass = width * height * (0.6 if jelly.kind == "crate" else 1.5)
        particles, *others = blueprints.box(
            center,
            (width, height),
            rows=rows,
            columns=columns,
            mass=mass,
            frequency=stiff,
            friction=GROUND_FRICTION,
        )
        particles.pinned[:columns] = jelly.kind != "crate"
        fill = {"crate": palette.AMBER, "pillar": palette.VIOLET, "pad": palette.TEAL}[jelly.kind]
        return self.sim.spawn(particles, *others, Look(fill=fill, style="body"))
