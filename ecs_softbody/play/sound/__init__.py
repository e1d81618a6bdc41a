"""Sound: waves, files, music."""
