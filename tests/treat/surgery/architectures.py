"""Models of many shapes, each with a batch that it takes: the patients of the surgery tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class Architecture:
    """How to make a model, and a batch for it."""

    build: Callable[[], nn.Module]
    example: Callable[[], Any]

    def model(self) -> nn.Module:
        torch.manual_seed(0)
        return self.build()

    def batch(self) -> Any:
        torch.manual_seed(1)
        return self.example()


def mlp() -> nn.Module:
    return nn.Sequential(
        nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3)
    )


def deep_sigmoid() -> nn.Module:
    layers = [m for _ in range(4) for m in (nn.Linear(8, 8), nn.Sigmoid())]
    return nn.Sequential(*layers, nn.Linear(8, 3), nn.Softmax(dim=-1))


def cnn() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 8, 3), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3),
    )  # fmt: skip


def cnn_1d() -> nn.Module:
    return nn.Sequential(
        nn.Conv1d(3, 6, 3), nn.Tanh(), nn.Conv1d(6, 6, 3), nn.Tanh(), nn.Flatten(), nn.Linear(24, 2)
    )


def cnn_3d() -> nn.Module:
    return nn.Sequential(
        nn.Conv3d(1, 4, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool3d(1), nn.Flatten(),
        nn.Linear(4, 2),
    )  # fmt: skip


class FunctionalCnn(nn.Module):
    """As in the tutorials: functions, pooling and a view."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, padding=1)
        self.conv2 = nn.Conv2d(4, 8, 3, padding=1)
        self.fc1 = nn.Linear(8 * 4, 16)
        self.fc2 = nn.Linear(16, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(x.view(x.size(0), -1)))
        x = F.dropout(x, 0.2, training=self.training)
        return F.log_softmax(self.fc2(x), dim=1)


class Block(nn.Module):
    def __init__(self, width: int, norm: bool) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1)
        self.norm1 = nn.BatchNorm2d(width) if norm else nn.Identity()
        self.norm2 = nn.BatchNorm2d(width) if norm else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        y = F.relu(self.norm1(self.conv1(x)))
        return F.relu(x + self.norm2(self.conv2(y)))


def resnet(norm: bool) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), Block(4, norm), Block(4, norm), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(4, 3),
    )  # fmt: skip


