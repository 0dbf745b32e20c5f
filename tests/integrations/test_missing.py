"""Without its library an adapter says what to install, when it is made."""

from __future__ import annotations

import importlib
import sys

import pytest

SINKS = {"tensorboard": "TensorBoard", "wandb": "WandB", "mlflow": "MLflow", "trackio": "Trackio"}


@pytest.mark.parametrize("library", SINKS)
def test_a_sink_without_its_library(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    module = importlib.import_module(f"paramedic.integrations.{library}")
    with pytest.raises(ImportError, match=rf"pip install 'paramedic\[{library}\]'"):
        getattr(module, SINKS[library])()


@pytest.mark.parametrize("library", ["lightning", "transformers", "keras"])
def test_a_callback_without_its_library(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"paramedic.integrations.{library}"
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=rf"pip install 'paramedic\[{library}\]'"):
        importlib.import_module(name)
