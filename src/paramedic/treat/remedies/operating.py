"""Surgery on the model of a plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn

from paramedic.treat.plan import Plan
from paramedic.treat.remedies.reading import example
from paramedic.treat.remedy import Treated
from paramedic.treat.surgery import Operation

Edit = Callable[[nn.Module, Any], Operation]


def operated(plan: Plan, edit: Edit) -> Treated:
    """The plan with its model edited, as it is before training: the same initial weights where
    they are kept."""
    done = edit(plan.build_model(), example(plan))
    return Treated(plan.replace(model=done.model), done.description, done.code)
