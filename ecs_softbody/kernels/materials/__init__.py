"""Kernels of materials that change: muscles, plasticity, tearing, and what happens to a body that
is cut (parted, severed, inherited, healing) or damaged (mending).
"""
