"""Screen: how a player sees it: the size of its points, and its colours."""
