"""2-D soft bodies for games."""
