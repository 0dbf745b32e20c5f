"""The third filling of the judging half: new networks, new data, and new losses.

Six architectures of the second filling were tuned on and joined the tuning half (`TUNED_ON` in
`recipe.py`); these runs, with seeds from 60 on, take their place.
"""
