"""Solvers: what a substep can carry, and XPBD."""
