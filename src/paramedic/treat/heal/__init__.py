"""Repair and retrain."""
