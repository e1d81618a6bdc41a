"""Launch: opens a window for a game or for a simulation, and says what went wrong in it."""
