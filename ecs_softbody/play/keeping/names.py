"""Names of save files: unique for each game and run, on any system."""

from __future__ import annotations

import hashlib
import re

PLAIN = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
"""Names that are used unchanged as file names.

Without capital letters: some file systems ignore case.
"""
RESERVED = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)),
}
"""Device names reserved by Windows, with any extension."""
SETTINGS = "settings"
"""Name of the settings file, shared by all games."""
ASIDE = "-damaged-"
"""Marks the name of a damaged file that is kept beside the new one."""
LONGEST_READABLE = 40


def file_name(name: str) -> str:
    """Return the stem of a game's file: the name itself if plain, otherwise with a hash of it."""
    reserved = name == SETTINGS or ASIDE in name or name.partition(".")[0] in RESERVED
    if PLAIN.fullmatch(name) and not reserved:
        return name
    readable = re.sub(r"[^a-z0-9]+", "-", name.lower())[:LONGEST_READABLE].strip("-") or "game"
    return f"{readable}~{hashlib.sha256(name.encode(errors='surrogatepass')).hexdigest()[:20]}"
