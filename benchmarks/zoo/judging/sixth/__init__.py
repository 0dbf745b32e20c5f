"""The sixth filling of the judging half: networks and data that no other filling has.

Two architectures of the fifth filling are to be tuned on and to join the tuning half (`TUNED_ON`
in `recipe.py`); these runs, with seeds from 150 on, take their place. They were written without a
look at what the detectors say of them.
"""
