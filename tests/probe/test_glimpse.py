"""Remembering tensors without keeping them alive."""

from __future__ import annotations

import weakref

import torch
from torch import nn
from torch.multiprocessing.reductions import StorageWeakRef

from paramedic.probe.glimpse import Glimpse, Version


def test_a_tensor_that_is_let_go_of_is_gone() -> None:
    tensor = nn.Linear(3, 2)(torch.ones(4, 3)) * 2
    glimpse, reference = Glimpse(tensor, copied=False), weakref.ref(tensor)
    memory = StorageWeakRef(tensor.untyped_storage())
    assert glimpse.alive() is tensor
    assert glimpse.mark == tensor.grad_fn._sequence_nr()
    del tensor
    assert reference() is None
    assert memory.expired()
    assert glimpse.tensor() is None


def test_what_only_autograd_holds_is_still_there() -> None:
    tensor = torch.ones(4, 3)
    glimpse = Glimpse(tensor, copied=False)
    output = nn.Linear(3, 2)(tensor)
    del tensor
    found = glimpse.alive()
    assert found is not None
    assert found.tolist() == torch.ones(4, 3).tolist()
    del found, output
    assert glimpse.alive() is None


def test_a_copy_stays_until_it_is_let_go_of() -> None:
    glimpse = Glimpse(torch.arange(6.0).reshape(2, 3), copied=True)
    found = glimpse.tensor()
    assert found is not None
    assert found.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    glimpse.let_go()
    assert glimpse.tensor() is None


def test_of_a_large_tensor_the_first_rows_are_copied() -> None:
    glimpse = Glimpse(torch.arange(2.0**20).reshape(1024, 1024), copied=True)
    found = glimpse.tensor()
    assert found is not None
    assert found.shape == (256, 1024)
    assert glimpse.shape == (1024, 1024)
    glimpse = Glimpse(torch.zeros(2, 2**20), copied=True)
    assert glimpse.tensor() is None


def test_versions_outlive_the_tensor() -> None:
    tensor = torch.zeros(4, 3)
    version, view = Version(tensor), tensor[0]
    memory = StorageWeakRef(tensor.untyped_storage())
    assert version.intact()
    del tensor
    view.add_(1.0)
    assert not version.intact()
    del view
    assert memory.expired()


def test_what_has_no_version_counts_as_intact() -> None:
    with torch.inference_mode():
        tensor = torch.zeros(3)
    assert Version(tensor).intact()
    assert Version(torch.zeros(3).to_sparse()).intact()
