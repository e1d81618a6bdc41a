"""Game: the base class of all games, whatever draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ecs_softbody.play.controls import Controls
from ecs_softbody.play.effects import Effects
from ecs_softbody.play.sound import Sounds
from ecs_softbody.rendering.camera import Camera
from ecs_softbody.simulation import Simulation
from ecs_softbody.validation import did_you_mean

if TYPE_CHECKING:
    from ecs_softbody.rendering.picture import Picture

FRAME = 1.0 / 60.0
"""Length of one game frame [s]; never changes, however fast the screen is."""

RESERVED_KEYS = frozenset({"escape", "p", "r", "h", "m", "tab", "comma", "period", "f1", "f3", "f11", "f12"})
"""Keys that the session uses itself: pause, restart, help, sound, debug picture, slow motion, single step."""

Outcome = Literal["won", "lost"]


class Game:
    """Base class of a game. Override `start`, and what else the game needs.

    A session makes the game, calls `start`, then every 1/60 s `update`, one step of `sim`, and `after_step`;
    `draw` adds to every picture what the bodies' own pictures do not show. `play(MyGame())` opens it in a window.

    Attributes:
        sim: the Simulation of this round; `start` makes it.
        outcome: None while the game goes on; "won" or "lost" ends it.
        camera: what is seen: `jump_to`, `follow`, `zoom_to`, `shake`, `limits`.
        sounds: `play(name)`.
        effects: `splash`, `burst`, `ring`, `rising_text`.
        name: for the command line, in lower case with dashes.
        title, tagline: on the start screen: the name, and one short line about what the player is to do.
        keys: (key, what it does), on the start screen, at the bottom while playing, and in the help.
        drag_with_mouse: whether the mouse can take hold of any soft body.
        impact_effects: whether hard impacts splash and sound by themselves.
        show_shadows: whether bodies drop a soft shadow on the static ground below them.
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
        self.outcome = None

    def start(self) -> None:
        """Build a new world in `self.sim`, and everything else that a new round needs. Also called to restart."""
        raise NotImplementedError(
            f"{type(self).__name__}.start is missing; build a world in it: self.sim = Simulation(), then self.sim.spawn"
        )

    def update(self, controls: Controls, dt: float) -> None:
        """Do what one frame needs before the step; `dt` is 1/60 s."""

    def after_step(self, dt: float) -> None:
        """Do what one frame needs after the step, when `sim.contacts` can be read."""

    def draw(self, picture: Picture, alpha: float) -> None:
        """Add coins, numbers, flags; `alpha` (0 to 1) is the share of the frame that has passed."""

    def outcome_text(self) -> str:
        """Return one line for the screen that ends the game."""
        return ""

    def autopilot(self) -> Controls:
        """Return what a scripted player does in this frame; the demo, recordings and tests play the game with it."""
        return Controls()

    def close(self) -> None:
        """Give up the simulation's world."""
        if hasattr(self, "sim"):
            self.sim.close()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Say what is missing where an attribute is not there."""
            owner = type(self).__name__
            if name == "sim":
                raise AttributeError(
                    f"{owner}.sim: there is no world yet; make one in start(): self.sim = Simulation()"
                )
            if name in ("camera", "sounds", "effects", "outcome"):
                raise AttributeError(f"{owner}.{name} is not there yet; call super().__init__() first in __init__")
            raise AttributeError(f"{owner} has no attribute {name!r}{did_you_mean(name, dir(self))}")


def game_from(asked: str, game: Game | type[Game]) -> Game:
    """Return a game, made when its class is given.

    Raises:
        TypeError: when it is neither.
    """
    check_game(asked, game)
    return game() if isinstance(game, type) else game


def check_game(asked: str, game: Game | type[Game]) -> None:
    """Raise TypeError unless it is a Game or its class; `asked` names who asks for one."""
    if isinstance(game, Game) or (isinstance(game, type) and issubclass(game, Game)):
        return
    cure = ". A simulation is opened with show(sim)" if isinstance(game, Simulation) else ""
    raise TypeError(f"{asked}: {game!r} is not allowed; expected a Game, or its class{cure}")
