"""Game: the base class of all games, whatever draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.effects import Effects
from ecs_softbody.play.game_clock import FRAME, GameClock
from ecs_softbody.play.sound.sounds import Sounds
from ecs_softbody.rendering.camera import Camera
from ecs_softbody.simulation import Simulation

if TYPE_CHECKING:
    from ecs_softbody.rendering.picture import Picture

RESERVED_KEYS = frozenset({"escape", "p", "r", "h", "m", "tab", "comma", "period", "f1", "f3", "f11", "f12"})
"""Keys that the session uses itself: pause, restart, help, sound, debug picture, slow motion, single step."""

Outcome = Literal["won", "lost"]


class Game:
    """Base class of a game. Override `start`, and what else the game needs.

    A session makes the game, calls `start`, then every 1/60 s `update`, one step of `sim`, and `after_step`;
    `draw` adds to every picture what the bodies' own pictures do not show.
    """

    name: ClassVar[str] = "game"
    """Name for the command line, in lower case with dashes."""
    title: ClassVar[str] = "Game"
    tagline: ClassVar[str] = ""
    """One short line on the start screen: what the player is to do."""
    keys: ClassVar[list[tuple[str, str]]] = []
    """(key, what it does), shown on the start screen, at the bottom while playing, and in the help."""
    drag_with_mouse: ClassVar[bool] = False
    """Whether the mouse can take hold of any soft body."""
    impact_effects: ClassVar[bool] = True
    """Whether hard impacts splash and sound by themselves."""
    show_shadows: ClassVar[bool] = True
    """Whether bodies drop a soft shadow on the static ground below them."""

    sim: Simulation
    """The world of this round; `start` makes it."""
    outcome: Outcome | None
    """None while the game goes on; `won` or `lost` ends it."""

    def __init__(self) -> None:
        self.camera = Camera()
        self.sounds = Sounds()
        self.effects = Effects()
        self.clock = GameClock(lambda: getattr(self, "sim", None))
        self.outcome = None

    def start(self) -> None:
        """Build a new world in `self.sim`, and everything else that a new round needs. Also called to restart."""
        raise NotImplementedError

    def update(self, controls: Controls, dt: float) -> None:
        """Do what one frame needs before the step; `dt` is 1/60 s."""

    def after_step(self, dt: float) -> None:
        """Do what one frame needs after the step, when `sim.contacts` can be read."""

    def draw(self, picture: Picture, alpha: float) -> None:
        """Add coins, numbers, flags; `alpha` (0 to 1) is the share of the frame that has passed."""

    def outcome_text(self) -> str:
        """Return one line for the screen that ends the game."""
        return ""

    def begin(self) -> None:
        """Start a round: no timers, no effects, a new world, and the camera where `start` wants it."""
        self.clock.clear()
        self.effects.clear()
        self.start()
        self.outcome = None
        self.camera.settle()

    def advance(self, controls: Controls) -> None:
        """Play one frame: timers, `update`, one step of the world, `after_step`. Sessions and tests call it."""
        self.clock.advance(self.sim)
        self.update(controls, FRAME)
        self.sim.step(FRAME)
        self.after_step(FRAME)

    def autopilot(self) -> Controls:
        """Return what a scripted player does in this frame; the demo, recordings and tests play the game with it."""
        return Controls()

    def close(self) -> None:
        """Give up the simulation's world."""
        if hasattr(self, "sim"):
            self.sim.close()
