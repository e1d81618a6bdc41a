"""Model: what the inspector shows and changes; it needs no window."""
