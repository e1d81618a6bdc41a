"""Kernels of motion: integration, what a substep can carry, sleep."""
