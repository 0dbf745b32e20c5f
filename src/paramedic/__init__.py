"""Paramedic: a first responder for neural-network training.

```python
import paramedic

with paramedic.watch(model, optimizer, trace="run.db") as monitor:
    train(model, optimizer)
```
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paramedic.checkup.examination import checkup
    from paramedic.diagnose.detector import Detector
    from paramedic.inject.injecting import inject
    from paramedic.prescribe.replay import replay
    from paramedic.trace import Trace, TraceError
    from paramedic.treat.heal.healing import heal
    from paramedic.treat.plan import Plan
    from paramedic.treat.watch import watch
    from paramedic.version import __version__

__all__ = [
    "Detector",
    "Plan",
    "Trace",
    "TraceError",
    "__version__",
    "checkup",
    "heal",
    "inject",
    "replay",
    "watch",
]

# Where the public names live: `import paramedic` is fast because it loads none of them.
_HOMES = {
    "checkup": "paramedic.checkup.examination",
    "Detector": "paramedic.diagnose.detector",
    "heal": "paramedic.treat.heal.healing",
    "inject": "paramedic.inject.injecting",
    "Plan": "paramedic.treat.plan",
    "replay": "paramedic.prescribe.replay",
    "Trace": "paramedic.trace",
    "TraceError": "paramedic.trace",
    "watch": "paramedic.treat.watch",
    "__version__": "paramedic.version",
}
_NEED_TORCH = ("Plan", "checkup", "heal", "inject", "watch")


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'paramedic' has no attribute {name!r}")
    if name in _NEED_TORCH:
        from paramedic.optional import require

        require("torch", extra="torch", needed_by=f"paramedic.{name}")
    found = getattr(importlib.import_module(home), name)
    # The import may have put a room of the same name here: the public name is the call.
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
