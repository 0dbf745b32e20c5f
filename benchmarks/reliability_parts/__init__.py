"""The parts of `benchmarks/reliability.py`."""
