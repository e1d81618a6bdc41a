"""Kernels of joints: rows of constraints, solved together on velocities."""
