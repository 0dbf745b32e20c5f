"""What watching costs on these models: one process, one model, every other step watched."""

from __future__ import annotations

from itertools import cycle
from typing import Any

from overhead_parts.absence import Absence
from overhead_parts.together import together
from overhead_parts.variants import Watch
from overhead_parts.workloads import Rig, Workload
from torch import nn

from .patients import Patient
from .plan import Task

REPEATS = 5
BATCHES = 64


class Defaults(Watch):
    """`paramedic.watch(model, optimizer)`, as a user writes it."""

    name = "doctor"
    traced = False


def overhead_tasks() -> list[Task]:
    """The models, small and large."""
    return [
        Task("overhead", Patient("tinyshakespeare", 340, "0.1M"), labels={"workload": "D1"}),
        Task("overhead", Patient("tinyshakespeare", 340, "0.8M"), labels={"workload": "D2"}),
    ]


def measure_overhead(task: Task) -> dict[str, Any]:
    """Ratios of the step time, one for each repeat."""
    workload = Workload(task.labels["workload"], task.patient.name, lambda: _rig(task.patient))
    found = together(workload, [Defaults()], Absence(), REPEATS)
    return {"ratios": [one["ratio"]["mean"] for one in found["variants"]["doctor"]]}


def _rig(patient: Patient) -> Rig:
    model, optimizer = patient.build()
    data = [patient.batch(step) for step in range(BATCHES)]
    return Rig(model, optimizer, nn.CrossEntropyLoss(), cycle(data))
