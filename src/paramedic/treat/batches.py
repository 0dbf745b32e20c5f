"""The data of a plan, in batches whose order depends on the seed and the epoch alone."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence, Sized
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, IterableDataset, RandomSampler, SequentialSampler

from paramedic.treat.preparation import Change, Preparation, fitted

Batch = tuple[Any, Tensor]
_MOST_FITTED = 50_000  # samples of a `Dataset` that preparations are fitted on
_STRIDE = 1_000_003  # apart enough that the epochs of neighbouring seeds do not meet


@dataclass(frozen=True, eq=False)
class Loaded:
    """What a `DataLoader` was made of: the same samples can be given in batches of another size.

    `fixed` is the loader itself where its order is its own (a sampler of the user's, a stream):
    then the size of its batches cannot be changed.
    """

    dataset: Dataset[Any]
    collate: Callable[[list[Any]], Any] | None
    shuffle: bool
    fixed: DataLoader[Any] | None = None


Data = tuple[Tensor, Tensor] | Dataset[Any] | DataLoader[Any] | Loaded


def unloaded(loader: DataLoader[Any]) -> Loaded:
    """The parts of a loader."""
    plain = isinstance(loader.sampler, RandomSampler | SequentialSampler)
    is_stream = isinstance(loader.dataset, IterableDataset)
    fixed = loader if is_stream or not plain or loader.batch_size is None else None
    shuffle = isinstance(loader.sampler, RandomSampler)
    return Loaded(loader.dataset, loader.collate_fn, shuffle, fixed)


def seeded(seed: int, epoch: int) -> int:
    """The seed of an epoch."""
    return (seed * _STRIDE + epoch) % 2**63


class Batches:
    """The batches of each epoch. The same seed and epoch give the same batches in the same order.

    A last batch of one sample is left out of training where there are others: normalisation over
    it is not defined.
    """

    def __init__(
        self, data: Data, size: int, *, seed: int = 0, train: bool = True, device: str = "cpu"
    ) -> None:
        self.data, self.size, self.seed, self.train = data, size, seed, train
        self.device = torch.device(device)
        self._inputs: Change = _same
        self._targets: Change = _same

    def prepared(self, inputs: Change, targets: Change) -> Batches:
        """The same with the data changed; tensors are changed once, others batch by batch."""
        changed = copy.copy(self)
        if isinstance(self.data, tuple):
            x, y = self.data
            changed.data = (inputs(x), targets(y))
        else:
            changed._inputs, changed._targets = inputs, targets
        return changed

    @property
    def samples(self) -> int | None:
        """How many there are; None for a stream."""
        source = self.data.dataset if isinstance(self.data, Loaded) else self.data
        if isinstance(source, tuple):
            return len(source[0])
        return len(source) if isinstance(source, Sized) else None

    def __len__(self) -> int:
        """Batches of one epoch."""
        if isinstance(self.data, Loaded) and self.data.fixed is not None:
            return len(self.data.fixed)
        count = self.samples or 0
        return max(-(-count // self.size) - self._drops_last(count), 0)

    def _drops_last(self, count: int) -> bool:
        return self.train and count > self.size > 1 and count % self.size == 1

    def epoch(self, epoch: int) -> Iterator[Batch]:
        """The batches of one epoch, from 0."""
        generator = torch.Generator().manual_seed(seeded(self.seed, epoch))
        if isinstance(self.data, tuple):
            yield from self._of_tensors(*self.data, generator)
            return
        for batch in self._loader(generator):
            x, y = _pair(batch)
            if isinstance(x, Tensor):
                x = self._inputs(x)
            yield _moved(x, self.device), self._targets(y).to(self.device)

    def _of_tensors(self, x: Tensor, y: Tensor, generator: torch.Generator) -> Iterator[Batch]:
        count = len(x)
        order = torch.randperm(count, generator=generator) if self.train else None
        for start in range(0, len(self) * self.size, self.size):
            which = slice(start, start + self.size) if order is None else order[start:][: self.size]
            yield x[which].to(self.device), y[which].to(self.device)

    def _loader(self, generator: torch.Generator) -> DataLoader[Any]:
        data = self.data
        if isinstance(data, DataLoader):
            data = unloaded(data)
        if not isinstance(data, Loaded):
            assert not isinstance(data, tuple)
            data = Loaded(data, None, self.train)
        if data.fixed is not None:
            return data.fixed
        return DataLoader(
            data.dataset,
            batch_size=self.size,
            shuffle=data.shuffle and self.train,
            collate_fn=data.collate,
            generator=generator,
            drop_last=self._drops_last(self.samples or 0),
        )

    def gathered(self, most: int | None = _MOST_FITTED) -> Batch:
        """The samples as one batch, in their own order; at most so many of a `Dataset`."""
        if isinstance(self.data, tuple):
            return self.data
        still = copy.copy(self)
        still.train = False
        parts: list[Batch] = []
        count = 0
        for x, y in still.epoch(0):
            parts.append((x, y))
            count += len(y)
            if most is not None and count >= most:
                break
        return _joined([x for x, _ in parts]), torch.cat([y for _, y in parts])


def prepared_pair(
    train: Batches,
    validation: Batches,
    inputs: Sequence[Preparation],
    targets: Sequence[Preparation],
) -> tuple[Batches, Batches]:
    """Both with the same preparations, which have seen the training samples only."""
    if not inputs and not targets:
        return train, validation
    x, y = train.gathered()
    change_x = fitted(inputs, x) if inputs and isinstance(x, Tensor) else _same
    change_y = fitted(targets, y) if targets else _same
    return train.prepared(change_x, change_y), validation.prepared(change_x, change_y)


def _same(values: Tensor) -> Tensor:
    return values


def _pair(batch: Any) -> Batch:
    if isinstance(batch, tuple | list) and len(batch) == 2 and isinstance(batch[1], Tensor):
        return batch[0], batch[1]
    raise ValueError(
        f"A batch must be a pair (inputs, targets) but is {_described(batch)}; let the dataset "
        "give (input, target)."
    )


def _described(batch: Any) -> str:
    if isinstance(batch, tuple | list):
        return f"a {type(batch).__name__} of {len(batch)}"
    return f"of type {type(batch).__name__}"


def _moved(values: Any, device: torch.device) -> Any:
    if isinstance(values, Tensor):
        return values.to(device)
    if isinstance(values, dict):
        return {name: _moved(value, device) for name, value in values.items()}
    if isinstance(values, tuple | list):
        return tuple(_moved(value, device) for value in values)
    return values


def _joined(parts: list[Any]) -> Any:
    first = parts[0]
    if isinstance(first, Tensor):
        return torch.cat(parts)
    if isinstance(first, dict):
        return {name: _joined([part[name] for part in parts]) for name in first}
    return tuple(_joined(list(several)) for several in zip(*parts, strict=True))


def fed(model: Callable[..., Any], inputs: Any) -> Any:
    """The output of a model for the inputs of a batch: one tensor, several, or by name."""
    if isinstance(inputs, dict):
        return model(**inputs)
    if isinstance(inputs, tuple):
        return model(*inputs)
    return model(inputs)
