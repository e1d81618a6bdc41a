"""Every kind by its name."""

from __future__ import annotations

from tests.fuzzing.kinds.kept import GameSaves, PlayerSettings
from tests.fuzzing.kinds.kind import Kind
from tests.fuzzing.kinds.maps import Ldtk, Svg, Tiled, Tmx
from tests.fuzzing.kinds.media import Pictures, Sounds
from tests.fuzzing.kinds.rounds import Ghosts, Replays
from tests.fuzzing.kinds.scene_files import JsonScenes, Scenes
from tests.fuzzing.kinds.worlds import Snapshots

EVERY: tuple[type[Kind], ...] = (
    Snapshots, Replays, Ghosts, Scenes, JsonScenes, Tiled, Tmx, Ldtk, Svg, Pictures, Sounds,
    GameSaves, PlayerSettings,
)  # fmt: skip
