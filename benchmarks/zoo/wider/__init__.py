"""More runs of the tuning half: what else people train, and what else they get wrong."""
