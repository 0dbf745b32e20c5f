"""The edits, by name, and which architectures refuse them with which words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn

from paramedic.treat.surgery import (
    Operation,
    add_dropout,
    add_output_activation,
    insert_normalisation,
    reinitialise,
    remove_output_activation,
    replace_activations,
)
from tests.treat.surgery.architectures import ARCHITECTURES

Edit = Callable[[nn.Module, Any], Operation]

EDITS: dict[str, Edit] = {
    "normalise": insert_normalisation,
    "hidden": lambda model, example: replace_activations(model, example, "leakyrelu"),
    "remove": remove_output_activation,
    "add": lambda model, example: add_output_activation(model, example, "log_softmax"),
    "reinitialise": reinitialise,
    "dropout": add_dropout,
}

_NO_ACTIVATION = "no hidden activation"
_HELD = "held somewhere else"
_BOTH = "used both between layers and for the output"
_WITH_OUTPUT_ACTIVATION = {
    "deep-sigmoid", "functional-cnn", "tied-autoencoder", "variational", "methods", "deep-sets",
    "shared-everywhere",
}  # fmt: skip

REFUSED: dict[tuple[str, str], str] = {
    ("normalise", "resnet"): "normalised already",
    ("normalise", "linear"): _NO_ACTIVATION,
    ("normalise", "plain-list"): _HELD,
    ("hidden", "rnn"): "knows only tanh and relu",
    ("hidden", "rnn-cell"): "knows only tanh and relu",
    ("hidden", "lstm"): _NO_ACTIVATION,
    ("hidden", "gru-stack"): _NO_ACTIVATION,
    ("hidden", "linear"): _NO_ACTIVATION,
    ("hidden", "branching"): "torch.fx cannot trace it",
    ("hidden", "plain-list"): _HELD,
    ("hidden", "shared-everywhere"): _BOTH,
    ("remove", "shared-everywhere"): _BOTH,
    ("add", "functional-cnn"): "already",
    ("add", "variational"): "tuple, not one tensor",
    ("add", "mapping-output"): "dict, not one tensor",
    ("add", "plain-list"): "change its definition",
    ("add", "shared-everywhere"): _BOTH,
    ("dropout", "linear"): "use weight decay",
    ("dropout", "plain-list"): _HELD,
    ("dropout", "shared-everywhere"): "use weight decay",
    **{
        ("remove", name): "ends in no activation"
        for name in ARCHITECTURES
        if name not in _WITH_OUTPUT_ACTIVATION
    },
}

DONE = [(edit, name) for edit in EDITS for name in ARCHITECTURES if (edit, name) not in REFUSED]
