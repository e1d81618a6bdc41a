"""Kernels of motion: what all particles and bodies need: integration, limits of stiffness for
stability, conservation of energy, sleep; and the drive of characters.
"""
