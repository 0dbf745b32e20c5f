"""The seventh filling of the judging half: networks and data that no other filling has.

These runs, with seeds from 200 on, were written without a look at what the detectors say of them.
"""
