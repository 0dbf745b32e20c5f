"""The eighth filling of the judging half: healthy runs on networks that no other filling has.

These runs, with seeds from 260 on, were written without a look at what the detectors say of them.
"""
