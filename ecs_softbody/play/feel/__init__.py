"""What a player feels: particles, impacts, marks of what moves."""
