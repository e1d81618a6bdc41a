"""Scenes: rendering of each component."""
