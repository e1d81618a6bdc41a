"""Labs: short scenes that can be played, one file each, on the base class `Lab`."""
