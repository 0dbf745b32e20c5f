"""Parts of the detection benchmark; `benchmarks/detection.py` is the entry."""
