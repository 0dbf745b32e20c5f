"""The rule sets of the systems we unite, to the letter, faults included: one file per system.

They are here to be compared with. No rule of ours depends on them.
"""
