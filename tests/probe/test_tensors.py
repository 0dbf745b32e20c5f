"""Any tensor as plain numbers."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from paramedic.probe.tensors import all_tensors, first_tensor, is_sharded, local, values


def _randn(*shape: int, **options: Any) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), **options)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_plain_tensors_share_their_memory(dtype: torch.dtype) -> None:
    x = _randn(3, 4).to(dtype)
    flat, zeros = values(x)
    assert flat.data_ptr() == x.data_ptr()
    assert flat.dtype is dtype
    assert flat.tolist() == x.reshape(-1).tolist()
    assert zeros == 0


def test_parameters_are_read_without_autograd() -> None:
    parameter = nn.Parameter(_randn(3, 4))
    flat = values(parameter).flat
    assert not flat.requires_grad
    assert flat.data_ptr() == parameter.data_ptr()
    computed = values(parameter * 2).flat
    assert computed.grad_fn is None


@pytest.mark.parametrize("shape", [(), (1,), (0,), (2, 0, 3), (2, 3, 4)])
def test_any_shape_becomes_a_vector(shape: tuple[int, ...]) -> None:
    x = _randn(*shape) if shape else torch.tensor(5.0)
    flat = values(x).flat
    assert flat.dim() == 1
    assert flat.tolist() == x.flatten().tolist()


def test_memory_that_is_not_contiguous() -> None:
    x = _randn(4, 6)
    assert values(x.t()).flat.tolist() == x.t().flatten().tolist()
    assert values(x[:, ::2]).flat.tolist() == x[:, ::2].flatten().tolist()
    image = _randn(2, 3, 4, 5).to(memory_format=torch.channels_last)
    assert values(image).flat.tolist() == image.flatten().tolist()
    assert values(torch.ones(()).expand(3, 2)).flat.tolist() == [1.0] * 6


def test_complex_values_are_two_real_ones() -> None:
    x = torch.complex(torch.tensor([1.0, 2.0]), torch.tensor([3.0, -4.0]))
    assert values(x).flat.tolist() == [1.0, 3.0, 2.0, -4.0]
    assert values(x.conj()).flat.tolist() == [1.0, -3.0, 2.0, 4.0]
    assert values(x).implicit_zeros == 0


def test_sparse_rows_are_summed_before_they_are_read() -> None:
    stored = torch.sparse_coo_tensor(
        torch.tensor([[1, 3, 1]]), torch.tensor([[1.0, 2.0], [5.0, 6.0], [10.0, 20.0]]), (5, 2),
        check_invariants=True,
    )  # fmt: skip
    flat, zeros = values(stored)
    assert sorted(flat.tolist()) == [5.0, 6.0, 11.0, 22.0]
    assert zeros == 6
    assert not stored.is_coalesced()  # theirs is left as it was


def test_a_sparse_gradient_of_an_embedding() -> None:
    embedding = nn.Embedding(7, 3, sparse=True)
    embedding(torch.tensor([2, 2, 5])).sum().backward()
    flat, zeros = values(embedding.weight.grad)
    assert sorted(flat.tolist()) == [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]
    assert zeros == 15


def test_sparse_complex_values() -> None:
    dense = torch.zeros(4, dtype=torch.complex64)
    dense[1] = 3 - 2j
    flat, zeros = values(dense.to_sparse())
    assert flat.tolist() == [3.0, -2.0]
    assert zeros == 6


@pytest.mark.filterwarnings("ignore:Sparse")
def test_compressed_sparse_rows() -> None:
    dense = torch.tensor([[0.0, 2.0], [3.0, 0.0]])
    flat, zeros = values(dense.to_sparse_csr())
    assert flat.tolist() == [2.0, 3.0]
    assert zeros == 2


def test_subclasses_are_read_as_tensors() -> None:
    class Sub(Tensor):
        pass

    assert values(_randn(2, 2).as_subclass(Sub)).flat.tolist() == _randn(2, 2).flatten().tolist()


def test_a_plain_tensor_is_no_shard() -> None:
    x = _randn(3)
    assert not is_sharded(x)
    assert local(x) is x


def test_first_tensor_prefers_floating_ones() -> None:
    numbers, half, spectrum = torch.tensor([1, 2]), torch.ones(2).half(), torch.ones(1) * 1j
    assert first_tensor(numbers) is numbers
    assert first_tensor((numbers, half)) is half
    assert first_tensor([None, {"a": numbers, "b": spectrum}]) is spectrum
    assert first_tensor((numbers, "text")) is numbers
    assert first_tensor(("text", 3, None)) is None
    assert first_tensor(3.0) is None


def test_all_tensors_of_a_nest_in_order() -> None:
    a, b, c, d = (torch.tensor(float(place)) for place in range(4))
    nest = (a, [b, 1, "text"], OrderedDict(x=c, y={"z": d}))
    assert [id(one) for one in all_tensors(nest)] == [id(one) for one in (a, b, c, d)]
    assert all_tensors(None) == []
    assert all_tensors({"a": 1, "b": "text"}) == []


def test_all_tensors_gives_up_at_some_depth() -> None:
    x = torch.ones(1)
    assert len(all_tensors([[[x]]])) == 1
    assert all_tensors([[[[x]]]]) == []
    endless: list[Any] = []
    endless.append(endless)
    assert all_tensors(endless) == []
