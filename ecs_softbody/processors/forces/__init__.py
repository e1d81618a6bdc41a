"""Forces: processors that add to Particles.force."""
