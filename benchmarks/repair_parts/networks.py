"""The networks of the cases: fully connected, convolutional, recurrent."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .data import WORDS

ACTIVATIONS: dict[str, type[nn.Module]] = {
    "relu": nn.ReLU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid, "elu": nn.ELU,
    "leaky": nn.LeakyReLU, "selu": nn.SELU, "linear": nn.Identity,
}  # fmt: skip
OUTPUTS: dict[str, type[nn.Module] | None] = {
    "none": None, "relu": nn.ReLU, "sigmoid": nn.Sigmoid, "tanh": nn.Tanh, "softmax": nn.Softmax,
}  # fmt: skip
PLACES = {"blob": 2, "circle": 2, "mnist": 196, "cifar10": 768}
CHANNELS = {"mnist": (1, 14), "cifar10": (3, 16)}
EMBEDDED = 24


class Words(nn.Module):
    """The mean of the embedded words."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(WORDS, EMBEDDED)

    def forward(self, words: Tensor) -> Tensor:
        mean: Tensor = self.table(words).mean(1)
        return mean


class Recurrent(nn.Module):
    """Embedded words, or rows of a picture, through a recurrent layer; the last state is read."""

    def __init__(self, dataset: str, cell: str, width: int, depth: int, head: nn.Module) -> None:
        super().__init__()
        pictures = dataset in CHANNELS
        channels, size = CHANNELS.get(dataset, (1, EMBEDDED))
        inputs = channels * size if pictures else EMBEDDED
        self.table = None if pictures else nn.Embedding(WORDS, EMBEDDED)
        kind = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}[cell]
        self.cell = kind(inputs, width, num_layers=depth, batch_first=True)
        self.head = head

    def forward(self, x: Tensor) -> Tensor:
        rows = x.transpose(1, 2).flatten(2) if self.table is None else self.table(x)
        states, _ = self.cell(rows)
        output: Tensor = self.head(states.mean(1))
        return output


def fully_connected(
    dataset: str, outputs: int, *, depth: int, width: int, activation: str, last: str
) -> nn.Module:
    """Hidden layers of one width."""
    inputs = PLACES.get(dataset, EMBEDDED)
    layers: list[nn.Module] = [nn.Flatten()] if dataset in PLACES else [Words()]
    for _ in range(depth):
        layers += [nn.Linear(inputs, width), ACTIVATIONS[activation]()]
        inputs = width
    return nn.Sequential(*layers, nn.Linear(inputs, outputs), *_end(last))


def convolutional(
    dataset: str, outputs: int, *, depth: int, width: int, activation: str, last: str
) -> nn.Module:
    """Convolutions, the first two followed by pooling, then one hidden layer."""
    channels, size = CHANNELS[dataset]
    layers: list[nn.Module] = []
    for place in range(depth):
        layers += [nn.Conv2d(channels, width, 3, padding=1), ACTIVATIONS[activation]()]
        if place < 2:
            layers.append(nn.MaxPool2d(2))
            size //= 2
        channels = width
    flat = channels * size * size
    hidden = [nn.Flatten(), nn.Linear(flat, 32), ACTIVATIONS[activation]()]
    return nn.Sequential(*layers, *hidden, nn.Linear(32, outputs), *_end(last))


def recurrent(
    dataset: str, outputs: int, *, depth: int, width: int, activation: str, last: str
) -> nn.Module:
    """A recurrent layer and a head; `activation` names the cell."""
    head = nn.Sequential(nn.Linear(width, outputs), *_end(last))
    return Recurrent(dataset, activation, width, depth, head)


def _end(last: str) -> list[nn.Module]:
    kind = OUTPUTS[last]
    if kind is None:
        return []
    return [nn.Softmax(dim=-1) if kind is nn.Softmax else kind()]


def initialise(model: nn.Module, scheme: str, bias: float = 0.0) -> None:
    """Fresh weights for all layers with a weight matrix: `default`, `xavier`, `he`, `orthogonal`
    or `normal:0.8` for a spread."""
    if scheme == "default" and not bias:
        return
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Conv2d):
            _weights(module.weight, scheme)
            if bias and module.bias is not None:
                nn.init.constant_(module.bias, bias)
        elif isinstance(module, nn.RNN | nn.LSTM | nn.GRU) and ":" in scheme:
            for name, value in module.named_parameters():
                if name.startswith("weight"):
                    _weights(value, scheme)


def _weights(weight: Tensor, scheme: str) -> None:
    kind, _, spread = scheme.partition(":")
    with torch.no_grad():
        if kind == "xavier":
            nn.init.xavier_uniform_(weight)
        elif kind == "he":
            nn.init.kaiming_normal_(weight)
        elif kind == "orthogonal":
            nn.init.orthogonal_(weight)
        elif kind == "normal":
            nn.init.normal_(weight, std=float(spread))
        elif kind == "gain":  # as many times the usual spread
            nn.init.normal_(weight, std=float(spread) / weight[0].numel() ** 0.5)
