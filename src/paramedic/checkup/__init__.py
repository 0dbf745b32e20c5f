"""The check-up before training: `paramedic.checkup(model, batch, loss_fn, optimizer)`.

```python
report = paramedic.checkup(model, (x, y), nn.CrossEntropyLoss(), optimizer)
print(report)       # a row per check: passed, failed or skipped, and why
assert report.ok
```

The room has the name of its verb, so it can be called itself.
"""

from __future__ import annotations

import inspect
import sys
from types import ModuleType
from typing import Any

from paramedic.checkup.examination import checkup
from paramedic.checkup.report import Entry, Report, Status

__all__ = ["Entry", "Report", "Status", "checkup"]


class _CallableRoom(ModuleType):
    """Importing anything from this room binds the room to the name `paramedic.checkup`, over the
    function of that name: so the room must be able to do what the function does."""

    def __call__(self, *args: Any, **kwargs: Any) -> Report:
        return checkup(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableRoom
__signature__ = inspect.signature(checkup)
