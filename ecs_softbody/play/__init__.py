"""Play: games around a simulation, with windows, sounds and recordings. Importing it opens nothing."""

from ecs_softbody.play.effects import Effects
from ecs_softbody.play.game import RESERVED_KEYS, Game
from ecs_softbody.play.game_clock import FRAME, GameClock, Timer
from ecs_softbody.play.input.actions import Axis, Button
from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.input.pads import Pads
from ecs_softbody.play.recording import record, screenshot
from ecs_softbody.play.saves import Saves
from ecs_softbody.play.session import Session
from ecs_softbody.play.settings import Settings
from ecs_softbody.play.sound.sounds import Sounds

__all__ = [
    "FRAME", "RESERVED_KEYS", "Axis", "Button", "Controls", "Effects", "Game", "GameClock", "Pads", "Saves", "Session",
    "Settings", "Sounds", "Timer", "record", "screenshot",
]  # fmt: skip
