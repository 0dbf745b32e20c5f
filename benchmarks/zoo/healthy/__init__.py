"""Healthy runs, as diverse as what people train."""
