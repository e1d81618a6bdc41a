"""Solvers: the stability limits of a substep, and XPBD."""
