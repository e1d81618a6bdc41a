"""Land: the surroundings of the bodies: sky and hills, weather, ground, grass and water."""
