"""Play: games around a simulation, with windows, sounds and recordings. Importing it opens nothing.

`play(game)` opens a window for a game, `show(sim)` for a simulation:
`from ecs_softbody.play import play, show`.
"""

from ecs_softbody.play.feel.effects import Effects
from ecs_softbody.play.feel.impacts import Impact, Loads, find_impacts
from ecs_softbody.play.game import RESERVED_KEYS, Game
from ecs_softbody.play.input.actions import Axis, Button
from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.input.pads import Pads
from ecs_softbody.play.launch.failure import GameStopped
from ecs_softbody.play.launch.playing import play, show
from ecs_softbody.play.launch.tools import ToolMissing
from ecs_softbody.play.opening import NoDisplay
from ecs_softbody.play.recording import record, screenshot
from ecs_softbody.play.replay.best_run import BestRun
from ecs_softbody.play.replay.game_snapshot import GameSnapshot
from ecs_softbody.play.replay.ghost import Ghost
from ecs_softbody.play.replay.player import Divergence, ReplayPlayer
from ecs_softbody.play.replay.replay import Recorder, Replay
from ecs_softbody.play.replay.rewind import Rewind
from ecs_softbody.play.saves import Saves
from ecs_softbody.play.screens.slider import Slider, Sliders
from ecs_softbody.play.session import Session
from ecs_softbody.play.settings import Settings
from ecs_softbody.play.sound.sounds import Sounds
from ecs_softbody.play.timing.game_clock import FRAME, GameClock, Timer
from ecs_softbody.rendering.texts.table import add_texts, say, translated

__all__ = [
    "FRAME", "RESERVED_KEYS", "Axis", "BestRun", "Button", "Controls", "Divergence", "Effects",
    "Game", "GameClock", "GameSnapshot", "GameStopped", "Ghost", "Impact", "Loads", "NoDisplay",
    "Pads", "Recorder", "Replay", "ReplayPlayer", "Rewind", "Saves", "Session", "Settings",
    "Slider", "Sliders", "Sounds", "Timer", "ToolMissing", "add_texts", "find_impacts", "play",
    "record", "say", "screenshot", "show", "translated",
]  # fmt: skip
