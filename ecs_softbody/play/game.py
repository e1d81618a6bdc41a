"""Game: the base class of all games, independent of the drawing back end.

A game has a world (`sim`), a camera, sounds, effects and saves, and hooks to override. A Session
(session.py) plays it frame by frame, with screens around it; tests call `begin` and `advance`
themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from ecs_softbody.components import Particles
from ecs_softbody.errors import FieldTypeError
from ecs_softbody.parallel.compiling import check_kernels
from ecs_softbody.play.feel.effects import Effects
from ecs_softbody.play.game_class import (
    bindings_of,
    check_attributes,
    check_made,
    check_outcome,
    check_world,
    missing_start,
)
from ecs_softbody.play.input.actions import Axis, Button
from ecs_softbody.play.input.controls import Controls, check_controls
from ecs_softbody.play.input.hints import keys_text
from ecs_softbody.play.input.pads import Pads
from ecs_softbody.play.input.session_keys import HELP, PAUSE, RESTART, SOUND
from ecs_softbody.play.reloading import Reloading
from ecs_softbody.play.saves import MOST_WHOLE, Saves
from ecs_softbody.play.scene_source import SceneSource, can_be_opened
from ecs_softbody.play.sound.sounds import Sounds
from ecs_softbody.play.timing import garbage
from ecs_softbody.play.timing.game_clock import FRAME, GameClock
from ecs_softbody.play.wrapping import Wrapper
from ecs_softbody.rendering.camera import Camera
from ecs_softbody.rendering.theme import DEFAULT, Theme
from ecs_softbody.scenes.loading import start as start_scene
from ecs_softbody.scenes.scene import Scene
from ecs_softbody.simulation import Simulation
from ecs_softbody.simulation.events import check_event, check_handler
from ecs_softbody.validation import check_number, check_path, unknown_attribute

if TYPE_CHECKING:
    from ecs_softbody.rendering.picture import Picture

RESERVED_KEYS = frozenset(
    (
        *(PAUSE, RESTART, HELP, SOUND),
        *("escape", "tab", "comma", "period", "f1", "f2", "f3", "f9", "f11", "f12"),
    )
)
"""Keys used by the session and the stage, which a game's actions may not have: pause, restart,
help, sound, inspector, debug picture, slow motion, single step, film, full screen, screenshot.
"""

MADE_BY_INIT = frozenset(
    (
        "camera",
        "sounds",
        "effects",
        "outcome",
        "clock",
        "bindings",
        "saves",
        "pads",
        "level_number",
        "loaded",
        "rewinds",
        "wrappers",
    )
)
"""Attributes that exist once `Game.__init__` has run."""

Outcome = Literal["won", "lost"]
"""How a round has ended."""


class RoundRecorder(Protocol):
    """Receives a game's reports about a round: `Recorder` makes a replay of them."""

    def begin_round(self, game: Any) -> None:
        """Another round begins."""

    def note(self, controls: Controls, *, standing: bool) -> Controls:
        """Return the controls that the game is to see, given the player's."""

    def note_state(self, game: Any) -> None:
        """A frame has been played."""


