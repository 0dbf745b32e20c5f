"""The record of a run: one SQLite file, written live, read by anybody, now or later.

`Writer` records, `Trace` reads, `History` is the rolling memory both a live and a replayed run
look through, `export` gives Arrow tables. `Journal` is the log beside it, as JSON lines.
"""

from __future__ import annotations

from paramedic.trace.errors import TraceError
from paramedic.trace.export import export
from paramedic.trace.history import History
from paramedic.trace.journal import Journal
from paramedic.trace.paths import fresh_path, newest_path
from paramedic.trace.reader import Trace
from paramedic.trace.store import Writer

__all__ = [
    "History", "Journal", "Trace", "TraceError", "Writer", "export", "fresh_path", "newest_path",
]  # fmt: skip
