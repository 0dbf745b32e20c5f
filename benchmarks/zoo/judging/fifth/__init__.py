"""The fifth filling of the judging half: networks and data that no other filling has.

Four architectures of the third filling were tuned on and joined the tuning half (`TUNED_ON` in
`recipe.py`); these runs, with seeds from 110 on, took their place. They were written without a
look at what the detectors say of them.
"""
