"""Kernels of forces: each adds the force of one law to the sum of forces on the particles, in every
substep. Most read only positions and velocities at its start, so their order does not matter; shape
matching and drag follow the others, since they act on the velocity that these will give.
"""
