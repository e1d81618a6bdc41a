"""Kernels of forces: each adds to the force of particles."""
