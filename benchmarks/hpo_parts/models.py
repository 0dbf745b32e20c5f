"""The three networks, made from hyperparameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import SGD, Adagrad, Adam, Optimizer, RMSprop

from benchmarks.hpo_parts.data import HISTORY, HORIZON

Params = Mapping[str, Any]
ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "relu": nn.ReLU, "leaky_relu": nn.LeakyReLU, "elu": nn.ELU, "tanh": nn.Tanh,
    "sigmoid": nn.Sigmoid,
}  # fmt: skip
OPTIMIZERS = ("sgd", "momentum", "adam", "rmsprop", "adagrad")


def optimizer(parameters: Iterable[nn.Parameter], params: Params) -> Optimizer:
    """The optimizer that the hyperparameters name."""
    settings = {"lr": params["rate"], "weight_decay": params["weight_decay"]}
    match params["optimizer"]:
        case "sgd":
            return SGD(parameters, **settings)
        case "momentum":
            return SGD(parameters, momentum=0.9, **settings)
        case "adam":
            return Adam(parameters, **settings)
        case "rmsprop":
            return RMSprop(parameters, **settings)
        case _:
            return Adagrad(parameters, **settings)


def cnn(params: Params) -> nn.Module:
    """Four convolutions, every second one followed by pooling, then two dense layers."""
    size, layers, channels = params["kernel_size"], [], 3
    for place in range(4):
        kernels = params[f"kernels_{place + 1}"]
        layers.append(nn.Conv2d(channels, kernels, size, padding="same"))
        if params["batch_norm"]:
            layers.append(nn.BatchNorm2d(kernels))
        layers.append(ACTIVATIONS[params["activation"]]())
        if place % 2 == 0:
            layers += [nn.MaxPool2d(2), nn.Dropout(params["dropout"])]
        channels = kernels
    layers += [
        nn.Flatten(), nn.Linear(channels * 16, params["width"]),
        ACTIVATIONS[params["activation"]](), nn.Dropout(params["dropout"]),
        nn.Linear(params["width"], 10),
    ]  # fmt: skip
    return nn.Sequential(*layers)


class Rows(nn.Module):
    """Reads an image row by row."""

    def __init__(self, params: Params) -> None:
        super().__init__()
        hidden = params["hidden"]
        self.lstm = nn.LSTM(48, hidden, params["layers"], batch_first=True)
        self.dropout = nn.Dropout(params["dropout"])
        self.dense = nn.Linear(hidden, params["width"])
        self.head = nn.Linear(params["width"], 10)

    def forward(self, x: Tensor) -> Tensor:
        _, (hidden, _) = self.lstm(x)
        return self.head(torch.relu(self.dense(self.dropout(hidden[-1]))))


class Forecaster(nn.Module):
    """A transformer over patches of eight days."""

    PATCH, CURRENCIES, HEAD_WIDTH = 8, 8, 8

    def __init__(self, params: Params) -> None:
        super().__init__()
        width, tokens = params["heads"] * self.HEAD_WIDTH, HISTORY // self.PATCH
        self.embed = nn.Linear(self.PATCH * self.CURRENCIES, width)
        self.position = nn.Parameter(0.02 * torch.randn(tokens, width))
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(
                width, params["heads"], params["feed_forward"], params["dropout"], batch_first=True
            )
            for _ in range(params["layers"])
        )
        self.head = nn.Linear(tokens * width, HORIZON * self.CURRENCIES)

    def forward(self, x: Tensor) -> Tensor:
        x = self.embed(x.reshape(len(x), -1, self.PATCH * self.CURRENCIES)) + self.position
        for block in self.blocks:
            x = block(x)
        return self.head(x.flatten(1)).reshape(len(x), HORIZON, self.CURRENCIES)
