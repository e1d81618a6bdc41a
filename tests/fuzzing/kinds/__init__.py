"""Kinds of files: what is right of each, how it is damaged, the door that reads it, and what
follows.
"""
