"""Detection: the search for contacts, by broad phase, narrow phase and speculative margins."""
