"""The parts of `benchmarks/hpo.py`."""
