"""RopeBridge: hang ropes, double planks, and roll weights across. Five rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from ecs_softbody import Attachment, Particles, Springs, blueprints
from ecs_softbody.elementary import dot, length
from ecs_softbody.play import Axis, Button, Controls, say
from ecs_softbody.rendering import Look, Picture, palette, themes
from ecs_softbody_games.rope_bridge import drawing
from ecs_softbody_games.rope_bridge.bridge import Bridge
from ecs_softbody_games.rope_bridge.drawing import START, WINCH, WOOD, radius_of
from ecs_softbody_games.stars import keep_stars, star_words

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
SPEED, PULL = 1.2, 12.0
"""How fast the winch draws a weight [m/s], and the most that it pulls [N/kg]."""
ARRIVED, FALLEN = 5.3, 1.0
"""Where a weight is across [m], and how low it is lost."""
SAID_AT = 4.4
"""Height of what is said below the crane [m]."""
ROPE_STIFFNESS, ROPE_DAMPING, ROPE_TENSION = 80.0, 15.0, 60.0
"""Of a rope [N/m], of all ropes of a joint [N·s/m], and how hard one pulls when it is hung [N].

One particle carries all of them, and in a substep no more than 20 N·s/m.
"""
DOUBLED = 1.7
"""How much more the joints of a plank carry that is doubled."""
BREAKS = 170
"""Frames until a broken bridge is lost, or a weight that fell."""
CLOSE_UP = 5.6
"""Height of what is seen when the first joint breaks [m]."""
WEIGHTS = 1
"""Category of colliders: planks, of the second one, do not touch each other."""
BREAK_STOP, SLOW_FALL = 0.06, 1.4
"""For so long [s] the world stands still when the first joint breaks, and is slow after that."""
WORRYING = 0.55
"""Share of what a joint carries from which the camera leans in on it."""
CREAKING = 55
"""Frames between two creaks of a bridge that is near its limit."""


class RopeBridge(Bridge):
    """A bridge that carries what its joints carry, and not one kilogram more."""

    keeps_bodies: ClassVar[bool] = False
    drag_with_mouse: ClassVar[bool] = False
    name: ClassVar[str] = "rope-bridge"
    theme = themes.CANYON
    title: ClassVar[str] = "Rope bridge"
    tagline: ClassVar[str] = "Bring the weights across, with as little as you can"
    keys: ClassVar[list[tuple[str, str]]] = [
        ("aim", "aim"),
        ("do", "send a weight"),
        ("rope", "hang a rope"),
        ("plank", "double a plank"),
        ("next", "next round"),
    ]
    actions: ClassVar[Mapping[str, Axis | Button]] = {
        "aim": Axis("left a pad_left", "right d pad_right", "stick_x"),
        "do": Button("space", "pad_a"),
        "rope": Button("up", "w", "pad_x"),
        "plank": Button("down", "s", "pad_b"),
        "next": Button("n", "pad_rb"),
    }
    view: ClassVar[tuple[float, float, float, float]] = (-7.9, -1.3, 7.9, 6.4)
    start_view = (-7.9, 2.2, 7.9, 4.6)
    clear: ClassVar[float | None] = float(WINCH[1]) + 0.25
    rows_low = 3  # as high as the panel with the goal

    def build(self) -> None:
        """Take the bridge of the round, and listen to its joints."""
        super().build()
        self.sim.on("joint_broken", self.on_broken)

    def level_words(self, number: int) -> tuple[str, str]:
        """Return the player's stars in a round."""
        return "", star_words(self, number)

    def on_broken(self, entity: int, kind: type, row: int, force: float) -> None:
        """Count a joint that has broken, make it heard,
        and show the first one closely and slowly.
        """
        position = self.places.get(entity)
        if entity not in self.strength:  # a rope
            self.sounds.play("pop")
            return
        if not self.broken:
            self.broke_at = max(self.loads, default=0.0)
            self.broke_place = position
            self.waited = 0
            self.clock.hit_stop(BREAK_STOP)
            self.clock.slow_motion(0.25, SLOW_FALL)
        self.broken += 1
        if position is not None:
            self.effects.crumbs(position, colour=WOOD, strength=1.5)
            self.effects.sparks(position, colour=palette.GOLD)
            self.effects.rising_text(f"{force:.0f} N", position, colour=palette.BAD)
        self.camera.shake(0.7)
        self.sounds.play("crack", at=position)

    def look_at_scene(self, dt: float) -> None:
        """Show the whole bridge; where it has just broken, that place."""
        if dt > 0.0 and self.broke_place is not None and self.waited < BREAKS - 40:
            self.camera.zoom_to(CLOSE_UP)
            self.camera.follow(self.broke_place, dt=dt)
        elif dt > 0.0 and self.broke_place is not None:
            self.camera.fit(self.framed, dt=dt)
        else:
            super().look_at_scene(dt)

    def play(self, controls: Controls, dt: float) -> None:
        """Aim, hang ropes, double planks, and send weights, which the winch draws across."""
        if controls.was_pressed("next") and self.level_number + 1 < self.opened_levels:
            self.next_level()
        self.places = self.places_of(self.joints, 1.0)
        self.haul(dt)
        if self.broken:
            return
        self.aim = float(np.clip(self.aim + 3.5 * dt * controls.axis("aim"), -3.7, 3.7))
        if controls.was_pressed("rope"):
            self.hang_rope()
        if controls.was_pressed("plank"):
            self.double_plank()
        if controls.was_pressed("do"):
            self.send()

    def refuse(self, what: str) -> None:
        """Say that there is none left."""
        self.effects.rising_text(what, (self.aim, SAID_AT), colour=palette.BAD)
        self.sounds.play("click")

    @property
    def bank_is_free(self) -> bool:
        """Whether the weight ahead has made room for the next one."""
        return bool(self.ahead > START + 2.2 * radius_of(max(self.weights_left, default=0.0)))

    def send(self) -> None:
        """Let the next weight roll onto the bridge."""
        if not self.weights_left:
            self.refuse("No weights left")
            return
        if not self.bank_is_free:
            self.refuse("Wait")
            return
        mass = self.weights_left.pop(0)
        radius = radius_of(mass)
        self.done.append("send")
        weight = blueprints.ball(
            (START, DECK + radius),
            radius,
            mass=mass,
            friction=0.0,
            restitution=0.0,
            category=WEIGHTS,
        )
        self.weights.append(self.add(*weight, Look(style="none")))
        self.sounds.play("pop")

    def haul(self, dt: float) -> None:
        """Draw the weights towards the winch, and brake those that roll too fast; take off those
        that have arrived.
        """
        for weight in list(self.weights):
            body = self.get(weight, Particles)
            place = body.position[0]
            velocity = body.velocity[0]
            if place[0] > ARRIVED:
                self.arrived.append(float(body.mass[0]))
                self.stopped = float(place[0])
                self.effects.ring(place, colour=palette.GOOD)
                self.sounds.play("coin")
                self.weights.remove(weight)
                self.sim.despawn(weight)
            elif place[1] < FALLEN:
                self.waited = self.waited if self.fallen else 0
                self.fallen = True
            elif not self.broken:
                along = np.array((1.0, 0.0)) if place[0] > RIGHT + 0.3 else WINCH - place
                along = along / length(along)
                body.velocity[0] += along * np.clip(
                    SPEED - dot(velocity, along), -self.brake * dt, PULL * dt
                )

    def hang_rope(self) -> None:
        """Hang the joint below the aim from the post on its side."""
        joint = self.nearest_joint()
        if not self.ropes or joint is None:
            self.refuse("No ropes left")
            return
        self.ropes -= 1
        self.done.append("rope")
        self.used += 1
        attachment = self.get(joint, Attachment)
        plank = attachment.between[0]
        assert plank is not None
        row = int(attachment.rows[attachment.side == 0][-1])
        top = self.post_for(joint)
        span = (
            length(self.get(plank, Particles).position[row] - top) - ROPE_TENSION / ROPE_STIFFNESS
        )
        post = self.add(Particles([top], mass=1.0, radius=0.05, pinned=True), Look(style="none"))
        rope = Springs(
            [[0, row]], stiffness=ROPE_STIFFNESS, rest_length=span, between=(post, plank)
        )
        ropes = self.hung.setdefault(joint, [])
        ropes.append(self.add(rope, Look(style="link", fill=palette.darker(WOOD, 0.2))))
        for one in ropes:
            self.get(one, Springs).damping[:] = ROPE_DAMPING / len(ropes)
        self.effects.ring(self.place_of(joint, 1.0), colour=palette.GOLD)
        self.sounds.play("hop")

    def double_plank(self) -> None:
        """Double the plank below the aim: its joints carry more."""
        if not self.mends:
            self.refuse("No planks left")
            return
        self.mends -= 1
        self.done.append("plank")
        self.used += 1
        plank = min(self.planks, key=lambda one: abs(self.center_of(one)[0] - self.aim))
        for joint in self.joints:
            if self.has_joint(joint) and plank in self.get(joint, Attachment).between:
                self.strength[joint] *= DOUBLED
                self.get(joint, Attachment).break_force = self.strength[joint]
                self.rotten.discard(joint)
                self.effects.ring(self.place_of(joint, 1.0), colour=palette.GOLD)
        self.sounds.play("coin")

    def after_step(self, dt: float) -> None:
        """Measure what is on the bridge, colour the planks by what they carry, and see how the
        round ends.
        """
        super().after_step(dt)
        with self.sim:
            self._measure()
        self._judge()

    def _measure(self) -> None:
        """Measure what joints and weights do, and show it; while the world is the current one."""
        held = [joint for joint in self.joints if self.has_joint(joint)]
        forces = {joint: float(np.hypot(*self.get(joint, Attachment).force)) for joint in held}
        self.strongest = max(forces.values(), default=0.0)
        self.strain = max(
            (force / self.strength[joint] for joint, force in forces.items()), default=0.0
        )
        self.load = (
            0.0
            if self.broken
            else sum(float(self.get(one, Particles).mass[0]) for one in self.carried())
        )
        self.loads.append(self.load)
        if self.load > self.best:
            self.best = self.load
            self.saves.keep_best("load", self.best, low=0.0)
        self._creak(forces)
        shares = dict.fromkeys(self.planks, 0.0)
        for joint, force in forces.items():
            for plank in self.get(joint, Attachment).between:
                if plank is not None:
                    shares[plank] = max(shares[plank], force / self.strength[joint])
        for plank, share in shares.items():
            self.get(plank, Look).fill = palette.mixed(
                WOOD, palette.BAD, min(max(share, 0.0), 1.0) ** 2
            )

    def _creak(self, forces: Mapping[int, float]) -> None:
        """Creak, and let the camera lean in, where a joint is near its limit."""
        if self.strain <= WORRYING or self.broken or not self.places:
            return
        weakest = max(forces, key=lambda joint: forces[joint] / self.strength[joint])
        if weakest in self.places:
            if self.sim.frame % CREAKING == 0:
                self.sounds.play("creak", volume=self.strain, at=self.places[weakest])
            self.camera.push_in(self.places[weakest], (self.strain - WORRYING) / (1.0 - WORRYING))

    def _judge(self) -> None:
        """Win when all weights are across; lose when the bridge is broken,
        or a weight has fallen.
        """
        self.waited += 1
        if not (self.weights or self.weights_left):
            keep_stars(self, self.stars)
            self.outcome = "won"
        elif (self.broken or self.fallen) and self.waited >= BREAKS:
            self.failures[self.level_number] += self.outcome is None
            self.outcome = "lost"

    def outcome_text(self) -> str:
        """Return what has come across, or what broke the bridge."""
        if self.outcome == "won":
            parts = "bridge.part_used" if self.used == 1 else "bridge.parts_used"
            return say(parts, load=self.across, count=self.used)
        if self.is_helped:
            return say("bridge.helped", load=self.broke_at if self.broken else self.across)
        if self.broken:
            return say("bridge.lost", load=self.broke_at)
        return say("bridge.too_few", load=self.across, goal=self.goal)

    def numbers(self) -> Sequence[tuple[str, str]]:
        """Return load and forces."""
        return [
            ("worst joint", f"{100.0 * self.strain:.0f} %"),
            ("broke at", f"{self.broke_at:.0f} kg")
            if self.broken
            else ("on the bridge", f"{self.load:.0f} kg"),
            ("best load", f"{self.best:.0f} kg"),
        ]

    def draw(self, picture: Picture, alpha: float) -> None:
        """Add joints, ropes' posts, winch and weights, the crane, and where it broke."""
        super().draw(picture, alpha)
        drawing.draw(self, picture, alpha)

    def autopilot(self) -> Controls:
        """Do what the round's file says, one thing after the other."""
        self.rest -= 1
        held: set[str] = set()
        if self.rest <= 0 and self.step_of_solution < len(self.solution):
            what, x = self.solution[self.step_of_solution]
            if what != "send" and abs(self.aim - x) > 0.06:
                held = {"right" if x > self.aim else "left"}
            elif what != "send" or (self.bank_is_free and self.ahead >= x):
                held = {{"send": "space", "rope": "up", "plank": "down"}[what]}
                self.step_of_solution = self.step_of_solution + 1
                self.rest = 20
        pressed = held - self._held
        self._held = held
        return Controls(held=set(held), pressed=pressed)
