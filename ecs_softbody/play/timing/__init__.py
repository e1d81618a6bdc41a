"""Timing: the time of a game, how it meets the frames of a screen, and when nothing has to be
drawn.
"""
