from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import nn

from paramedic.run.notebook import Notebook
from paramedic.run.patching import Patches
from paramedic.run.places import Place


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)  # the layer


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    patches = Patches()
    notebook = Notebook(lambda: None)
    notebook.open(patches)
    yield notebook
    patches.remove()
    assert "notebook" not in nn.Module.__init__.__code__.co_filename


def _line(place: Place | None) -> str:
    assert place is not None
    return Path(place.file).read_text().splitlines()[place.line - 1].strip()


def test_where_things_were_made(notebook: Notebook) -> None:
    net = Net()  # the net
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)  # the optimizer
    assert _line(notebook.place(net)).endswith("# the net")
    assert _line(notebook.place(net.layer)).endswith("# the layer")
    assert _line(notebook.place(optimizer)).endswith("# the optimizer")
    assert notebook.optimizers() == [optimizer]


def test_copies_have_no_line_but_are_found(notebook: Notebook) -> None:
    twin = copy.deepcopy(Net())
    assert notebook.place(twin) is None
    assert any(one is twin for one in notebook.all_modules())
    assert any(one is twin for one in notebook.modules())  # without a search


def test_what_is_gone_is_forgotten(notebook: Notebook) -> None:
    """A program that makes models in a loop must not slow down."""
    nets = [Net() for _ in range(100)]
    del nets
    notebook.modules()
    assert len(notebook._modules) < 20


def test_nothing_is_kept_alive_and_nothing_is_pickled(notebook: Notebook) -> None:
    net = Net()
    assert b"paramedic" not in pickle.dumps(net)
    assert any(one is net for one in notebook.modules())
    del net
    assert not any(isinstance(one, Net) for one in notebook.modules())


def test_where_evaluation_began(notebook: Notebook) -> None:
    net = Net()
    assert notebook.evaluated_at(net) is None
    net.eval()  # now
    assert _line(notebook.evaluated_at(net)).endswith("# now")
    assert _line(notebook.evaluated_at(net.layer)).endswith("# now")
    net.eval()  # changes nothing
    assert _line(notebook.evaluated_at(net)).endswith("# now")
    net.train()
    net.layer.eval()  # a part
    assert _line(notebook.evaluated_at(net.layer)).endswith("# a part")
    assert _line(notebook.evaluated_at(net)).endswith("# now")


def test_an_optimizer_whose_training_was_over_steps_again(notebook: Notebook) -> None:
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    notebook.strike(optimizer)
    assert notebook.optimizers() == []
    notebook.revive(torch.optim.SGD(net.parameters(), lr=0.1))  # another one: nothing happens
    notebook.revive(optimizer)
    assert any(one is optimizer for one in notebook.optimizers())
    assert _line(notebook.place(optimizer)).startswith("optimizer = ")
