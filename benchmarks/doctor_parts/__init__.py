"""The parts of `benchmarks/doctor.py`."""
