"""Solving: contact impulses, correction of overlap, rolling, continuous collision."""
