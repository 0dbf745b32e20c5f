"""`paramedic.watch`: the one call that attaches a monitor to a training loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from torch.optim import Optimizer

from paramedic.probe.attach import FOR_THE_USER, Models, attach
from paramedic.probe.audience import Display, Sink
from paramedic.probe.isolation import tell
from paramedic.probe.monitor import Monitor
from paramedic.probe.options import Options
from paramedic.probe.showing import chosen
from paramedic.probe.unwatched import Unwatched
from paramedic.treat.live import attending
from paramedic.types import Remedy


def watch(  # noqa: PLR0913 - these are the settings a user knows, each with a default
    model: Models,
    optimizer: Optimizer | Sequence[Optimizer],
    *,
    loss_fn: Callable[..., Any] | None = None,
    trace: str | Path | None = None,
    overhead: float | None = 0.01,
    measure: str = "full",
    accumulate: int | None = None,
    task: str | None = None,
    on_nan: str = "locate",
    strict: bool = False,
    size_limit: int = 256 * 2**20,
    rules: str | None = "configured",
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    thresholds: Mapping[str, Mapping[str, Any]] | None = None,
    treat: str = "off",
    on_remedy: Callable[[Remedy], bool] | None = None,
    limits: Mapping[str, Any] | None = None,
    log: str | Path | None = None,
    sinks: Sequence[Sink] = (),
    display: bool | Display = False,
    steps: int | None = None,
) -> Monitor:
    """Watch a training loop: measure, record and explain, without changing it unless asked to.

    Nothing else has to be called. The monitor is a context manager, or is ended by `.close()`.
    Setting the environment variable `PARAMEDIC=off` turns this into a call that does nothing.

    Args:
        model: what is trained; several models as a list or, with names, as a mapping.
        optimizer: the optimizer, or a list of them.
        loss_fn: the loss function, where it is not one of torch's own: its name and, if it is a
            module, its targets are taken from it.
        trace: a file to record to. It is that of the newest run: the trace of an earlier run is
            kept beside it, named by its time (`run-20261115-225401.db`). Nothing is overwritten;
            a file that is in use, or is no trace, is left alone and `monitor.trace` is `run-2.db`.
            A directory gets a new file named by the time. None keeps only the last frames, in
            memory.
        overhead: the share of the time of a step that watching may cost, on average. The first
            steps are always seen in full. None looks at every step.
        measure: `full`, or `vitals` for gradient norms and finiteness only.
        accumulate: how many backward passes make one step; found out if not given.
        task: `multi-class`, `binary`, `multi-label`, `regression` or `language-model`; inferred
            from the loss and the targets if not given.
        on_nan: what to do when a loss or a gradient is not finite: `locate` finds where it was
            born from what autograd keeps anyway; `replay` allows to run the failing batch once
            more on a copy of the model; `off` does neither.
        strict: raise internal errors instead of switching the failing part off (for tests).
        size_limit: bytes that the trace may take; beyond it an even share of the steps is kept.
        rules: the rule set to judge by: `configured` is that of `paramedic.toml` or
            `pyproject.toml`, where there is one, else `default`; or `autotrainer`, `bttackler`,
            `training-doctor` for the rules of these systems. None only measures.
        select: only these detectors, by code (`G001`), family (`G`) or slug.
        ignore: not these detectors.
        thresholds: other thresholds than the defaults: `{"G001": {"ratio": 1e-4}}`.
        treat: `off` only watches; `auto` intervenes in the run (skips a step that is not finite,
            clips a spike, rolls back, lowers the rate …) within `limits`; `ask` does so when
            `on_remedy`, or somebody at the terminal, says yes. See `docs/treat.md`.
        on_remedy: asked before each intervention when `treat="ask"`.
        limits: other limits than the defaults of `paramedic.treat.limits.Limits`:
            `{"roll_backs": 1, "actions": ("skip-step",)}`.
        log: a file for findings, remedies, interventions and summaries as JSON lines; it is never
            overwritten: `run.jsonl` becomes `run-2.jsonl`.
        sinks: trackers that are told the numbers, too: `[TensorBoard("runs")]`, see
            `docs/trackers.md`.
        display: show the run on stderr while it goes on: a panel on a terminal, else a line now
            and then; and a summary at the end. See `docs/terminal.md`.
        steps: how many optimizer steps the run will take, for the display to tell the time left.

    Example:
        >>> with paramedic.watch(model, optimizer, trace="run.db"):  # doctest: +SKIP
        ...     train(model, optimizer)
    """
    try:
        options = Options(
            loss_fn, trace, overhead, measure, accumulate, task, on_nan, strict, size_limit, rules,
            tuple(select), tuple(ignore), thresholds or {}, log, sinks, chosen(display), steps,
        )  # fmt: skip
        return attach(model, optimizer, options, attending(treat, on_remedy, limits))
    except FOR_THE_USER:
        raise
    except Exception as error:
        if strict:
            raise
        tell("watch", error)
        return Unwatched()
