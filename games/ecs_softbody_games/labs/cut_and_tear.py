"""Cut and tear: a jelly to be shared, a rope to be cut, a door to be broken,
clay that keeps dents.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Particles, blueprints
from ecs_softbody.elementary import dot
from ecs_softbody.play import Controls, say
from ecs_softbody.rendering import Layer, Look, Picture, draw_cached, palette, themes
from ecs_softbody_games.labs.bench_looks import draw_wall
from ecs_softbody_games.labs.lab import Act, Place
from ecs_softbody_games.labs.toy import Toy

SHORTEST_CUT = 0.1
"""A line of the mouse that is shorter than this [m] cuts nothing."""
FLASH_FRAMES = 18
"""How long a cut is seen."""
CUT_STOP = 0.05
"""For so long the world stands still when something is cut or torn [s]."""
MOST_BALLS = 4
SHARES = 4
"""Into so many pieces the jelly is to be cut."""
EQUAL = (40.0, 60.0, 80.0)
"""From which size of the smallest piece, in percent of the largest one, there is a star, and
another, and another.
"""
LOOKED_AT = 50
"""Frames from the last piece to the judgement."""
FIRST_CUT, NEXT_CUT = 115, 100
"""Frame in which the scripted player cuts the jelly first, and frames until it cuts again."""


class CutAndTear(Toy):
    """A bench with a knife, a cannon and a lump of clay, and a jelly for four."""

    name: ClassVar[str] = "cut-and-tear"
    theme = themes.WORKSHOP
    group: ClassVar[str] = "toys"
    title: ClassVar[str] = "Cut and tear"
    tagline: ClassVar[str] = "Share the jelly: four equal pieces"
    goal: ClassVar[str] = "cut.goal"
    best_result: ClassVar[tuple[str, str]] = ("equal", "{:.0f} %")
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    keys: ClassVar[list[tuple[str, str]]] = [
        ("mouse", "draw a line: cut"),
        ("do", "shoot at the door"),
    ]
    drag_with_mouse: ClassVar[bool] = False
    view: ClassVar[tuple[float, float, float, float]] = (-6.9, -0.6, 6.9, 6.4)
    clear_low: ClassVar[float | None] = 6.2  # the net
    start_view = (-6.9, -0.3, 6.9, 3.5)
    scene: ClassVar[str | Path] = "cut_and_tear.toml"
    script: ClassVar[Sequence[Act]] = (
        Act(40, 70, "mouse_left", (-5.9, 5.3), (-4.3, 5.5)),
        Act(330, 350, "mouse_left", (-1.5, 5.6), (1.6, 4.5)),
        Act(336, 340, "space"),
    )

    def build(self) -> None:
        """Take the knife."""
        self.clay, self.anvil = self.named("clay"), self.named("anvil")
        self.pieces = {self.named("jelly")}
        self.cut_for = 0
        self.balls: list[int] = []
        self.knife: Place | None = None
        self.pointer: Place = (0.0, 0.0)
        self.flash: tuple[Place, Place, int] = ((0.0, 0.0), (0.0, 0.0), 0)
        self.cuts = self.tears = 0
        self.sim.on("body_cut", self.on_body_cut)
        self.sim.on("body_torn", self.on_body_torn)

    def on_body_cut(self, entity: int, pieces: tuple[int, ...]) -> None:
        """Count a cut."""
        self.cuts += 1
        self._share(entity, pieces)
        self.effects.cut_edges.add(self.sim, pieces)
        for piece in pieces[:2]:
            body = self.get(piece, Particles)
            rim = body.position[np.argmin(self._distances(body.position))]
            self.effects.crumbs(
                rim, colour=self.get(piece, Look).fill or palette.TEXT, strength=0.3
            )

    def _distances(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how far points [m] are from the line of the last cut."""
        start = np.array(self.flash[0])
        way = np.subtract(self.flash[1], self.flash[0])
        return np.asarray(np.abs(dot(points - start, np.array((way[1], -way[0])))))

    def on_body_torn(self, entity: int, pieces: tuple[int, ...]) -> None:
        """Count a tear, and let it crack."""
        self.tears += 1
        self._share(entity, pieces)
        self.effects.cut_edges.add(self.sim, pieces)
        self.sounds.play("crack", at=self.center_of(pieces[0]))
        self.camera.shake(0.4)
        self.clock.hit_stop(CUT_STOP)
        self.effects.burst(self.center_of(pieces[0]), colour=palette.TEAL)
        self.effects.crumbs(self.center_of(pieces[0]), colour=palette.TEAL)

    def _share(self, entity: int, pieces: tuple[int, ...]) -> None:
        """Note what a piece of the jelly has become."""
        if entity in self.pieces:
            self.pieces.remove(entity)
            self.pieces.update(pieces)

    @property
    def equal(self) -> float:
        """Mass of the smallest piece in percent of the largest one's."""
        masses = [float(self.get(piece, Particles).mass.sum()) for piece in self.pieces]
        return 100.0 * min(masses) / max(masses)

    @property
    def stars(self) -> int:
        """Stars for pieces as equal as they are now; none for too many."""
        return sum(self.equal >= least for least in EQUAL) if len(self.pieces) <= SHARES else 0

    def goal_place(self) -> Place | None:
        """Return where the jelly is."""
        x, y = np.mean([self.center_of(piece) for piece in self.pieces], axis=0)
        return None if self.cuts else (float(x), float(y) + 0.7)

    def outcome_text(self) -> str:
        """Return how equal the pieces are, or how many there are."""
        if len(self.pieces) > SHARES:
            return say("cut.too_many", count=len(self.pieces))
        return say("cut.equal", share=self.equal)

    def play(self, controls: Controls, dt: float) -> None:
        """Draw the knife along, and cut when the button is let go."""
        if controls.pointer is not None:
            self.pointer = controls.pointer
        if controls.was_pressed("mouse_left"):
            self.knife = self.pointer
        elif self.knife is not None and not controls.is_held("mouse_left"):
            if controls.was_released("mouse_left"):  # not in the pause
                self._cut(self.knife, self.pointer)
            self.knife = None
        if controls.was_pressed("do"):
            self._shoot()

    def _cut(self, start: Place, end: Place) -> None:
        if math.dist(start, end) >= SHORTEST_CUT:
            self.flash = (start, end, FLASH_FRAMES)
            if self.sim.cut(start, end):
                self.sounds.play("cut", at=np.add(start, end) / 2)
                self.clock.hit_stop(CUT_STOP)
                self.camera.kick(np.subtract(end, start))

    def _shoot(self) -> None:
        ball = blueprints.ball(
            (6.4, 1.5 + 0.35 * (len(self.balls) % 3)), 0.28, mass=5.0, velocity=(-19.0, 2.0)
        )
        self.balls.append(self.add(*ball, Look(fill=palette.PINK)))
        self.sounds.play("hop", pitch=0.7)
        if len(self.balls) > MOST_BALLS:
            self.sim.despawn(self.balls.pop(0))

    def numbers(self) -> Sequence[tuple[str, str]]:
        """Return what was done."""
        rest = (
            self.get(self.clay, Particles).rest_offset
            if self.exists(self.clay)
            else np.zeros((1, 2))
        )
        return [
            ("pieces", f"{len(self.pieces)} / {SHARES}"),
            ("tears", str(self.tears)),
            (
                "clay",
                say("cut.high", height=float(np.ptp(rest[:, 1])) + 0.11)
                if len(rest) > 1
                else "in pieces",
            ),
        ]

    def draw(self, picture: Picture, alpha: float) -> None:
        """Draw the wall with its tools, the line of the knife, and the flash of a cut."""
        draw_cached(picture, "wall", 0, lambda: draw_wall(picture), space="world")
        super().draw(picture, alpha)
        if self.knife is not None:
            picture.stroke([self.knife, self.pointer], 3.0, palette.TEXT_ACCENT, layer=Layer.EYES)
            picture.disc(self.pointer, 0.07, palette.TEXT_ACCENT, layer=Layer.EYES)
        start, end, left = self.flash
        if left > 0:
            bright = (*palette.TEXT[:3], round(255 * left / FLASH_FRAMES))
            picture.stroke([start, end], 1.0 + 6.0 * left / FLASH_FRAMES, bright, layer=Layer.EYES)

    def after_step(self, dt: float) -> None:
        """Let the flash fade, and judge the pieces of the jelly."""
        super().after_step(dt)
        self.cut_for += len(self.pieces) >= SHARES
        if self.cut_for >= LOOKED_AT:
            self.finish(self.stars, self.equal)
        self.flash = (*self.flash[:2], max(self.flash[2] - 1, 0))

    def autopilot(self) -> Controls:
        """Play the script; meanwhile cut the jelly in halves, and each half again."""
        after, now = divmod(self.script_frame - FIRST_CUT, NEXT_CUT)
        if now == 0 and after >= 0 and len(self.pieces) < SHARES:
            first = self.script_frame + 1
            self.acts.append(Act(first, first + 6, "mouse_left", *self._fair_line()))
        return super().autopilot()

    def _fair_line(self) -> tuple[Place, Place]:
        """Return a line down through the middle of the heaviest piece of the jelly."""
        bodies = [self.get(piece, Particles) for piece in sorted(self.pieces)]
        x, y = centroid(max(bodies, key=lambda body: float(body.mass.sum())).position)
        return (float(x), float(y) + 1.0), (float(x), float(y) - 1.0)


def centroid(ring: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the middle of the area inside a ring of points, shape (N, 2) [m]."""
    following = np.roll(ring, -1, axis=0)
    across = ring[:, 0] * following[:, 1] - ring[:, 1] * following[:, 0]
    return np.asarray(dot((ring + following).T, across) / (3.0 * across.sum()))
