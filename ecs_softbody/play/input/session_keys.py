"""Keys that a session has in every game: which key pauses, say, is written here alone."""

from __future__ import annotations

PAUSE = "p"
RESTART = "r"
SETTINGS = "o"
SOUND = "m"
HELP = "h"
