"""Player input: keys, mouse and game controllers, bound to actions."""
