"""The view-model: everything a reader needs, computed once, for any surface.

```python
with Trace.open("run.db") as trace:
    course = view.read(trace)                       # the numbers; read(trace, course) goes on
    judgement = view.of_trace(trace) or view.of_replay(replay("run.db"))
    shown = view.run_view("run.db", course, judgement, spent=trace.meta("spent"), width=480)
shown.headline.sentence, shown.cards, shown.panels, shown.maps, shown.to_json()
```

Everything is a frozen dataclass of plain values and NumPy arrays; `plain` makes JSON of it.
"""

from __future__ import annotations

from paramedic.report.view.course import Course, of_window, read
from paramedic.report.view.findings import Advice, Card, Link
from paramedic.report.view.headline import Headline
from paramedic.report.view.heal import HealView, heal_view, read_heal
from paramedic.report.view.judgement import Judgement, of_record, of_replay, of_trace
from paramedic.report.view.maps import LayerMap
from paramedic.report.view.page import PageView
from paramedic.report.view.panels import Curve, Panel
from paramedic.report.view.plain import plain
from paramedic.report.view.run import RunView, run_view
from paramedic.report.view.study import StudyView, read_study, study_view

__all__ = [
    "Advice",
    "Card",
    "Course",
    "Curve",
    "Headline",
    "HealView",
    "Judgement",
    "LayerMap",
    "Link",
    "PageView",
    "Panel",
    "RunView",
    "StudyView",
    "heal_view",
    "of_record",
    "of_replay",
    "of_trace",
    "of_window",
    "plain",
    "read",
    "read_heal",
    "read_study",
    "run_view",
    "study_view",
]  # fmt: skip
