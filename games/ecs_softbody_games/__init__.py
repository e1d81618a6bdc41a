"""The included games: each uses only the public names of `ecs_softbody`."""
