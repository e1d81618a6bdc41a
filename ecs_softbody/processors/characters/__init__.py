"""Characters: what they stand on, what a game wants of them, and the forces that do it."""
