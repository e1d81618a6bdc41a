"""Recovery: bodies that overlap, lie across walls or are tangled are found, and driven apart."""
