"""Materials: muscles, clay, tearing, healing."""
