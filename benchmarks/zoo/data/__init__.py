"""What the runs of the zoo are trained on: small, seeded pieces of well-known data."""
