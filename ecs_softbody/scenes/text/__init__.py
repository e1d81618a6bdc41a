"""Text: TOML and JSON files as plain trees, with the line of every value, and back."""
