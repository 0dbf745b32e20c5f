"""Running programs under watch, in this process, for the tests."""

from __future__ import annotations

import contextlib
import io
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_post_hook

from paramedic.run.crier import Crier
from paramedic.run.outcome import Outcome
from paramedic.run.program import Ending, Program, execute
from paramedic.run.running import watched
from paramedic.run.settings import Settings
from paramedic.types import Finding

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@dataclass
class Seen:
    """What a program did, with or without us."""

    ending: Ending
    stdout: str
    weights: list[torch.Tensor]
    randomness: torch.Tensor
    stderr: str = ""
    outcome: Outcome = field(default_factory=lambda: Outcome(""))

    @property
    def root(self) -> str | None:
        return None if self._root is None else self._root.slug

    @property
    def verdict(self) -> str:
        return str(self.outcome.assessment.verdict)

    @property
    def _root(self) -> Finding | None:
        return self.outcome.records[0].diagnosis.root if self.outcome.records else None

    def line(self) -> str:
        """The first line of the user's that is shown for the root cause."""
        assert self._root is not None
        place = self.outcome.records[0].source(self._root)[0]
        return Path(place.file).read_text().splitlines()[place.line - 1].strip()


def plainly(path: Path, *arguments: str) -> Seen:
    """As the interpreter runs it."""
    with _caught() as caught:
        ending = execute(Program(str(path), arguments))
    return Seen(ending, *caught.take())


def under_watch(path: Path, *arguments: str, quiet: bool = True, **settings: Any) -> Seen:
    """As `paramedic run` runs it."""
    # Generous, so that what is looked at does not depend on how busy the machine is.
    settings = {"trace": None, "allowance": 60.0, **settings}
    with _caught() as caught:
        outcome, ending = watched(
            Program(str(path), arguments), Settings(strict=True, **settings), Crier(quiet=quiet)
        )
    return Seen(ending, *caught.take(), outcome=outcome)


def script(folder: Path, text: str, name: str = "train.py") -> Path:
    """A script of the user's."""
    path = folder / name
    path.write_text(textwrap.dedent(text))
    return path


class _Caught:
    def __init__(self) -> None:
        self.out, self.err = io.StringIO(), io.StringIO()
        self.weights: list[torch.Tensor] = []

    def after_step(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        held = (one for group in optimizer.param_groups for one in group["params"])
        self.weights = [one.detach().clone() for one in held]

    def take(self) -> tuple[str, list[torch.Tensor], torch.Tensor, str]:
        return self.out.getvalue(), self.weights, torch.get_rng_state(), self.err.getvalue()


@contextlib.contextmanager
def _caught() -> Any:
    caught = _Caught()
    handle = register_optimizer_step_post_hook(caught.after_step)
    try:
        with contextlib.redirect_stdout(caught.out), contextlib.redirect_stderr(caught.err):
            yield caught
    finally:
        handle.remove()
