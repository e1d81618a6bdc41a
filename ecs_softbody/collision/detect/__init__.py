"""Detection: broad phase, narrow phase and margins."""
