"""What lies over a game, and between games."""
