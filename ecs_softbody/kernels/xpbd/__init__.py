"""Kernels of the solver XPBD: springs, angles, gas and areas at the end of a substep."""
