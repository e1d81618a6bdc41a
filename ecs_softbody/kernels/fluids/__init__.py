"""Kernels of air and water: drag and lift on outlines."""
