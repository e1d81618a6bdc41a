"""Solving: contact impulses by sequential impulses, correction of overlap, rolling resistance."""
