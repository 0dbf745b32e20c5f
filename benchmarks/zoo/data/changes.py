"""What can be done to a split: other shapes of the same data, harmless scales, and faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from .source import Change, Split

Function = Callable[[Tensor], Tensor]


def inputs(function: Function) -> Change:
    """The same function on all inputs, of training and of validation."""
    return lambda split, _: replace(
        split,
        inputs=function(split.inputs),
        validation_inputs=function(split.validation_inputs),
    )


def targets(function: Function) -> Change:
    """The same function on all targets, of training and of validation."""
    return lambda split, _: replace(
        split,
        targets=function(split.targets),
        validation_targets=function(split.validation_targets),
    )


def train_targets(function: Function) -> Change:
    """A fault of the training targets that validation does not share."""
    return lambda split, _: replace(split, targets=function(split.targets))


def flat() -> Change:
    return inputs(lambda x: x.flatten(1))


def rows() -> Change:
    """Pictures as sequences of rows."""
    return inputs(lambda x: x.flatten(1, -2))


def column() -> Change:
    """Class numbers 0 and 1 as a column of floats, as binary cross-entropy wants them."""
    return targets(lambda y: y.float().reshape(-1, 1))


def one_hot(classes: int) -> Change:
    return targets(lambda y: torch.nn.functional.one_hot(y, classes).float())


def scaled(factor: float, offset: float = 0.0) -> Change:
    """All inputs times a factor, plus an offset."""
    return inputs(lambda x: x * factor + offset)


def target_scaled(factor: float, offset: float = 0.0) -> Change:
    return targets(lambda y: y * factor + offset)


def one_feature_scaled(feature: int, factor: float) -> Change:
    """One column of the inputs in other units, as salary beside age."""

    def change(x: Tensor) -> Tensor:
        x = x.clone()
        x[..., feature] *= factor
        return x

    return inputs(change)


def shuffled_labels(split: Split, generator: torch.Generator) -> Split:
    """Each target goes to a sample it does not belong to, in training and in validation."""
    train = torch.randperm(len(split.targets), generator=generator)
    validation = torch.randperm(len(split.validation_targets), generator=generator)
    return replace(
        split,
        targets=split.targets[train],
        validation_targets=split.validation_targets[validation],
    )


def noise_targets(split: Split, generator: torch.Generator) -> Split:
    """Regression targets that are nothing but noise."""
    train, validation = split.targets.shape, split.validation_targets.shape
    return replace(
        split,
        targets=torch.randn(train, generator=generator),
        validation_targets=torch.randn(validation, generator=generator),
    )


def outliers(share: float, value: float) -> Change:
    """A few samples of the training inputs have one broken reading."""

    def change(split: Split, generator: torch.Generator) -> Split:
        x = split.inputs.clone().flatten(1)
        hit = torch.rand(len(x), generator=generator) < share
        feature = torch.randint(x.shape[1], (len(x),), generator=generator)
        x[hit, feature[hit]] = value
        return replace(split, inputs=x.reshape(split.inputs.shape))

    return change


def share_of_targets(share: float, value: float) -> Change:
    """Some training targets are replaced by one value."""

    def change(split: Split, generator: torch.Generator) -> Split:
        y = split.targets.clone()
        y[torch.rand(len(y), generator=generator) < share] = value
        return replace(split, targets=y)

    return change


def wrong_labels(share: float) -> Change:
    """Some training targets change places."""

    def change(split: Split, generator: torch.Generator) -> Split:
        y = split.targets.clone()
        chosen = torch.randperm(len(y), generator=generator)[: int(share * len(y))]
        y[chosen] = y[chosen.roll(1)]
        return replace(split, targets=y)

    return change


def heavy_tails(share: float, factor: float) -> Change:
    """A few training targets are enormous."""

    def change(split: Split, generator: torch.Generator) -> Split:
        y = split.targets.clone()
        y[torch.rand(len(y), generator=generator) < share] *= factor
        return replace(split, targets=y)

    return change


def input_noise(deviation: float) -> Change:
    """Noise on the inputs, in training and in validation."""

    def change(split: Split, generator: torch.Generator) -> Split:
        def noisy(x: Tensor) -> Tensor:
            return x + deviation * torch.randn(x.shape, generator=generator)

        return replace(
            split,
            inputs=noisy(split.inputs),
            validation_inputs=noisy(split.validation_inputs),
        )

    return change


def inputs_as_targets(split: Split, generator: torch.Generator) -> Split:
    """For models that rebuild or imitate what they see."""
    del generator
    return replace(split, targets=split.inputs, validation_targets=split.validation_inputs)


def two_views(deviation: float) -> Change:
    """Each sample twice, with other noise: [N, 2, features]."""

    def change(split: Split, generator: torch.Generator) -> Split:
        def views(x: Tensor) -> Tensor:
            pair = x.unsqueeze(1).expand(-1, 2, -1)
            return pair + deviation * torch.randn(pair.shape, generator=generator)

        return replace(
            split,
            inputs=views(split.inputs),
            validation_inputs=views(split.validation_inputs),
        )

    return change


def words_present(words: int) -> Change:
    """A document as zeros and ones: which words it has."""

    def change(x: Tensor) -> Tensor:
        return torch.zeros(len(x), words).scatter_(1, x, 1.0)

    return inputs(change)


def zero_to(highest: float) -> Change:
    """All inputs from 0 to a value, by one common scale."""

    def change(split: Split, generator: torch.Generator) -> Split:
        del generator
        low, high = split.inputs.min(), split.inputs.max()

        def scale(x: Tensor) -> Tensor:
            return (x - low) / (high - low) * highest

        return replace(
            split,
            inputs=scale(split.inputs),
            validation_inputs=scale(split.validation_inputs),
        )

    return change


def target_noise(deviation: float) -> Change:
    """Noise on the targets, in training and in validation: an error that nobody can avoid."""

    def change(split: Split, generator: torch.Generator) -> Split:
        def noisy(y: Tensor) -> Tensor:
            return y + deviation * torch.randn(y.shape, generator=generator)

        return replace(
            split,
            targets=noisy(split.targets),
            validation_targets=noisy(split.validation_targets),
        )

    return change


def targets_beside(split: Split, generator: torch.Generator) -> Split:
    """The targets beside the inputs, for models that are told what came before."""
    del generator
    return replace(
        split,
        inputs=torch.cat([split.inputs, split.targets], 1),
        validation_inputs=torch.cat([split.validation_inputs, split.validation_targets], 1),
    )


def middle_of_window(length: int) -> Change:
    """Words around a place as inputs, the word at that place as target."""
    half = length // 2

    def change(split: Split, generator: torch.Generator) -> Split:
        del generator

        def around(x: Tensor) -> Tensor:
            return torch.cat([x[:, :half], x[:, half + 1 : length]], 1)

        return replace(
            split,
            inputs=around(split.inputs),
            targets=split.inputs[:, half],
            validation_inputs=around(split.validation_inputs),
            validation_targets=split.validation_inputs[:, half],
        )

    return change