class Game:
    """Base class of a game. Override `start`, and any other hook the game needs.

    A session calls `start`, then every 1/60 s `update`, one step of `sim`, and `after_step`; `draw`
    adds to every picture anything beyond the bodies themselves. `play(MyGame())` opens it in a
    window.

    Attributes:
        sim: the Simulation of this round; `start` makes it.
        outcome: None while the game goes on; "won" or "lost" ends it.
        camera: the view: `fit`, `jump_to`, `follow`, `zoom_to`, `shake`, `limits`, `visible`.
        sounds: `play(name)`, `add`, `play_music`.
        effects: `splash`, `burst`, `crumbs`, `dust`, `confetti`, `ring`, `rising_text`, `wipe`,
            `flash`.
        clock: `after`, `every`, `tween`, `hit_stop`, `slow_motion`, `now`.
        saves: data that persists between runs: `keep_best`, `saves["level"] = 3`.
        is_waiting: whether a hit-stop holds the frame: `update` was called, and the step comes when
            it ends.
        actions: the player's actions: `{"move": Axis("left a", "right d", "stick_x"), "jump":
            Button("space")}`.
        bindings: the player's key bindings of the actions.
        pads: the player's controllers; `rumble` shakes them.
        levels, level_number: the levels in order, and the number of the current one, from 0.
        name: for the command line, in lower case with dashes.
        title, tagline: on the start screen: the name, and the player's goal in one short line.
        keys: pairs (key or action, description), on the start screen, at the bottom while playing,
            and in the help.
        more_keys: like `keys`, but in the help only, for keys that the game's own picture shows.
        by_pointer: the `keys` and `actions` that mouse or finger do as well: fingers get no buttons
            for them.
        scene: a scene file beside the game's own file, which `start` opens; `levels` may be such
            files as well.
        parts: blueprints, components and dataclasses of the game's own that its scenes may use.
        loaded: the open scene: `self.loaded["hero"]` is an entity.
        drag_with_mouse: whether the mouse can drag soft bodies.
        impact_effects, show_shadows: whether hard impacts splash and sound, and bodies cast a soft
            shadow.
        pauses_alone: whether it pauses when its window loses the focus.
        films: whether F9 saves its last ten seconds; its pictures are read back for that.
        start_view: rectangle of the world [m] shown between the words and keys of the start screen;
            None: the camera's view.
        theme: the look of sky, ground, water and weather: one of `rendering.themes`, or a `Theme`
            of your own.
    """

    name: ClassVar[str] = "game"
    title: ClassVar[str] = "Game"
    tagline: ClassVar[str] = ""
    keys: ClassVar[list[tuple[str, str]]] = []
    more_keys: ClassVar[list[tuple[str, str]]] = []
    by_pointer: ClassVar[Sequence[str]] = ()
    actions: ClassVar[Mapping[str, Button | Axis]] = {}
    levels: ClassVar[Sequence[Any]] = ()
    """Levels in order: builder functions, file names, or anything else that `start` turns into a
    world.
    """
    scene: ClassVar[str | Path] = ""
    parts: ClassVar[Sequence[Any]] = ()
    drag_with_mouse: ClassVar[bool] = False
    impact_effects: ClassVar[bool] = True
    show_shadows: ClassVar[bool] = True
    pauses_alone: ClassVar[bool] = True
    films: ClassVar[bool] = True
    # The group in the menu is "games", "toys", "lab", or a new one.
    group: ClassVar[str] = "games"
    start_view: tuple[float, float, float, float] | None = None
    # This view is shown on the card in the menu; with None it is the camera's view.
    card_view: tuple[float, float, float, float] | None = None
    # The result has a name in `saves`, and a format on the card, as "{:.1f} s".
    best_result: ClassVar[tuple[str, str]] = ("", "")
    # If True, the screen is 720 points high, regardless of its width and scale.
    lays_out_itself: ClassVar[bool] = False
    # This is False if the player disabled flashes: draw a steady outline instead.
    flashes: bool = True
    theme: Theme = DEFAULT

    sim: Simulation
    loaded: Scene | None
    recorder: RoundRecorder | None = None
    """Records the player's input during a round, for a replay (docs/snapshots.md)."""
    outcome: Outcome | None

    def __init__(self) -> None:
        check_attributes(self)
        self.camera = Camera()
        self.loaded = None
        self.sounds = Sounds()
        self.effects = Effects()
        self.clock = GameClock(lambda: getattr(self, "sim", None))
        self.bindings = bindings_of(self, RESERVED_KEYS)
        self.saves = Saves(self.name)
        self.pads = Pads()
        self.level_number = 0
        self.outcome = None
        self.rewinds: list[Any] = []
        """Each `Rewind` of this round; playing back a replay restores their moments."""
        self.wrappers: list[Wrapper] = []
        """What acts around the frames of this game, such as `Reloading`."""
        self._begun: int | None = None
        """Number of the level that began last."""
        # Handlers of events that every world of this game gets, and the world that has them now.
        self._handlers: list[tuple[str, Callable[..., Any]]] = []
        self._heard_in: Simulation | None = None
        # Whether another round begins at the end of this frame.
        self._begin_anew = False
        # The player's input of the last frame.
        self._controls = Controls()
        self.is_waiting = False

    def start(self) -> None:
        """Build a new world in `self.sim`, and everything else that a new round needs. Also called
        to restart.

        A game with a `scene` gets its world from the scene; its own `start` calls `super().start()`
        first.

        Raises:
            SceneError: with all errors in the scene file; the world of the last round stays.
        """
        if not (
            path := self.current_level
            if not self.scene and can_be_opened(self.current_level)
            else self.scene
        ):
            raise missing_start(self)
        self.open_scene(path)

    @cached_property
    def scene_source(self) -> SceneSource:
        """The game's scene files; from its first use on their changes are looked for."""
        source = SceneSource(type(self))
        self.wrappers.append(Reloading(self, source, self._begun))
        return source

    def open_scene(self, path: str | Path, *, solver: str = "") -> Scene:
        """Replace the world by a scene file's; it becomes `self.loaded`, and places the camera.

        Args:
            path: relative to the file of the game's class, or absolute.
            solver: overrides the file's solver.

        Raises:
            SceneError: with all errors in the file; the world of the last round stays.
        """
        path = check_path(f"{type(self).__name__}.open_scene", "path", path)
        made = self.scene_source.prepare(path, self.parts)
        if "sim" in vars(self):
            self.sim.close()
        self.loaded = start_scene(made, "", solver)
        self.sim = self.loaded.sim
        self.loaded.place_camera(self.camera)
        return self.loaded

    def update(self, controls: Controls, dt: float) -> None:
        """Override this for the frame's work before the step; `dt` is 1/60 s."""

    def after_step(self, dt: float) -> None:
        """Override this for the frame's work after the step, when `sim.contacts` can be read."""

    def draw(self, picture: Picture, alpha: float) -> None:
        """Draw coins, numbers, flags; `alpha` (0 to 1) is the elapsed fraction of the frame."""

    def outcome_text(self) -> str:
        """Return one line of text for the end screen."""
        return ""

    @property
    def seen_theme(self) -> Theme:
        """The current theme: the scene's, or the game's own."""
        return self.theme if self.loaded is None else self.loaded.theme or self.theme

    @property
    def current_level(self) -> Any:
        """The current level: one of `levels`, None without levels."""
        return self.levels[self.level_number] if self.levels else None

    @property
    def has_next_level(self) -> bool:
        """Whether another level follows."""
        return self.level_number + 1 < len(self.levels)

    @property
    def opened_levels(self) -> int:
        """Number of levels the player may choose from: the levels played so far; kept in
        `saves`.
        """
        return min(self.saves.whole("opened levels", 1, low=1), len(self.levels))

    def level_words(self, number: int) -> tuple[str, str]:
        """Return the start screen's texts for a level: its name and the player's result."""
        return "", ""

    def restart(self) -> None:
        """Restart this level at the end of this frame."""
        self._begin_anew = True

    def next_level(self) -> None:
        """Go on to the next level at the end of this frame; after the last one the game is won."""
        if not self.has_next_level:
            self.outcome = "won"
            return
        self.choose_level(self.level_number + 1)

    def choose_level(self, number: int) -> None:
        """Go to a level, counted from 0, at the end of this frame.

        Raises:
            ValueError: when there is no such level.
        """
        if number not in range(len(self.levels)):
            raise ValueError(
                f"there is no level {number!r}; the game has {len(self.levels)}, counted from 0"
            )
        self.level_number = number
        self._begin_anew = True

    def on(self, event: str, handler: Callable[..., Any]) -> None:
        """Call `handler` on an event of the world such as "contact_begin", in every world of this
        game.

        Raises:
            ValueError: for an unknown event.
            TypeError: if the handler is not callable.
        """
        check_event("Game.on", event)
        check_handler("Game.on", event, handler)
        self._handlers.append((event, handler))
        self._heard_in = None

    def key_text(self, action: str) -> str:
        """Return the label of an action's key on the device in the player's hand: "← →", "space",
        "A".

        Raises:
            ValueError: when the game has no such action.
        """
        self.bindings.all_keys(action)
        return keys_text(self.bindings, action, self._controls)

    def rumble(self, strength: float = 0.5, seconds: float = 0.15) -> None:
        """Rumble the player's controller if it has motors; strength 0 to 1."""
        owner = f"{type(self).__name__}.rumble"
        self.pads.rumble(
            check_number(owner, "strength", strength, minimum=0.0),
            check_number(owner, "seconds", seconds, minimum=0.0),
        )

    def begin(self) -> None:
        """Start a round: no timers or effects, a new world, and the camera as `start` places it."""
        self._begin_anew = self.is_waiting = False
        if self.recorder is not None:
            self.recorder.begin_round(self)
        self.clock.clear()
        self.effects.clear()
        self.rewinds.clear()
        self.outcome = None
        self.start()
        check_world(self, "start")
        check_outcome(self)
        self._begun = self.level_number
        for wrapper in self.wrappers:
            wrapper.begun(self.level_number)
        self.camera.settle()
        self._open_level(self.level_number)
        self._listen()
        # The world of the round before, and all that was kept of it, refers to itself.
        garbage.search_all()
        for rewind in self.rewinds:
            rewind.prepare()

    def advance(
        self, controls: Controls, *, standing: bool = False, may_wait: bool = False
    ) -> None:
        """Play one frame: timers, `update`, one step of the world, `after_step`. Sessions and tests
        call it.

        Args:
            controls: the player's input.
            standing: the world stands still: only `update` runs, with dt = 0, so that the game can
                resume it.
            may_wait: if a hit-stop begins before the step, leave the step to `finish_frame`:
                `is_waiting` is true until then. The result is the same, later.

        Raises:
            ValueError: for an outcome that is neither None, "won" nor "lost".
            TypeError: if `controls` is no Controls, such as None from an `autopilot` that returns
                nothing.
        """
        check_controls(f"{type(self).__name__}.advance", controls)
        if self.recorder is not None:
            controls = self.recorder.note(controls, standing=standing)
        controls.actions = self.bindings
        self._controls = controls
        if standing:
            self.update(controls, 0.0)
            self._end_frame()
            return
        before = self.sim, self.clock.is_stopped
        self.clock.advance(self.sim)
        self.update(controls, FRAME)
        check_world(self, "update")
        goes_on = (
            self.outcome is None
            and not self._begin_anew
            and not self.sim.paused
            and self.sim.time_scale > 0.0
        )
        self.is_waiting = (
            may_wait and goes_on and before == (self.sim, False) and self.clock.is_stopped
        )
        if not self.is_waiting:
            self.finish_frame()

    def finish_frame(self) -> None:
        """Play the rest of a frame: one step of the world, `after_step`. Raises the errors of
        `advance`.
        """
        self.is_waiting = False
        self._follow()
        self._listen()
        self.sim.step(FRAME)
        self.after_step(FRAME)
        self._end_frame()

    def _end_frame(self) -> None:
        """Check the outcome, open the next level after a win, record the state; begin a requested
        round.
        """
        check_outcome(self)
        if self.outcome == "won":
            self._open_level(self.level_number + 1)
        if self.recorder is not None:
            self.recorder.note_state(self)
        if self._begin_anew:
            self.begin()

    def _open_level(self, number: int) -> None:
        """Unlock a level for the player."""
        if self.opened_levels <= number < len(self.levels):
            self.saves.keep_best("opened levels", number + 1, low=1, high=MOST_WHOLE)

    def _listen(self) -> None:
        """Register the game's handlers in a new world."""
        if self._heard_in is self.sim:
            return
        self._heard_in = self.sim
        for event, handler in self._handlers:
            self.sim.on(event, handler)

    def _follow(self) -> None:
        """Have the camera follow the scene's followed body."""
        followed = (
            None if self.loaded is None or self.loaded.sim is not self.sim else self.loaded.follows
        )
        if followed is not None and self.sim.has(followed, Particles):
            body = self.sim.get(followed, Particles)
            self.camera.follow(body.center, body.velocity.mean(axis=0))

    def autopilot(self) -> Controls:
        """Return the scripted player's input for this frame; the demo, recordings and tests play
        the game with it.
        """
        return Controls()

    def close(self) -> None:
        """Close the simulation's world."""
        if isinstance(sim := getattr(self, "sim", None), Simulation):
            sim.close()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError with a hint at the cause."""
            owner = type(self).__name__
            if name == "sim":
                raise AttributeError(
                    f"{owner}.sim: there is no world yet; make one in start(): self.sim = "
                    "Simulation()"
                )
            if name in MADE_BY_INIT:
                raise AttributeError(
                    f"{owner}.{name} is not there yet; call super().__init__() first in __init__"
                )
            raise unknown_attribute(owner, name, dir(self))


def game_from(asked: str, game: Game | type[Game]) -> Game:
    """Return a game, created if its class is given.

    Raises:
        TypeError: when it is neither, or its class has an attribute that cannot be used.
        RuntimeError: if there are no compiled kernels, so that no game can run.
    """
    check_game(asked, game)
    check_kernels()
    if isinstance(game, type):
        check_attributes(game)
        game = game()
    check_made(game)
    return game


def check_game(asked: str, game: Game | type[Game]) -> None:
    """Raise TypeError unless `game` is a Game or its class; `asked` names the caller."""
    if isinstance(game, Game) or (isinstance(game, type) and issubclass(game, Game)):
        return
    cure = ". A simulation is opened with show(sim)" if isinstance(game, Simulation) else ""
    raise FieldTypeError(asked, "", game, f"a Game, or its class{cure}")
