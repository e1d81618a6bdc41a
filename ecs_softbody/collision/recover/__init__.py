"""Recovery: bodies that interpenetrate are separated."""
