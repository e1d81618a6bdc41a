"""Characters: their footing, the controls set by the game, and the forces that move them."""
