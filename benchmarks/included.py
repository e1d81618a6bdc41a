"""The included games, whatever other games are installed beside them."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from ecs_softbody.cli.games import GROUP


def included_games() -> dict[str, EntryPoint]:
    """Return the games of this repository, by name, in alphabetical order."""
    ours = [
        entry
        for entry in entry_points(group=GROUP)
        if entry.module.startswith("ecs_softbody_games.")
    ]
    return {entry.name: entry for entry in sorted(ours, key=lambda entry: entry.name)}
