"""Kernels of materials that change: muscles, gas, clay, tearing."""
