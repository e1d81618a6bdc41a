"""Kernels of motion: integration, saturation of springs, energy, characters, sleep."""
