"""Game feel: particles, impact effects, marks of moving bodies."""
