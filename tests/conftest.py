from __future__ import annotations

import os

# Small models on few cores: threads only get into each other's way, in child processes too.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.pop("PARAMEDIC", None)
