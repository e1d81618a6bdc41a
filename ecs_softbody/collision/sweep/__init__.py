"""Sweep: continuous collision detection; what crossed a wall in a substep is brought back."""
