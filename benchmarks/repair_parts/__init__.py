"""Parts of `benchmarks/repair.py`."""
