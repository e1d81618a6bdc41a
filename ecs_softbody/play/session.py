"""Session: runs a game frame by frame: start screen, playing, pause, help, settings, the end; needs
no window.

A Stage (stage.py) calls `frame` 60 times a second with the player's input, and `picture` for each
picture on the screen. The session keeps its own keys, gives the rest of the input to the game, and
decides how many frames of the world are due: none in a pause or a hit-stop, fewer in slow motion.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Literal

from ecs_softbody.errors import FieldTypeError
from ecs_softbody.play.feel.reactions import Reactions
from ecs_softbody.play.game import Game, game_from
from ecs_softbody.play.game_class import controls_of
from ecs_softbody.play.input.controls import BufferedPresses, Controls, Withheld, check_controls
from ecs_softbody.play.input.names import UNPLUGGED
from ecs_softbody.play.input.pads import Pads
from ecs_softbody.play.input.session_keys import HELP, PAUSE, RESTART, SETTINGS, SOUND
from ecs_softbody.play.mouse_drag import MouseDrag
from ecs_softbody.play.replay.inputs import rounded
from ecs_softbody.play.screens.level_map import LevelMap
from ecs_softbody.play.screens.over_game import draw_screens, start_view
from ecs_softbody.play.screens.settings_screen import SettingsScreen
from ecs_softbody.play.settings import Settings
from ecs_softbody.play.timing.game_clock import FRAME, Pace
from ecs_softbody.rendering.land.backdrop import draw_backdrop
from ecs_softbody.rendering.land.weather import draw_weather
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.overlay.debug_overlay import DebugOverlay
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.warmup import warmup_steps
from ecs_softbody.rendering.world.world_painter import WorldPainter
from ecs_softbody.validation import check_flag

State = Literal["title", "playing", "paused", "won", "lost"]
SLOW = 0.2
"""Speed of the world in slow motion (the key comma)."""
END_DELAY = 20  # frames before the end screen accepts keys
END_MOVES = 150  # frames that an ended game continues behind its end screen
GO = ("space", "enter", "pad_a")  # confirm on every screen


class PartTimes:
    """Adds up how long each part of a picture takes to draw."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        """Total time of each part in all pictures [s]."""
        self.count = 0
        """Number of pictures."""
        self._last = 0.0

    def begin(self) -> None:
        """Begin a picture."""
        self.count += 1
        self._last = time.perf_counter()

    def note(self, part: str) -> None:
        """Attribute the time since the last call to a part of the picture."""
        now = time.perf_counter()
        self.spent[part] = self.spent.get(part, 0.0) + now - self._last
        self._last = now

    def __str__(self) -> str:
        rows = [
            f"  {name:<12} {1e3 * spent / max(self.count, 1):8.3f} ms"
            for name, spent in self.spent.items()
        ]
        return "\n".join(["parts of the picture, mean of each", *rows])


class Session:
    """One game with its screens, settings and input. Call `frame` 60 times a second, and `picture`
    on demand.

    Args:
        game: the game, or its class; the session starts it.
        autopilot: let the scripted player play at once, instead of the player.
        settings: the player's settings for all games; without them nothing is saved.

    Attributes:
        state: "title", "playing", "paused", "won" or "lost".
        autopilot: whether the scripted player plays.
        help_shown, debug_shown, slow: whether the help or the physics is shown, and whether time
            runs slowly.
        settings_shown: the screen of the settings while it is open, else None.
        exit_requested: whether the player wants to leave.
        timings: named numbers that the debug overlay shows.
        over_world: more functions that draw over the world, called with the picture and `alpha`.
        parts: drawing times of the parts of the pictures.
    """

    def __init__(
        self, game: Game | type[Game], *, autopilot: bool = False, settings: Settings | None = None
    ) -> None:
        self.game = game = game_from("Session", game)
        self.autopilot = check_flag("Session", "autopilot", autopilot)
        if not isinstance(settings, Settings | None):
            raise FieldTypeError("Session", "settings", settings, "Settings, or None")
        self.settings = Settings() if settings is None else settings
        self.state: State = "playing" if autopilot else "title"
        self.help_shown = False
        self.settings_shown: SettingsScreen | None = None
        self.debug_shown = False
        self.slow = False
        self.exit_requested = False
        self.overlay = DebugOverlay()
        self.timings: dict[str, float] = {}
        self.over_world: list[Callable[[Picture, float], None]] = []
        self.painter = WorldPainter()
        self.parts = PartTimes()
        self.drag = MouseDrag()
        self.level_map = LevelMap()
        self._reactions = Reactions()
        self._controls = Controls()
        self._pace = Pace()
        self._withheld = Withheld()
        self._kept = BufferedPresses()
        # This is whether a hit-stop holds the frame: broken bodies are packed in the next one.
        self._was_hit = False
        self._frames = 0
        self._ended_for = 0
        self._profiles_anyway = False
        self.settings.apply(game, keys=not autopilot)
        game.begin()
        self._sim = game.sim

    def warmup_steps(self) -> Iterator[tuple[int, int, str]]:
        """Compile all kernels that the game needs, step by step; yields (done, total, name)."""
        return warmup_steps(self.game.sim)

    def frame(self, controls: Controls | None = None) -> None:
        """Run one frame of 1/60 s, with the game's wrappers around it."""
        controls = Controls() if controls is None else controls
        check_controls("Session.frame", controls)
        covered = self.is_covered
        controls.actions = self.game.bindings
        self._controls = controls
        self._frames += 1
        try:
            for wrapper in self.game.wrappers:
                wrapper.before(self)
            seen = self._take_input(controls, covered=covered)
            moving = self.state in ("title", "playing") or (
                self.state in ("won", "lost") and self._ended_for < END_MOVES
            )
            if self.state in ("won", "lost"):
                self._ended_for = self._reactions.celebrate(self.game, self._ended_for)
            if (
                self.state == "paused"
                and self.settings_shown is None
                and controls.was_pressed("period")
            ):
                # The step receives the pressed keys, for inspection of single frames.
                self._step(controls)
                self._pace.show_whole_frame()
            elif moving and not (self.help_shown or self.settings_shown):
                self._kept.give(seen)
                due = self._frames_due()
                for _ in range(due):
                    if self._step(seen):
                        seen = seen.gone_on()
                if due:
                    self._kept.keep(seen)
                else:
                    self._stand(seen)
            else:
                self.game.camera.advance(0.0)
                self._pace.due(0.0)
                if not self.is_still:
                    self._reactions.go_on(self.game)
        except Exception as error:
            if not any(wrapper.rescue(self, error) for wrapper in self.game.wrappers):
                raise

    def _take_input(self, controls: Controls, *, covered: bool) -> Controls:
        """Answer the session's keys, and return the game's share of the input; `covered` tells
        whether a screen covered the game before.
        """
        if self._was_hit:
            self.painter.prepare(self.game.sim)
            self._was_hit = False
        self._answer_keys(controls)
        covered = covered or self.is_covered
        if covered:
            self._kept.forget()
        return self._withheld.left_of(controls, covered=covered)

    @property
    def is_still(self) -> bool:
        """Whether the picture is static until the next input."""
        return self.state == "paused" or self.help_shown or self.settings_shown is not None

    @property
    def is_covered(self) -> bool:
        """Whether a screen covers the game, and takes its input."""
        return self.state != "playing" or self.is_still

    def leave(self) -> None:
        """Pause the game when its player turns away."""
        if self.state == "playing" and not self.autopilot and self.game.pauses_alone:
            self.state = "paused"
            self.drag.release()

    def restart(self) -> None:
        """Restart the game, or its level, and play."""
        self.drag.release()
        first = self.state == "title"
        # A wrapper that rescues a beginning that fails finds the session playing.
        self.state = "playing"
        self.help_shown = False
        self._ended_for = 0
        self.game.begin()
        self._meet_world()
        self._reactions.begin_again(self.game, first=first)

    def meet_round(self) -> None:
        """Show a round of the game that a wrapper has begun."""
        self._meet_world()
        self.state = "playing" if self.state in ("won", "lost") else self.state
        self._ended_for = 0

    def close(self) -> None:
        """End the game and close its world."""
        self.drag.release()
        self.game.sounds.close()
        self.game.close()

    def _meet_world(self) -> None:
        """Discard the drawing state of the last world."""
        self.drag.release()
        self.painter, self._reactions, self._sim = WorldPainter(), Reactions(), self.game.sim
        self._kept.forget()
        self._was_hit = False
        self._pace.show_whole_frame()

    def picture(
        self, width_px: int, height_px: int, alpha: float = 1.0, into: Picture | None = None
    ) -> Picture:
        """Return the picture, `alpha` (0 to 1) of the way through the current frame."""
        picture = into or Picture(width_px, height_px)
        game = self.game
        covered = (
            self.state in ("title", "won", "lost")
            or self.help_shown
            or self.settings_shown is not None
        )
        self.settings.prepare(picture, game, width_px, height_px, covered=covered)
        alpha = self._pace.alpha(alpha)
        size = (width_px, height_px)
        own = game.start_view if self.state == "title" else None
        levels = len(game.levels) > 1
        picture.view = (
            start_view(own, *size, levels=levels) if own else game.camera.view(*size, alpha)
        )
        picture.theme = game.seen_theme
        self.parts.begin()
        draw_backdrop(picture, game.sim.time, game.effects.clouds)
        draw_weather(picture, game.sim.time)
        self.parts.note("backdrop")
        self.painter.draw(
            game.sim, picture, alpha, shadows=game.show_shadows, as_packed=self._was_hit
        )
        self.parts.note("world")
        game.draw(picture, alpha)
        self.parts.note("game")
        if covered:
            picture.hide(Layer.HUD, Layer.SCREEN)
        # Confetti falls in front of the end screen.
        over = Layer.SCREEN - 1 if self.state == "won" else Layer.EFFECTS
        game.effects.draw(picture, alpha, layer=over)
        self.parts.note("effects")
        self.drag.draw(picture, self._controls.pointer)
        if self.debug_shown:
            self.overlay.draw(game.sim, picture, alpha, self.timings)
        for draw in self.over_world:
            draw(picture, alpha)
        draw_screens(self, picture, self._controls, self._frames)
        for wrapper in game.wrappers:
            wrapper.draw(picture)
        self.parts.note("screens")
        return picture

    def _answer_keys(self, controls: Controls) -> None:
        """Act on the session's own keys."""
        if self.settings_shown is not None:
            if not self.settings_shown.frame(controls):
                self.settings_shown = None
                self.settings.keep(self.game)
            return
        if controls.was_pressed(HELP, "f1"):
            self.help_shown = not self.help_shown
        if controls.was_pressed("tab", "f3"):
            self._toggle_debug()
        if controls.was_pressed("comma"):
            self.slow = not self.slow
        if controls.was_pressed(SOUND):
            self.game.sounds.toggle_mute()
            self.settings.keep(self.game)
        if controls.was_pressed(SETTINGS, "pad_y") and self.state in ("title", "paused"):
            self.settings_shown = SettingsScreen(self.game, self.settings)
            self.help_shown = False
        elif controls.was_pressed("escape") or (
            self.state != "playing" and controls.was_pressed("pad_b")
        ):
            self._go_back()
        elif self.help_shown:
            self.help_shown = not controls.was_pressed(*GO, "mouse_left")
        else:
            self._change_state(controls)

    def _change_state(self, controls: Controls) -> None:
        """Start, pause, continue or restart."""
        go = controls.was_pressed(*GO)
        is_tap = controls.device == "touch" and controls.was_pressed("mouse_left")
        if self.state == "title":
            self._choose_level(controls)
            if go or (
                controls.was_pressed("mouse_left")
                and not self.level_map.refuses(self.game, controls)
            ):
                self._begin()
        elif self.state in ("won", "lost"):
            again = controls.was_pressed(RESTART, "pad_back")
            if self._ended_for > END_DELAY and (go or again or controls.was_pressed("mouse_left")):
                if self.state == "won" and self.game.has_next_level and not again:
                    self.game.level_number += 1
                self._begin()
        elif controls.was_pressed(RESTART) or (
            self.state == "paused" and controls.was_pressed("pad_back")
        ):
            self.restart()
        elif (
            self.state == "paused"
            and controls.was_pressed("backspace")
            and len(self.game.levels) > 1
        ):
            self.restart()
            self.state = "title"  # with the map of levels
        elif controls.was_pressed(PAUSE, "pad_start") or (
            self.state == "paused" and (go or is_tap)
        ):
            self.state = "playing" if self.state == "paused" else "paused"
        elif UNPLUGGED in controls.pressed and controls.device == "pad" and not self.autopilot:
            self.state = "paused"

    def _choose_level(self, controls: Controls) -> None:
        """Let the player choose an unlocked level on the start screen."""
        number = self.level_map.chosen(self.game, controls)
        if number != self.game.level_number:
            self.game.level_number = number
            self.game.begin()
            self._meet_world()

    def _toggle_debug(self) -> None:
        """Toggle the debug drawing of the physics; frames are measured while it is shown.

        A game may call this itself.
        """
        self.debug_shown = not self.debug_shown
        profiler = self.game.sim.profiler
        if self.debug_shown:
            self._profiles_anyway = profiler.enabled
        profiler.enabled = self.debug_shown or self._profiles_anyway

    def _begin(self) -> None:
        self.game.sounds.play("click")
        self.restart()

    def _go_back(self) -> None:
        """Close the help, or pause the game, or leave it."""
        if self.help_shown:
            self.help_shown = False
        elif self.state == "playing" and not self.autopilot:
            self.state = "paused"
        else:
            self.exit_requested = True

    def _frames_due(self) -> int:
        """Return the number of frames of the world due in this frame of the screen: none, one, or
        several.
        """
        sim = self.game.sim
        rate = SLOW if self.slow and self.state == "playing" else 1.0
        rate *= self.game.clock.pass_real_time(FRAME)
        count = self._pace.due(0.0 if sim.paused else rate * sim.time_scale)
        single = sim.take_single_steps()
        if single:
            self._pace.show_whole_frame()
        return count + single

    def _stand(self, controls: Controls) -> None:
        """Keep presses for the next frame of the world; a game that stops its world sees them at
        once.
        """
        game = self.game
        if self.state != "playing" or not (game.sim.paused or game.sim.time_scale == 0.0):
            self._kept.keep(controls)
        elif not game.is_waiting:
            game.camera.advance(FRAME)
            controls = controls_of(game) if self.autopilot else controls
            game.advance(controls, standing=True)
            self._notice()

    def _step(self, controls: Controls) -> bool:
        """Run one frame of the world; False if it only finishes a frame that has seen its controls
        already.
        """
        game = self.game
        if game.is_waiting:
            game.camera.advance(0.0)
            self._listen()
            game.finish_frame()
            self._look()
            return False
        game.camera.advance(FRAME)
        # A restarted game has another simulation.
        game.sim.profiler.enabled |= self.debug_shown
        if self.state == "title":
            play_by_itself(game)
            if game.sim is not self._sim:
                self._meet_world()
            self._reactions.observe(game, self.painter.colours, hushed=True)
        elif self.state not in ("playing", "paused"):
            game.sim.step(FRAME)
            self._reactions.go_on(game)
        else:
            controls = self._seen(controls)
            self._listen()
            game.advance(controls, may_wait=True)
            self._look()
        return True

    def _seen(self, controls: Controls) -> Controls:
        """Return the input that reaches the game, and let the mouse joint follow it."""
        game = self.game
        if self.autopilot:
            controls = controls_of(game)
        if game.recorder is not None:
            # The game and the mouse joint see the same rounded input as in playback.
            controls = rounded(controls)
            controls.actions = game.bindings
        if game.drag_with_mouse:
            self.drag.follow(game.sim, controls)
        return controls

    def _listen(self) -> None:
        """Place the listener in the middle of the picture."""
        camera = self.game.camera
        self.game.sounds.listen(camera.center[0], camera.width)

    def _look(self) -> None:
        """Show the effects of a frame. If a hit-stop holds it, before its step, the picture stands
        still until the frame is finished.
        """
        if self.game.is_waiting:
            self._was_hit = True
            self._pace.show_whole_frame()
            return
        self._notice()
        self._reactions.observe(self.game, self.painter.colours)

    def _notice(self) -> None:
        """Notice a new world of the game, or its end."""
        game = self.game
        if game.sim is not self._sim:
            self._meet_world()
        if game.outcome is not None:
            self.state = game.outcome
            self._ended_for = 0
            self.drag.release()
            self._reactions.end(game)


def play_by_itself(game: Game) -> None:
    """Let the scripted player play one frame of a game behind its start screen, without sound,
    rumble or saving.
    """
    number = game.level_number
    pads = game.pads
    recorder = game.recorder
    game.pads = Pads()
    game.sounds.hushed = True
    game.recorder = None
    try:
        with game.saves.untouched():
            game.advance(controls_of(game))
            if game.outcome is not None or game.level_number != number:
                game.level_number = number
                game.begin()
    finally:
        game.pads = pads
        game.sounds.hushed = False
        game.recorder = recorder
