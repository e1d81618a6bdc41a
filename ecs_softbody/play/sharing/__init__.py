"""Sharing: pictures and the last seconds as a film, in the folder of the player's pictures."""
