"""Replays, rewinding and ghosts: replaying moments of a game."""
