"""What the drivers of the ecosystem benchmark share: the data, the mistake, the outcome.

A driver is a short program around another package's trainer. It is run twice, as
`python driver.py` and, if it has one, with a real-life mistake, as `python driver.py --mistake`.
It ends by saying with `outcome` how good the trained model is by its own metric, which is what its
verdict is judged by.
"""

import json
import os
import sys
from pathlib import Path

MISTAKE = "--mistake" in sys.argv[1:]
"""Whether this run is to make the mistake that the driver's docstring describes."""


def data(name: str) -> Path:
    """A file below the data folder (`PARAMEDIC_DATA`, by default `../shared/data`)."""
    folder = os.environ.get("PARAMEDIC_DATA") or Path(__file__).parents[4] / "shared" / "data"
    path = Path(folder) / name
    if not path.exists():
        sys.exit(
            f"no data: {path} does not exist; set PARAMEDIC_DATA to the folder that has {name}"
        )
    return path


def outcome(metric: str, value: float, *, baseline: float, needed: float) -> None:
    """Say how good the trained model is: `value` of `metric`, which is `baseline` untrained.

    It has learned if `value` has reached `needed`; `needed` lies below `baseline` for metrics that
    are better when lower. Between a fifth of the way from `baseline` and `needed` lies what is
    neither learned nor failed.
    """
    way = (value - baseline) / (needed - baseline)
    said = "learned" if way >= 1 else "failed" if not way > 0.2 else "partly"
    print(f"outcome: {metric} {value:.4g} (without learning {baseline:.4g}): {said}")
    if path := os.environ.get("ECOSYSTEM_OUTCOME"):
        told = {
            "metric": metric,
            "value": float(value),
            "baseline": float(baseline),
            "needed": float(needed),
        }
        Path(path).write_text(json.dumps(told | {"outcome": said}))


def allow_torchvision() -> None:
    """Make torchvision importable where its compiled half does not fit torch.

    The package index has no CPU build of it: the benchmark's setup puts its Python half beside the
    other packages (`ECOSYSTEM_TORCHVISION`), and its operators are declared here, never called.
    """
    if folder := os.environ.get("ECOSYSTEM_TORCHVISION"):
        sys.path.append(folder)
    import torch

    global _operators
    _operators = torch.library.Library("torchvision", "DEF")
    regions = [f"{kind}_{what}" for kind in ("roi", "ps_roi") for what in ("align", "pool")]
    backward = [f"_{name}_backward" for name in (*regions, "deform_conv2d")]
    for name in ("nms", "qnms", "qroi_align", "deform_conv2d", *regions, *backward):
        _operators.define(f"{name}(Tensor input) -> Tensor")