class SharedActivation(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(8, 16), nn.Linear(16, 12), nn.Linear(12, 3)
        self.act = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        return self.fc3(self.act(self.fc2(self.act(self.fc1(x)))))


class SharedLayer(nn.Module):
    """The same layer three times, and one more name for it."""

    def __init__(self) -> None:
        super().__init__()
        self.step = nn.Linear(8, 8)
        self.again = self.step
        self.act = nn.Tanh()
        self.head = nn.Linear(8, 2)

    def forward(self, x: Tensor) -> Tensor:
        for _ in range(2):
            x = torch.tanh(self.step(x))
        return self.head(self.act(self.again(x)))


class TiedAutoencoder(nn.Module):
    """The decoder reads the weight of the encoder."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Linear(8, 4)
        self.act = nn.ReLU()
        self.bias = nn.Parameter(torch.zeros(8))

    def forward(self, x: Tensor) -> Tensor:
        code = self.act(self.encoder(x))
        return torch.sigmoid(F.linear(code, self.encoder.weight.t(), self.bias))


class TiedLanguageModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 8)
        self.body = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))
        self.head = nn.Linear(8, 11, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(self.embedding(x)))


class Listed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
        self.acts = nn.ModuleList(nn.ReLU() for _ in range(3))
        self.head = nn.Linear(8, 2)

    def forward(self, x: Tensor) -> Tensor:
        for layer, act in zip(self.layers, self.acts, strict=True):
            x = act(layer(x))
        return self.head(x)


class FunctionalList(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
        self.head = nn.Linear(8, 2)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x).tanh()
        return self.head(x)


class Named(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.ModuleDict(
            {"in": nn.Linear(8, 8), "act": nn.ReLU(), "the-out": nn.Linear(8, 2)}
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.parts["the-out"](self.parts["act"](self.parts["in"](x)))


class Nested(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stages = nn.ModuleDict(
            {"early": nn.ModuleList([nn.Sequential(nn.Linear(8, 6), nn.Sequential(nn.ELU()))])}
        )
        self.head = nn.Sequential(nn.Sequential(nn.Linear(6, 6), nn.ReLU()), nn.Linear(6, 2))

    def forward(self, x: Tensor) -> Tensor:
        for stage in self.stages["early"]:
            x = stage(x)
        return self.head(x)


class Recurrent(nn.Module):
    def __init__(self, kind: type[nn.RNNBase], **options: Any) -> None:
        super().__init__()
        self.body = kind(5, 6, batch_first=True, **options)
        self.head = nn.Linear(6 * (2 if options.get("bidirectional") else 1), 2)

    def forward(self, x: Tensor) -> Tensor:
        states, _ = self.body(x)
        return self.head(states[:, -1])


class CellLoop(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.RNNCell(5, 6)
        self.head = nn.Linear(6, 2)

    def forward(self, x: Tensor) -> Tensor:
        state = x.new_zeros(x.shape[0], 6)
        for moment in x.unbind(1):
            state = self.cell(moment, state)
        return self.head(state)


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, 0.1, batch_first=True)
        self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(8, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x).mean(1))


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(8, 24)
        self.up, self.down = nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        x = x + F.softmax(q @ k.transpose(-2, -1) / 8**0.5, dim=-1) @ v
        return x + self.down(F.gelu(self.up(x)))


def attention_stack() -> nn.Module:
    return nn.Sequential(Attention(), Attention(), nn.Linear(8, 3))


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(1, 4, 3, stride=2, padding=1), nn.ReLU())
        self.up = nn.Sequential(nn.ConvTranspose2d(4, 4, 2, stride=2), nn.ReLU())
        self.last = nn.Conv2d(5, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.last(torch.cat([x, self.up(self.down(x))], dim=1))


class SqueezeExcite(nn.Module):
    """Its sigmoid is a gate, which must stay bounded."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.act = nn.ReLU()
        self.squeeze, self.excite = nn.Linear(4, 2), nn.Linear(2, 4)
        self.gate = nn.Sigmoid()
        self.head = nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        x = self.act(self.conv(x))
        gate = self.gate(self.excite(F.relu(self.squeeze(x.mean((2, 3))))))
        return self.head((x * gate[:, :, None, None]).mean((2, 3)))


def separable() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(2, 2, 3, groups=2), nn.Conv2d(2, 4, 1), nn.ReLU6(), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(4, 2),
    )  # fmt: skip


class OwnReLU(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x)


def own_activation() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 8), OwnReLU(), nn.Linear(8, 2))


