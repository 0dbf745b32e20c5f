"""What people see of a run, on terminals and pages.

Importing rich draws from Python's stream of random numbers, which may be that of a program: it is
put back.
"""

import random

_before = random.getstate()

import rich.style  # noqa: E402, F401

random.setstate(_before)
