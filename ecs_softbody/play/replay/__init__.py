"""Replays, rewinding and ghosts: moments of a game that are played again."""
