"""Parts of `benchmarks/remedies.py`: does what is advised help?"""
