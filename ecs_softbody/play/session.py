"""Session: runs a game frame by frame: start screen, playing, pause, help, slow motion, the end; no window in it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

from ecs_softbody.play import screens
from ecs_softbody.play.controls import Controls
from ecs_softbody.play.game import FRAME, Game, game_from
from ecs_softbody.play.impacts import Impacts
from ecs_softbody.play.mouse_drag import MouseDrag
from ecs_softbody.rendering.overlay.debug_overlay import DebugOverlay
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.scene.backdrop import draw_backdrop
from ecs_softbody.rendering.scene.scene_painter import ScenePainter
from ecs_softbody.rendering.warmup import warmup_steps
from ecs_softbody.simulation.clock import Accumulator

State = Literal["title", "playing", "paused", "won", "lost"]
SLOW = 0.2
END_DELAY = 40
"""Frames for which a game that has ended goes on behind its last screen before that answers keys."""


class Session:
    """One game and everything around it. Call `frame` 60 times a second, and `picture` whenever one is wanted.

    Args:
        game: the game, or its class; the session starts it.
        autopilot: let the scripted player play at once, instead of the keys.

    Attributes:
        game: the game.
        state: "title", "playing", "paused", "won" or "lost".
        autopilot: whether the scripted player plays.
        help_shown, debug_shown, slow: whether all keys are shown, the physics is shown, time runs slowly.
        exit_requested: whether the player wants to leave.
        timings: named numbers that the debug overlay shows.
    """

    def __init__(self, game: Game | type[Game], *, autopilot: bool = False) -> None:
        self.game = game_from("Session", game)
        self.autopilot = autopilot
        self.state: State = "title"
        self.help_shown = False
        self.debug_shown = False
        self.slow = False
        self.exit_requested = False
        self.overlay = DebugOverlay()
        self.timings: dict[str, float] = {}
        """Named numbers that the debug overlay shows."""
        self.painter = ScenePainter()
        self.drag = MouseDrag()
        self._impacts = Impacts()
        self._pointer = (0.0, 0.0)
        self._slow_time = Accumulator()
        self._show_whole_frame()
        self._frames = 0
        self._ended_for = 0
        self._profiles_anyway = False
        self.game.start()
        if autopilot:
            self.state = "playing"

    def warmup_steps(self) -> Iterator[tuple[int, int, str]]:
        """Compile everything that the game will need, step by step; yields (done, total, name)."""
        return warmup_steps(self.game.sim)

    def frame(self, controls: Controls | None = None) -> None:
        """Run one frame of 1/60 s."""
        controls = controls or Controls()
        self._pointer = controls.pointer
        self._frames += 1
        self._answer_keys(controls)
        stepping = self.state in ("title", "playing") or (self.state in ("won", "lost") and self._ended_for < END_DELAY)
        if self.state in ("won", "lost"):
            self._ended_for += 1
        single = self.state == "paused" and controls.was_pressed("period")
        if self.help_shown and not single:
            self.game.camera.advance(0.0)
            self._show_whole_frame()
        elif stepping or single:
            if single or not self.slow:
                self._show_whole_frame()
                self._step(controls)
            elif self._slow_time.due(SLOW, 1.0):
                self._step(controls)
        else:
            self._show_whole_frame()

    def _show_whole_frame(self) -> None:
        """Let the next frame in slow motion begin where the last one ends."""
        self._slow_time.left_over = 1.0 - SLOW

    def restart(self) -> None:
        """Start the game afresh and play."""
        self.drag.release()
        self.game.effects.clear()
        self.game.start()
        self.game.outcome = None
        self.painter = ScenePainter()
        self._impacts = Impacts()
        self.state, self.help_shown, self._ended_for = "playing", False, 0
        self._show_whole_frame()

    def close(self) -> None:
        """End the game and give up its world."""
        self.drag.release()
        self.game.close()

    def picture(self, width_px: int, height_px: int, alpha: float = 1.0, into: Picture | None = None) -> Picture:
        """Return what is to be seen, `alpha` (0 to 1) of the way through the current frame."""
        picture = into or Picture(width_px, height_px)
        game = self.game
        game.camera.aspect = width_px / height_px
        if self.slow and self.state == "playing":
            alpha = min(1.0, self._slow_time.left_over + SLOW * alpha)
        elif self.state == "paused" or self.help_shown:
            alpha = 1.0
        picture.clear(width_px, height_px, game.camera.view(width_px, height_px, alpha))
        draw_backdrop(picture)
        self.painter.draw(game.sim, picture, alpha, shadows=game.show_shadows)
        game.draw(picture, alpha)
        game.effects.draw(picture, alpha)
        self.drag.draw(picture, self._pointer)
        if self.debug_shown:
            self.overlay.draw(game.sim, picture, alpha, self.timings)
        self._draw_screens(picture)
        return picture

    def _answer_keys(self, controls: Controls) -> None:
        if controls.was_pressed("h", "f1"):
            self.help_shown = not self.help_shown
        if controls.was_pressed("tab", "f3"):
            self._toggle_debug()
        if controls.was_pressed("comma"):
            self.slow = not self.slow
        if controls.was_pressed("m"):
            self.game.sounds.toggle_mute()
        go = controls.was_pressed("space", "enter")
        if controls.was_pressed("escape"):
            self._go_back()
        elif self.help_shown:
            self.help_shown = not (go or controls.was_pressed("mouse_left"))
        elif self.state == "title" and (go or controls.was_pressed("mouse_left")):
            self._begin(controls)
        elif self.state in ("won", "lost"):
            if self._ended_for > END_DELAY // 2 and (go or controls.was_pressed("r", "mouse_left")):
                self._begin(controls)
        elif controls.was_pressed("r") and self.state != "title":
            self.restart()
        elif controls.was_pressed("p") or (self.state == "paused" and go):
            self.state = {"playing": "paused", "paused": "playing"}.get(self.state, self.state)  # type: ignore[assignment]
            controls.pressed -= {"space", "enter"}

    def _toggle_debug(self) -> None:
        """Show the physics or not; while it is shown the frames are measured. A game may do that by itself as well."""
        self.debug_shown = not self.debug_shown
        profiler = self.game.sim.profiler
        if self.debug_shown:
            self._profiles_anyway = profiler.enabled
        profiler.enabled = self.debug_shown or self._profiles_anyway

    def _begin(self, controls: Controls) -> None:
        self.game.sounds.play("click")
        self.restart()
        controls.pressed -= {"space", "enter", "mouse_left", "r"}

    def _go_back(self) -> None:
        """Leave the help, then the game for the pause, then the pause."""
        if self.help_shown:
            self.help_shown = False
        elif self.state == "playing" and not self.autopilot:
            self.state = "paused"
        else:
            self.exit_requested = True

    def _step(self, controls: Controls) -> None:
        game = self.game
        game.camera.advance(FRAME)
        playing = self.state == "playing"
        if playing:
            if self.autopilot:
                controls = game.autopilot()
            self._drag(controls)
            game.update(controls, FRAME)
        if self.debug_shown:  # a game that has started afresh has another simulation
            game.sim.profiler.enabled = True
        game.sim.step(FRAME)
        if playing:
            game.after_step(FRAME)
            if game.impact_effects:
                self._impacts.observe(game.sim, game.effects, game.sounds, game.camera, self.painter.colours)
        game.effects.advance(FRAME, game.sim.gravity)
        if playing and game.outcome is not None:
            self.state, self._ended_for = game.outcome, 0
            self.drag.release()
            game.sounds.play("win" if game.outcome == "won" else "lose")

    def _drag(self, controls: Controls) -> None:
        if not self.game.drag_with_mouse:
            return
        self._pointer = controls.pointer
        if controls.was_pressed("mouse_left"):
            self.drag.grab(self.game.sim, controls.pointer)
        elif self.drag.holding and not controls.is_held("mouse_left"):
            self.drag.release()
        else:
            self.drag.move(controls.pointer, FRAME)

    def _draw_screens(self, picture: Picture) -> None:
        game = self.game
        pulse = 0.5 + 0.5 * math.sin(self._frames * 0.09)
        if self.help_shown:
            screens.draw_help(picture, game.keys)
        elif self.state == "title":
            screens.draw_title(picture, game.title, game.tagline, game.keys, pulse)
        elif self.state == "paused":
            screens.draw_paused(picture)
        elif self.state in ("won", "lost"):
            screens.draw_outcome(picture, self.state == "won", game.outcome_text(), pulse)
        elif not self.autopilot:
            screens.draw_hints(picture, [*game.keys, ("p", "pause"), ("h", "all keys")])
        marks = [mark for mark, on in (("slow motion", self.slow), ("sound off", game.sounds.muted)) if on]
        if marks:
            screens.draw_badge(picture, " · ".join(marks))
