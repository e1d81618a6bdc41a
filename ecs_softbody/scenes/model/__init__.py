"""Model: what a scene file may have, found from what components and blueprints declare."""
