"""Parts of the overhead benchmark; `benchmarks/overhead.py` is the entry."""
