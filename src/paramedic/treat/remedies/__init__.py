"""Remedies: AUTOTRAINER's S1 to S9 with its authors' values, and more; one file for each kind.

```python
from paramedic.treat.remedies import remedies, remedies_for

plan = plan.replace(remedies=["normalise-activations", "lower-rate", MyRemedy()])
```

`order.py` has the orders in which they are tried.
"""

from paramedic.treat.remedies.order import (
    ORDER,
    SEQUENTIAL,
    WITHOUT_REMEDY,
    remedies,
    remedies_for,
    remedy,
)

__all__ = ["ORDER", "SEQUENTIAL", "WITHOUT_REMEDY", "remedies", "remedies_for", "remedy"]
