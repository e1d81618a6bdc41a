"""Model: the state shown and edited by the inspector; it needs no window."""
