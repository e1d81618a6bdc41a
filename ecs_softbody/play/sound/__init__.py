"""What is heard: waves, files, music."""
