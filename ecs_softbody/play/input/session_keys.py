"""Keys that a session has in every game: which key pauses, say, is written here alone."""

from __future__ import annotations

# See `Session._answer_keys` and `_change_state` for where each works.
PAUSE = "p"
RESTART = "r"
SETTINGS = "o"
SOUND = "m"
HELP = "h"