class FunctionAttribute(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(8, 8), nn.Linear(8, 2)
        self.activation = torch.tanh

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(self.activation(self.fc1(x)))


class TwoInputs(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.left = nn.Sequential(nn.Linear(4, 6), nn.ReLU())
        self.right = nn.Sequential(nn.Linear(3, 6), nn.Tanh())
        self.head = nn.Linear(12, 2)

    def forward(self, left: Tensor, right: Tensor, scale: float | None = None) -> Tensor:
        both = torch.cat([self.left(left), self.right(right)], dim=-1)
        return self.head(both if scale is None else both * scale)


class Optional(nn.Module):
    """A mask that is mostly not given, and an activation in the same code."""

    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(8, 8), nn.Linear(8, 2)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = F.relu(self.fc1(x))
        if mask is not None:
            x = x * mask
        return self.fc2(x)


class Variational(nn.Module):
    """Several outputs, and numbers drawn on the way."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
        self.mean, self.spread = nn.Linear(8, 2), nn.Linear(8, 2)
        self.decoder = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 8), nn.Sigmoid())

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        hidden = self.encoder(x)
        mean, spread = self.mean(hidden), self.spread(hidden)
        code = mean + torch.randn_like(mean) * (0.5 * spread).exp()
        return self.decoder(code), mean, spread


class MappingOutput(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
        self.head = nn.Linear(8, 3)

    def forward(self, inputs: Tensor) -> dict[str, Tensor]:
        return {"logits": self.head(self.body(inputs))}


def lazy() -> nn.Module:
    return nn.Sequential(nn.LazyLinear(6), nn.ReLU(), nn.LazyLinear(2))


def frozen_backbone() -> nn.Module:
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))
    model[0].requires_grad_(False)
    return model


def weight_normed() -> nn.Module:
    first = nn.utils.parametrizations.weight_norm(nn.Linear(8, 8))
    return nn.Sequential(first, nn.ReLU(), nn.Linear(8, 2))


class Methods(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 2)

    def forward(self, x: Tensor) -> Tensor:
        x = self.fc1(x).clamp(min=0)
        return self.fc3(self.fc2(x).relu()).sigmoid()


class Branching(nn.Module):
    """Its code looks at the data, so that it cannot be traced."""

    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(8, 8), nn.Linear(8, 2)

    def forward(self, x: Tensor) -> Tensor:
        if x.abs().max() > 1000:
            x = x / 1000
        return self.fc2(F.relu(self.fc1(x)))


class Experts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2)) for _ in range(3)
        )
        self.router = nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        weights = self.router(x).softmax(-1)
        answers = torch.stack([expert(x) for expert in self.experts], dim=-1)
        return (answers * weights[:, None]).sum(-1)


class GraphNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 2)
        self.act = nn.ReLU()

    def forward(self, nodes: Tensor, edges: Tensor) -> Tensor:
        hidden = self.act(edges @ self.first(nodes))
        return (edges @ self.second(hidden)).mean(1)


def bag_of_words() -> nn.Module:
    return nn.Sequential(nn.EmbeddingBag(12, 6), nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 2))


class Unused(nn.Module):
    """A module and a parameter that the forward pass does not mention."""

    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.fc2, self.spare = nn.Linear(8, 8), nn.Linear(8, 2), nn.Linear(3, 3)
        self.scale = nn.Parameter(torch.ones(2))
        self.title = "kept"

    def forward(self, x: Tensor) -> Tensor:
        return self.fc2(F.silu(self.fc1(x)))


def linear() -> nn.Module:
    return nn.Linear(8, 2)


def double() -> nn.Module:
    return mlp().double()


class DeepSets(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.each = nn.Sequential(nn.Linear(3, 8), nn.ReLU())
        self.all = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1), nn.Sigmoid())

    def forward(self, x: Tensor) -> Tensor:
        return self.all(self.each(x).sum(1)).squeeze(-1)


class PlainList(nn.Module):
    """The modules are registered, but the code takes them from a plain list."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2)])
        self.order = list(self.layers)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.order:
            x = layer(x)
        return x


class SharedEverywhere(nn.Module):
    """One sigmoid between the layers and at the end."""

    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(8, 8), nn.Linear(8, 2)
        self.act = nn.Sigmoid()

    def forward(self, x: Tensor) -> Tensor:
        return self.act(self.fc2(self.act(self.fc1(x))))


class NewGELU(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return 0.5 * x * (1.0 + torch.tanh(0.8 * (x + 0.04 * x**3)))


def own_gelu() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 8), NewGELU(), nn.Linear(8, 2))


class Translator(nn.Module):
    """Encoder and decoder, two inputs, a mask."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(9, 8)
        self.body = nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
        self.head = nn.Linear(8, 9)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        return self.head(self.body(self.words(source), self.words(target), tgt_mask=mask))


def _vectors(width: int = 8) -> Callable[[], Tensor]:
    return lambda: torch.randn(5, width)


def _pictures(channels: int = 1) -> Callable[[], Tensor]:
    return lambda: torch.randn(4, channels, 8, 8)


def _sequences(width: int = 5) -> Callable[[], Tensor]:
    return lambda: torch.randn(4, 7, width)


ARCHITECTURES: dict[str, Architecture] = {
    "mlp": Architecture(mlp, _vectors()),
    "deep-sigmoid": Architecture(deep_sigmoid, _vectors()),
    "cnn": Architecture(cnn, _pictures()),
    "cnn-1d": Architecture(cnn_1d, lambda: torch.randn(4, 3, 8)),
    "cnn-3d": Architecture(cnn_3d, lambda: torch.randn(3, 1, 4, 4, 4)),
    "functional-cnn": Architecture(FunctionalCnn, _pictures()),
    "resnet": Architecture(lambda: resnet(norm=True), _pictures()),
    "resnet-without-norm": Architecture(lambda: resnet(norm=False), _pictures()),
    "shared-activation": Architecture(SharedActivation, _vectors()),
    "shared-layer": Architecture(SharedLayer, _vectors()),
    "tied-autoencoder": Architecture(TiedAutoencoder, _vectors()),
    "tied-language-model": Architecture(TiedLanguageModel, lambda: torch.randint(0, 11, (3, 6))),
    "module-list": Architecture(Listed, _vectors()),
    "functional-list": Architecture(FunctionalList, _vectors()),
    "module-dict": Architecture(Named, _vectors()),
    "nested": Architecture(Nested, _vectors()),
    "rnn": Architecture(lambda: Recurrent(nn.RNN), _sequences()),
    "lstm": Architecture(lambda: Recurrent(nn.LSTM), _sequences()),
    "gru-stack": Architecture(
        lambda: Recurrent(nn.GRU, num_layers=2, bidirectional=True, dropout=0.1), _sequences()
    ),
    "rnn-cell": Architecture(CellLoop, _sequences()),
    "transformer": Architecture(Encoder, _sequences(8)),
    "attention-stack": Architecture(attention_stack, _sequences(8)),
    "u-net": Architecture(UNet, _pictures()),
    "squeeze-excite": Architecture(SqueezeExcite, _pictures()),
    "separable": Architecture(separable, _pictures(2)),
    "own-activation": Architecture(own_activation, _vectors()),
    "function-attribute": Architecture(FunctionAttribute, _vectors()),
    "two-inputs": Architecture(TwoInputs, lambda: (torch.randn(5, 4), torch.randn(5, 3))),
    "optional-mask": Architecture(Optional, lambda: {"x": torch.randn(5, 8), "mask": None}),
    "variational": Architecture(Variational, _vectors()),
    "mapping-output": Architecture(MappingOutput, lambda: {"inputs": torch.randn(5, 8)}),
    "lazy": Architecture(lazy, _vectors()),
    "frozen-backbone": Architecture(frozen_backbone, _vectors()),
    "weight-normed": Architecture(weight_normed, _vectors()),
    "methods": Architecture(Methods, _vectors()),
    "branching": Architecture(Branching, _vectors()),
    "experts": Architecture(Experts, _vectors()),
    "graph-net": Architecture(GraphNet, lambda: (torch.randn(3, 5, 4), torch.rand(3, 5, 5))),
    "bag-of-words": Architecture(bag_of_words, lambda: torch.randint(0, 12, (4, 5))),
    "unused": Architecture(Unused, _vectors()),
    "linear": Architecture(linear, _vectors()),
    "double": Architecture(double, lambda: torch.randn(5, 8, dtype=torch.float64)),
    "deep-sets": Architecture(DeepSets, _sequences(3)),
    "plain-list": Architecture(PlainList, _vectors()),
    "own-gelu": Architecture(own_gelu, _vectors()),
    "translator": Architecture(
        Translator, lambda: (torch.randint(0, 9, (2, 5)), torch.randint(0, 9, (2, 4)))
    ),
    "shared-everywhere": Architecture(SharedEverywhere, _vectors()),
}
