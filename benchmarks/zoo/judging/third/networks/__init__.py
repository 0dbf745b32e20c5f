"""Networks that no run of the tuning half has."""
