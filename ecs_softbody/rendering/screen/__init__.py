"""What a screen is to a player: how large its points are, how its colours are seen."""
