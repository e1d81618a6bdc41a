"""Collision: broad phase, narrow phase, response and sweeps; compiled, without esper."""
