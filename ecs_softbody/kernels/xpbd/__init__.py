"""Kernels of the solver XPBD: springs, angles, gas and areas with the forces that they have at the
end of a substep, stable at any stiffness. The other solver computes them explicitly (forces).
"""
