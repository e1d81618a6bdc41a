"""Sleep: bodies at rest, and bodies that are not finite."""
