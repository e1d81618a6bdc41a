"""What the player does: keys, mouse and game controllers, bound to actions."""
