"""The frame: packing, collision, integration, correction, events."""
