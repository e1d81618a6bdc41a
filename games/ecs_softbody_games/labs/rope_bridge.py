"""Rope bridge: planks on joints that break. Drop crates on it until it does."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import esper
import numpy as np

from ecs_softbody import Attachment, Particles, blueprints
from ecs_softbody.play import Controls
from ecs_softbody.rendering import Layer, Look, Picture, palette, themes
from ecs_softbody_games.labs.lab import Act, Lab

PLANKS = 9
LEFT, RIGHT, DECK = -4.3, 4.3, 3.8
"""Ends of the bridge and its height [m]."""
SAG = 0.9
"""How far the middle hangs below the ends [m]."""
THICK, EDGE = 0.16, 0.05
"""Of a plank, and of the skin around its particles [m]."""
PLANK_MASS, AIR = 1.0, 0.12
"""Mass of a plank [kg], and how air brakes each of its particles [N·s/m]."""
STRENGTH = 340.0
"""Force that the joints in the middle carry [N]; those at the cliffs carry twice as much."""
CRATE_MASS, CRATE_SIZE = 3.0, 0.62
DROP_HEIGHT = 5.0
MOST_CRATES = 24
BREAK_STOP, SLOW_FALL = 0.06, 0.5
"""For so long [s] the world stands still when the first joint breaks, and is slow after that."""
WORRYING = 0.55
"""Share of what a joint carries from which the camera leans in on it."""
CREAKING = 55
"""Frames between two creaks of a bridge that is near its limit."""
BRIDGE, CRATES = 2, 1
"""Categories of colliders: planks do not touch each other."""
WOOD = palette.SAND
RAIL = np.array((0.0, 0.55))
"""From a joint to the rope above it [m]."""


class RopeBridge(Lab):
    """A bridge that carries what its joints carry, and not one crate more."""

    keeps_bodies: ClassVar[bool] = False
    name: ClassVar[str] = "rope-bridge"
    theme = themes.CANYON
    title: ClassVar[str] = "Rope bridge"
    tagline: ClassVar[str] = "How many crates does it carry?"
    keys: ClassVar[list[tuple[str, str]]] = [("horizontal", "aim"), ("do", "drop a crate"), ("mouse", "pull")]
    view: ClassVar[tuple[float, float, float, float]] = (-7.4, -1.3, 7.4, 6.4)
    scene: ClassVar[str | Path] = "rope_bridge.toml"
    script: ClassVar[Sequence[Act]] = tuple(
        act
        for number in range(14)
        for act in (
            Act(20 + 44 * number, 22 + 44 * number, "space"),
            Act(24 + 44 * number, 40 + 44 * number, ("right", "left")[number // 2 % 2]),
        )
    )

    def build(self) -> None:
        """Find the bridge between both cliffs."""
        self.aim = 0.0
        self.crates: list[int] = []
        self.broken = 0
        self.places: dict[int, np.ndarray] = {}
        self.load = self.broke_at = self.strongest = self.strain = 0.0
        self.best = float(self.saves.get("load", 0.0))
        self.planks = [self.named(f"plank-{number}") for number in range(1, PLANKS + 1)]
        between = [f"joint-{number}" for number in range(1, PLANKS)]
        self.joints = [self.named(name) for name in ("joint-left", "joint-right", *between)]
        self.strength = {joint: float(self.get(joint, Attachment).break_force) for joint in self.joints}
        self.sim.on("joint_broken", self.on_broken)

    def on_broken(self, entity: int, kind: type, row: int, force: float) -> None:
        """Count a joint that has broken, and make it heard."""
        position = self.places.get(entity)
        if not self.broken:
            self.broke_at = self.load
            self.clock.hit_stop(BREAK_STOP)
            self.clock.slow_motion(0.3, SLOW_FALL)
        self.broken += 1
        if position is not None:
            self.effects.crumbs(position, colour=WOOD, strength=1.5)
            self.effects.sparks(position, colour=palette.GOLD)
            self.effects.rising_text(f"{force:.0f} N", position, colour=palette.BAD)
        self.camera.shake(0.7)
        self.sounds.play("crack", at=position)

    def play(self, controls: Controls, dt: float) -> None:
        """Aim, and drop crates."""
        self.places = {joint: self._place_of(joint, 1.0) for joint in self.joints if self.has_joint(joint)}
        self.aim = float(np.clip(self.aim + 3.5 * dt * controls.horizontal, -3.2, 3.2))
        if controls.was_pressed("do") and len(self.crates) >= MOST_CRATES:
            self.effects.rising_text("No crates left", (self.aim, DROP_HEIGHT - 0.6), colour=palette.BAD)
            self.sounds.play("click")
        elif controls.was_pressed("do"):
            crate = blueprints.box(
                (self.aim, DROP_HEIGHT), CRATE_SIZE, rows=4, columns=4, mass=CRATE_MASS, shape_stiffness=3000.0,
                friction=0.8, category=CRATES,
            )  # fmt: skip
            self.crates.append(self.add(*crate, Look(fill=palette.AMBER)))
            self.sounds.play("pop")

    def has_joint(self, joint: int) -> bool:
        """Return whether a joint still holds."""
        with self.sim:
            return bool(esper.entity_exists(joint) and esper.has_component(joint, Attachment))

    def _place_of(self, joint: int, alpha: float) -> np.ndarray:
        attachment = self.get(joint, Attachment)
        position = self.seen_at(self.get(attachment.between[0], Particles), alpha)
        return np.asarray(position[attachment.rows[attachment.side == 0]].mean(axis=0))

    def after_step(self, dt: float) -> None:
        """Measure what lies on the bridge, and colour the planks by what they carry."""
        super().after_step(dt)
        held = [joint for joint in self.joints if self.has_joint(joint)]
        forces = {joint: float(np.hypot(*self.get(joint, Attachment).force)) for joint in held}
        self.strongest = max(forces.values(), default=0.0)
        self.strain = max((force / self.strength[joint] for joint, force in forces.items()), default=0.0)
        self.load = 0.0 if self.broken else CRATE_MASS * len(self._carried())
        if self.load > self.best:
            self.best = self.load
            self.saves.keep_best("load", self.best)
        if self.strain > WORRYING and not self.broken and self.places:
            weakest = max(forces, key=lambda joint: forces[joint] / self.strength[joint])
            if weakest in self.places:
                if self.sim.frame % CREAKING == 0:
                    self.sounds.play("creak", volume=self.strain, at=self.places[weakest])
                self.camera.push_in(self.places[weakest], (self.strain - WORRYING) / (1.0 - WORRYING))
        shares = dict.fromkeys(self.planks, 0.0)
        for joint, force in forces.items():
            for plank in self.get(joint, Attachment).between:
                if plank is not None:
                    shares[plank] = max(shares[plank], force / self.strength[joint])
        for plank, share in shares.items():
            self.get(plank, Look).fill = palette.mixed(WOOD, palette.BAD, min(max(share, 0.0), 1.0) ** 2)

    def _carried(self) -> set[int]:
        """Return the crates that lie on the bridge, and those on top of them."""
        carried: set[int] = set()
        carriers, pairs = set(self.planks), self.sim.touching.tolist()
        while carriers:
            touched = {b for a, b in pairs if a in carriers} | {a for a, b in pairs if b in carriers}
            carriers = touched.intersection(self.crates) - carried
            carried |= carriers
        return carried

    def numbers(self) -> Sequence[tuple[str, str]]:
        """Return load and forces."""
        return [
            ("broke at", f"{self.broke_at:.0f} kg") if self.broken else ("on the bridge", f"{self.load:.0f} kg"),
            ("largest force", f"{self.strongest:.0f} N"),
            ("of its limit", f"{100.0 * self.strain:.0f} %"),
            ("best load", f"{self.best:.0f} kg"),
        ]

    def draw(self, picture: Picture, alpha: float) -> None:
        """Add the joints and the crane."""
        super().draw(picture, alpha)
        for joint in self.joints:
            if self.has_joint(joint):
                picture.disc(
                    self._place_of(joint, alpha), 0.075, palette.STEEL, outline=palette.GROUND, layer=Layer.EYES
                )
        self._draw_rails(picture, alpha)
        top = (self.aim, DROP_HEIGHT)
        picture.stroke([(self.aim, 9.0), (self.aim, DROP_HEIGHT + 0.35)], 3.0, palette.STEEL, layer=Layer.DECOR)
        picture.polygon(
            [(self.aim - 0.3, top[1] + 0.35), (self.aim + 0.3, top[1] + 0.35), (self.aim, top[1] + 0.55)],
            palette.STEEL, layer=Layer.DECOR,
        )  # fmt: skip

    def _draw_rails(self, picture: Picture, alpha: float) -> None:
        """Draw what people would hold on to: a rope above every plank that hangs at both ends."""
        order = [self.joints[0], *self.joints[2:], self.joints[1]]
        hands = [self._place_of(joint, alpha) + RAIL if self.has_joint(joint) else None for joint in order]
        rope = palette.darker(WOOD, 0.35)
        for hand in hands:
            if hand is not None:
                picture.stroke([hand, hand - RAIL], 3.0, rope, layer=Layer.DECOR)
        for left, right in itertools.pairwise(hands):
            if left is not None and right is not None:
                sagging = np.linspace(left, right, 7)
                sagging[:, 1] -= 0.12 * np.sin(np.linspace(0.0, np.pi, 7))
                picture.stroke(sagging, 4.0, rope, layer=Layer.DECOR)


END_ROWS = ((0, 5), (4, 9))
"""Rows of a plank of 2 × 5 particles at its left and its right end."""
