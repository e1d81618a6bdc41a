"""Sweep: continuous collision detection; particles that crossed a wall in a substep are brought
back.
"""
