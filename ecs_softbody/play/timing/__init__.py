"""Timing: game time, its frames against the screen's, and pictures that need no redraw."""
