"""Edits on models that keep what can be kept.

```python
operation = insert_normalisation(model, example)
operation.model, operation.description, operation.code, operation.layers
```

Each edit copies the model, changes the copy, runs it on the example in both modes, and gives it
back with a description; or it raises a `Refusal` that says why it cannot be made.
"""

from paramedic.treat.surgery.activations import activations, replace_activations
from paramedic.treat.surgery.dropout import add_dropout
from paramedic.treat.surgery.head import resize_output
from paramedic.treat.surgery.initialisation import reinitialise
from paramedic.treat.surgery.normalisation import insert_normalisation
from paramedic.treat.surgery.operation import Operation, Refusal
from paramedic.treat.surgery.output import add_output_activation, remove_output_activation

__all__ = [
    "Operation",
    "Refusal",
    "activations",
    "add_dropout",
    "add_output_activation",
    "insert_normalisation",
    "reinitialise",
    "remove_output_activation",
    "replace_activations",
    "resize_output",
]
