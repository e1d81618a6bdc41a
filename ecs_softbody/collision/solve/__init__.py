"""Solving: contact impulses, correction of overlap, rolling."""
