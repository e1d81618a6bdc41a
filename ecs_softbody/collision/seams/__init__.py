"""Seams: where static colliders meet, so that bodies go over several as over one."""
