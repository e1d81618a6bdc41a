"""Play: games around a simulation, with windows, sounds and recordings. Importing it opens nothing."""

from ecs_softbody.play.effects import Effects
from ecs_softbody.play.game import RESERVED_KEYS, Game
from ecs_softbody.play.game_clock import FRAME
from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.recording import record, screenshot
from ecs_softbody.play.session import Session
from ecs_softbody.play.sound.sounds import Sounds

__all__ = ["FRAME", "RESERVED_KEYS", "Controls", "Effects", "Game", "Session", "Sounds", "record", "screenshot"]
