"""Kernels of fluids: the lift of water, and the resistance of wind, water and drag, on outlines."""
