"""Repairs of inputs and targets, each fitted on the training data alone."""

from paramedic.treat.preparations.inputs import ClipOutliers, ImputeMissing, Standardise
from paramedic.treat.preparations.targets import (
    AsFloat,
    AsLabels,
    AsWhole,
    Enumerate,
    OneHot,
    Rescale,
    Shift,
    Squeeze,
    Unsqueeze,
)

__all__ = [
    "AsFloat",
    "AsLabels",
    "AsWhole",
    "ClipOutliers",
    "Enumerate",
    "ImputeMissing",
    "OneHot",
    "Rescale",
    "Shift",
    "Squeeze",
    "Standardise",
    "Unsqueeze",
]
