"""Scenes: what each component looks like."""
