"""Trainings by other people's packages, judged by their own metrics: see `drivers/support.py`."""
