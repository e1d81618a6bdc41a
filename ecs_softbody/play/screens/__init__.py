"""Screens over a game, and between games."""
