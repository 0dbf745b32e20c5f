"""The judging half: networks and data on which nobody has tuned a detector.

Whoever changes a detector looks at the tuning half and leaves this one alone. Once detectors have
been changed because of what was seen of an architecture here, it is no longer fit to judge them:
it is named in `TUNED_ON` in `recipe.py`, by which its runs join the tuning half, and new
architectures take its place: `second/` holds those that did so first, `third/` the next ones.
`fourth/` adds sick runs where too few were left, `fifth/`, `sixth/` and `seventh/` new
architectures once more, `eighth/` healthy runs of others still.
"""
