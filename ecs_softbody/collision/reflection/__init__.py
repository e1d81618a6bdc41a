"""Reflection: how discs that meet each other or walls bounce, all at once."""
