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

from paramedic.version import __version__

if TYPE_CHECKING:
    from paramedic.diagnose.detector import Detector
    from paramedic.diagnose.replay import replay
    from paramedic.trace import Trace, TraceError
    from paramedic.treat.watch import watch

__all__ = ["Detector", "Trace", "TraceError", "__version__", "replay", "watch"]

# Where the public names live: `import paramedic` is fast because it loads none of them.
_HOMES = {
    "Detector": "paramedic.diagnose.detector",
    "replay": "paramedic.diagnose.replay",
    "Trace": "paramedic.trace",
    "TraceError": "paramedic.trace",
    "watch": "paramedic.treat.watch",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'paramedic' has no attribute {name!r}")
    if name == "watch":
        from paramedic.optional import require

        require("torch", extra="torch", needed_by="paramedic.watch")
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
