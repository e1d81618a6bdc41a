"""Launch: opens a window for a game or a simulation, and reports errors in it."""
