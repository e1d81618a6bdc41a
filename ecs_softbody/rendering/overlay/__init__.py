"""Overlays: the physics, drawn over the picture."""
