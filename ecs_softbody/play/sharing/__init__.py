"""Sharing: screenshots and films of the last seconds, in the user's picture folder."""
