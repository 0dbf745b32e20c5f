"""Sound models of many kinds: a check-up must not complain about any of them."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.checkup.case import Case, adam, labels, normal
from tests.checkup.gpt import GPT, LENGTH, VOCABULARY, WIDTH, tokens

SOUND: dict[str, Callable[[], Case]] = {}


def sound(build: Callable[[], Case]) -> Callable[[], Case]:
    def seeded() -> Case:
        torch.manual_seed(0)
        return build()

    SOUND[build.__name__.replace("_", "-")] = seeded
    return seeded


# -- language ------------------------------------------------------------------------------------


@sound
def gpt_with_tied_weights() -> Case:
    model = GPT()
    return Case(model, tokens(), None, adam(model))


@sound
def gpt_with_positions_that_begin_at_zero() -> Case:
    model = GPT(layers=4, zero_positions=True)
    return Case(model, tokens(), None, adam(model))


class RotaryBlock(nn.Module):
    """Llama's: RMS norms, rotary positions, fused attention, a gated MLP."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.RMSNorm(WIDTH), nn.RMSNorm(WIDTH)
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))
        self.gate, self.up = (nn.Linear(WIDTH, 64, bias=False) for _ in range(2))
        self.down = nn.Linear(64, WIDTH, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        h = self.norm1(x)
        q, k, v = (one(h).view(b, t, 4, -1).transpose(1, 2) for one in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(rotated(q), rotated(k), v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(b, t, c))
        h = self.norm2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


def rotated(x: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    angles = torch.arange(x.shape[-2])[:, None] / 100 ** (torch.arange(half) / half)
    one, other = x[..., :half], x[..., half:]
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([one * cos - other * sin, one * sin + other * cos], -1)


@sound
def gpt_with_rotary_positions() -> Case:
    model = nn.Sequential(
        nn.Embedding(VOCABULARY, WIDTH),
        *[RotaryBlock() for _ in range(2)],
        nn.RMSNorm(WIDTH),
        nn.Linear(WIDTH, VOCABULARY, bias=False),
    )
    return Case(model, tokens(), nn.CrossEntropyLoss(), adam(model))


class BiasedBlock(nn.Module):
    """ALiBi: no position embeddings, but scores that fall with the distance."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.qkv = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(self.norm(x)).chunk(3, -1)
        places = torch.arange(x.shape[1])
        distance = places[:, None] - places[None]
        scores = torch.einsum("bid,bjd->bij", q, k) / math.sqrt(WIDTH) - 0.5 * distance.clamp_min(0)
        weights = scores.masked_fill(distance < 0, torch.finfo(x.dtype).min).softmax(-1)
        return x + self.out(torch.einsum("bij,bjd->bid", weights, v))


@sound
def gpt_with_biased_scores() -> Case:
    model = nn.Sequential(
        nn.Embedding(VOCABULARY, WIDTH),
        BiasedBlock(),
        BiasedBlock(),
        nn.LayerNorm(WIDTH),
        nn.Linear(WIDTH, VOCABULARY),
    )
    return Case(model, tokens(), nn.CrossEntropyLoss(), adam(model))


class LSTMLanguageModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, 24)
        self.lstm = nn.LSTM(24, 32, num_layers=2, dropout=0.2, batch_first=True)
        self.head = nn.Linear(32, VOCABULARY)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.lstm(self.embed(x))[0])


@sound
def lstm_language_model() -> Case:
    model = LSTMLanguageModel()
    return Case(
        model,
        tokens(),
        lambda output, target: F.cross_entropy(output.flatten(0, 1), target.flatten()),
        torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9),
    )


class TimeFirstLSTM(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(5, 24)
        self.head = nn.Linear(24, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.lstm(x)[0][-1])


@sound
def lstm_with_time_first() -> Case:
    model = TimeFirstLSTM()
    return Case(model, (normal(9, 6, 5), labels(6, 3)), nn.CrossEntropyLoss(), adam(model))


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(20, 16)
        self.gru = nn.GRU(16, 16, batch_first=True, bidirectional=True)
        self.head = nn.Linear(32, 5)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.gru(self.embed(x))[0])


@sound
def gru_tagger() -> Case:
    model = Tagger()
    words = labels(40, 20).view(5, 8)
    return Case(
        model,
        (words, labels(40, 5, seed=9).view(5, 8)),
        lambda output, target: F.cross_entropy(output.transpose(1, 2), target),
        adam(model),
    )


class Encoder(nn.Module):
    """`nn.TransformerEncoder` with learned positions, padding and mean pooling."""

    def __init__(self, positions: bool = True) -> None:
        super().__init__()
        self.embed = nn.Embedding(25, 32, padding_idx=0)
        self.position = nn.Embedding(12, 32) if positions else None
        layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(32, 3)

    def forward(self, x: Tensor) -> Tensor:
        padding = x == 0
        h = self.embed(x)
        if self.position is not None:
            h = h + self.position(torch.arange(x.shape[1]))
        h = self.encoder(h, src_key_padding_mask=padding)
        kept = (~padding)[..., None].to(h.dtype)
        return self.head((h * kept).sum(1) / kept.sum(1))


def padded_words() -> Tensor:
    words = labels(60, 24).view(6, 10) + 1
    words[1, 7:] = 0
    words[3, 5:] = 0
    return words


@sound
def transformer_encoder_with_padding() -> Case:
    model = Encoder()
    return Case(model, (padded_words(), labels(6, 3)), nn.CrossEntropyLoss(), adam(model))


class Translator(nn.Module):
    """`nn.Transformer`: source and shifted target in, one prediction per target token out."""

    def __init__(self) -> None:
        super().__init__()
        self.source, self.target = nn.Embedding(20, 32), nn.Embedding(22, 32)
        self.position = nn.Parameter(0.02 * torch.randn(1, 12, 32))
        self.transformer = nn.Transformer(32, 4, 1, 1, 64, batch_first=True)
        self.head = nn.Linear(32, 22)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        one = self.source(source) + self.position[:, : source.shape[1]]
        other = self.target(target) + self.position[:, : target.shape[1]]
        return self.head(self.transformer(one, other, tgt_mask=mask))


@sound
def translator() -> Case:
    model = Translator()
    source, text = labels(36, 20).view(4, 9), labels(32, 22, seed=8).view(4, 8)
    return Case(model, (source, text[:, :-1], text[:, 1:]), nn.CrossEntropyLoss(), adam(model))


class Bag(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag(40, 16, mode="mean")
        self.head = nn.Linear(16, 4)

    def forward(self, words: Tensor, offsets: Tensor | None = None) -> Tensor:
        return self.head(self.bag(words, offsets))


@sound
def embedding_bag() -> Case:
    model = Bag()
    return Case(
        model, (labels(56, 40).view(8, 7), labels(8, 4)), nn.CrossEntropyLoss(), adam(model)
    )


@sound
def embedding_bag_with_offsets() -> Case:
    model = Bag()
    offsets = torch.tensor([0, 5, 11, 17])
    return Case(model, (labels(23, 40), offsets, labels(4, 4)), nn.CrossEntropyLoss(), adam(model))


class Masked(nn.Module):
    """BERT-like: fills gaps, computes its own loss, answers with a dict."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.position = nn.Embedding(30, 32), nn.Embedding(16, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(32, 30)

    def forward(self, input_ids: Tensor, labels: Tensor | None = None) -> dict[str, Tensor]:
        h = self.embed(input_ids) + self.position(torch.arange(input_ids.shape[1]))
        logits = self.head(self.encoder(h))
        if labels is None:
            return {"logits": logits}
        return {"loss": F.cross_entropy(logits.transpose(1, 2), labels), "logits": logits}


@sound
def masked_language_model_with_a_dict() -> Case:
    model = Masked()
    words = labels(60, 29).view(5, 12)
    gaps = torch.zeros_like(words, dtype=torch.bool)
    gaps[:, ::4] = True
    batch = {"input_ids": words.masked_fill(gaps, 29), "labels": words.masked_fill(~gaps, -100)}
    return Case(model, batch, None, adam(model))


# -- images --------------------------------------------------------------------------------------


class Residual(nn.Module):
    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.branch = nn.Sequential(
            nn.Conv2d(inside, outside, 3, stride, 1, bias=False),
            nn.BatchNorm2d(outside),
            nn.ReLU(inplace=True),
            nn.Conv2d(outside, outside, 3, 1, 1, bias=False),
            nn.BatchNorm2d(outside),
        )
        nn.init.zeros_(self.branch[-1].weight)
        self.skip = nn.Identity() if stride == 1 else nn.Conv2d(inside, outside, 1, stride)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.branch(x) + self.skip(x))


@sound
def resnet() -> Case:
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1, bias=False),
        nn.BatchNorm2d(8),
        nn.ReLU(inplace=True),
        Residual(8, 8, 1),
        Residual(8, 16, 2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(16, 10),
    )
    for layer in model.modules():
        if isinstance(layer, nn.Conv2d):
            nn.init.kaiming_normal_(layer.weight, mode="fan_out")
    batch = (normal(8, 3, 16, 16), labels(8, 10))
    return Case(model, batch, nn.CrossEntropyLoss(label_smoothing=0.1), adam(model))


@sound
def cnn_with_batch_norm_and_dropout() -> Case:
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Dropout2d(0.2),
        nn.Conv2d(8, 16, 3),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dropout(0.5),
        nn.Linear(16 * 16, 10),
        nn.LogSoftmax(dim=1),
    )
    return Case(model, (normal(8, 1, 14, 14), labels(8, 10)), nn.NLLLoss(), adam(model))


class ViT(nn.Module):
    def __init__(self, positions: bool = True) -> None:
        super().__init__()
        self.patch = nn.Conv2d(3, 32, 4, stride=4)
        self.token = nn.Parameter(torch.zeros(1, 1, 32))
        self.position = nn.Parameter(torch.zeros(1, 17, 32)) if positions else None
        layer = nn.TransformerEncoderLayer(
            32, 4, 64, 0.1, "gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.norm, self.head = nn.LayerNorm(32), nn.Linear(32, 10)
        nn.init.zeros_(self.head.weight)

    def forward(self, x: Tensor) -> Tensor:
        h = self.patch(x).flatten(2).transpose(1, 2)
        h = torch.cat([self.token.expand(len(h), -1, -1), h], 1)
        if self.position is not None:
            h = h + self.position
        return self.head(self.norm(self.encoder(h)[:, 0]))


@sound
def vit_with_a_head_that_begins_at_zero() -> Case:
    model = ViT()
    batch = (normal(6, 3, 16, 16), labels(6, 10))
    return Case(model, batch, nn.CrossEntropyLoss(), torch.optim.AdamW(model.parameters()))


class Window(nn.Module):
    """Swin's attention in windows of 2 x 2 patches that only know where they are to each other."""

    def __init__(self, shift: int) -> None:
        super().__init__()
        self.shift, self.norm = shift, nn.LayerNorm(16)
        self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 16)
        self.bias = nn.Parameter(0.02 * torch.randn(4, 4))

    def forward(self, x: Tensor) -> Tensor:
        b, h, w, c = x.shape
        y = self.norm(x).roll((-self.shift, -self.shift), (1, 2))
        y = y.view(b, h // 2, 2, w // 2, 2, c).transpose(2, 3).reshape(-1, 4, c)
        q, k, v = self.qkv(y).chunk(3, -1)
        y = self.out((q @ k.transpose(1, 2) / 4 + self.bias).softmax(-1) @ v)
        y = y.view(b, h // 2, w // 2, 2, 2, c).transpose(2, 3).reshape(b, h, w, c)
        return x + y.roll((self.shift, self.shift), (1, 2))


class Windows(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patch, self.one, self.two = nn.Conv2d(3, 16, 2, 2), Window(0), Window(1)
        self.head = nn.Linear(16, 5)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.two(self.one(self.patch(x).permute(0, 2, 3, 1))).mean((1, 2)))


@sound
def attention_in_shifted_windows() -> Case:
    model = Windows()
    return Case(model, (normal(4, 3, 16, 16), labels(4, 5)), nn.CrossEntropyLoss(), adam(model))


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down1, self.down2 = self._pair(1, 8), self._pair(8, 16)
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.last = self._pair(16, 8)
        self.head = nn.Conv2d(8, 3, 1)

    @staticmethod
    def _pair(inside: int, outside: int) -> nn.Module:
        return nn.Sequential(
            nn.Conv2d(inside, outside, 3, padding=1),
            nn.GroupNorm(4, outside),
            nn.SiLU(),
            nn.Conv2d(outside, outside, 3, padding=1),
            nn.GroupNorm(4, outside),
            nn.SiLU(),
        )

    def forward(self, x: Tensor) -> Tensor:
        one = self.down1(x)
        two = self.down2(F.max_pool2d(one, 2))
        return self.head(self.last(torch.cat([one, self.up(two)], 1)))


@sound
def unet() -> Case:
    model = UNet()
    classes = labels(4 * 256, 3).view(4, 16, 16)
    return Case(model, (normal(4, 1, 16, 16), classes), nn.CrossEntropyLoss(), adam(model))


class VAE(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(36, 32)
        self.mean, self.spread = nn.Linear(32, 4), nn.Linear(32, 4)
        self.outer = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 36), nn.Sigmoid())

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = F.relu(self.inner(x))
        mean, spread = self.mean(h), self.spread(h)
        z = mean + torch.randn_like(mean) * (0.5 * spread).exp()
        return self.outer(z), mean, spread


def elbo(rebuilt: Tensor, mean: Tensor, spread: Tensor, x: Tensor) -> Tensor:
    divergence = -0.5 * (1 + spread - mean**2 - spread.exp()).sum()
    return F.binary_cross_entropy(rebuilt, x, reduction="sum") + divergence


@sound
def vae() -> Case:
    model = VAE()
    return Case(model, (normal(16, 36) > 0.5).float(), elbo, adam(model))


class TiedAutoencoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(12, 40) / math.sqrt(40))
        self.bias = nn.Parameter(torch.zeros(40))

    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(x @ self.weight.t()) @ self.weight + self.bias


@sound
def autoencoder_with_tied_weights() -> Case:
    model = TiedAutoencoder()
    x = normal(16, 40)
    return Case(model, (x, x), nn.MSELoss(), adam(model))


@sound
def generator_of_images() -> Case:
    model = nn.Sequential(
        nn.ConvTranspose2d(16, 16, 4, bias=False),
        nn.BatchNorm2d(16),
        nn.ReLU(True),
        nn.ConvTranspose2d(16, 1, 4, 2, 1),
        nn.Tanh(),
    )
    for layer in model.modules():
        if isinstance(layer, nn.ConvTranspose2d):
            nn.init.normal_(layer.weight, std=0.02)
    return Case(model, (normal(8, 16, 1, 1), normal(8, 1, 8, 8).tanh()), nn.L1Loss(), adam(model))


# -- tables and the rest -------------------------------------------------------------------------


def mlp(inside: int, outside: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(inside, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, outside)
    )


@sound
def mlp_classifier() -> Case:
    model = mlp(10, 4)
    return Case(model, (normal(32, 10), labels(32, 4)), nn.CrossEntropyLoss(), adam(model))


@sound
def mlp_regression() -> Case:
    model = mlp(6, 1)
    x = normal(24, 6)
    return Case(model, (x, (2 * x[:, :1] - x[:, 1:2]).sin()), nn.MSELoss(), adam(model))


@sound
def regression_by_hand_without_the_last_axis() -> Case:
    model = nn.Sequential(mlp(6, 1), nn.Flatten(0))
    x = normal(24, 6)
    return Case(model, (x, x[:, 0]), lambda output, y: ((output - y) ** 2).mean(), adam(model))


@sound
def multi_label() -> Case:
    model = mlp(12, 5)
    targets = (normal(20, 5) > 0.3).float()
    return Case(model, (normal(20, 12), targets), nn.BCEWithLogitsLoss(), adam(model))


@sound
def binary_with_sigmoid() -> Case:
    model = nn.Sequential(mlp(8, 1), nn.Sigmoid())
    x = normal(20, 8)
    return Case(model, (x, (x[:, :1] > 0).float()), nn.BCELoss(), adam(model))


@sound
def table_that_is_normalised_inside() -> Case:
    model = nn.Sequential(nn.BatchNorm1d(4), mlp(4, 1))
    x = normal(32, 4) * torch.tensor([1.0, 300.0, 2e4, 0.1]) + torch.tensor([0.0, 1e3, 5e4, 1.0])
    return Case(model, (x, normal(32, 1)), nn.HuberLoss(), adam(model))


class Siamese(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tower = mlp(8, 6)

    def forward(self, one: Tensor, other: Tensor) -> Tensor:
        return F.pairwise_distance(self.tower(one), self.tower(other))


def contrastive(distance: Tensor, same: Tensor) -> Tensor:
    return (same * distance**2 + (1 - same) * (1 - distance).clamp_min(0) ** 2).mean()


@sound
def siamese() -> Case:
    model = Siamese()
    batch = (normal(12, 8), normal(12, 8, seed=7), labels(12, 2).float())
    return Case(model, batch, contrastive, adam(model))


class ReZero(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(16, 16) for _ in range(4))
        self.gates = nn.Parameter(torch.zeros(4))
        self.head = nn.Linear(16, 3)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, x: Tensor) -> Tensor:
        for gate, layer in zip(self.gates, self.layers, strict=True):
            x = x + gate * torch.tanh(layer(x))
        return self.head(x)


@sound
def residual_branches_that_begin_at_zero() -> Case:
    model = ReZero()
    return Case(model, (normal(16, 16), labels(16, 3)), nn.CrossEntropyLoss(), adam(model))


class Experts(nn.Module):
    """Each sample goes to one of six experts; some get none."""

    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(8, 6)
        self.experts = nn.ModuleList(mlp(8, 3) for _ in range(6))

    def forward(self, x: Tensor) -> Tensor:
        shares = self.router(x).softmax(-1)
        best = shares.argmax(-1)
        output = x.new_zeros(len(x), 3)
        for place, expert in enumerate(self.experts):
            chosen = (best == place).nonzero().flatten()
            if len(chosen):
                part = shares[chosen, place, None] * expert(x[chosen])
                output = output.index_add(0, chosen, part)
        return output


@sound
def mixture_of_experts() -> Case:
    model = Experts()
    return Case(model, (normal(32, 8), labels(32, 3)), nn.CrossEntropyLoss(), adam(model))


class SetModel(nn.Module):
    """Attention without positions, on purpose: the samples are sets of points."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(3, 16)
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
        self.head = nn.Linear(16, 2)

    def forward(self, x: Tensor) -> Tensor:
        h = self.inner(x)
        return self.head((h + self.attention(h, h, h)[0]).mean(1))


@sound
def attention_over_sets() -> Case:
    model = SetModel()
    return Case(model, (normal(8, 7, 3), labels(8, 2)), nn.CrossEntropyLoss(), adam(model))


class LinearAttention(nn.Module):
    """No softmax by design: the keys meet the values first."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.position = nn.Embedding(20, 16), nn.Embedding(10, 16)
        self.q, self.k, self.v = (nn.Linear(16, 16) for _ in range(3))
        self.head = nn.Linear(16, 2)

    def forward(self, x: Tensor) -> Tensor:
        h = self.embed(x) + self.position(torch.arange(x.shape[1]))
        q, k, v = F.elu(self.q(h)) + 1, F.elu(self.k(h)) + 1, self.v(h)
        mixed = (q @ (k.transpose(1, 2) @ v)) / (q @ k.sum(1)[..., None])
        return self.head((h + mixed).mean(1))


@sound
def linear_attention() -> Case:
    model = LinearAttention()
    batch = (labels(60, 20).view(6, 10), labels(6, 2))
    return Case(model, batch, nn.CrossEntropyLoss(), adam(model))


class GraphNet(nn.Module):
    """Nodes, not samples, are along the first axis."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Linear(5, 16), nn.Linear(16, 3)

    def forward(self, nodes: Tensor, edges: Tensor) -> Tensor:
        h = F.relu(self.one(self._mixed(nodes, edges)))
        return self.two(self._mixed(h, edges))

    def _mixed(self, x: Tensor, edges: Tensor) -> Tensor:
        return x + x.new_zeros(x.shape).index_add(0, edges[1], x[edges[0]])


@sound
def graph_net() -> Case:
    model = GraphNet()
    edges = labels(40, 12).view(2, 20)
    return Case(model, (normal(12, 5), edges, labels(12, 3)), nn.CrossEntropyLoss(), adam(model))


@sound
def fine_tuning_a_frozen_backbone() -> Case:
    model = mlp(10, 4)
    for layer in (model[0], model[2]):
        layer.requires_grad_(False)
    head = [one for one in model.parameters() if one.requires_grad]
    return Case(
        model,
        (normal(32, 10), labels(32, 4)),
        nn.CrossEntropyLoss(),
        torch.optim.SGD(head, lr=0.1),
    )


class Density(nn.Module):
    """Predicts a mean and a log-variance; its loss can be negative."""

    def __init__(self) -> None:
        super().__init__()
        self.net = mlp(4, 2)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        mean, spread = self.net(x).chunk(2, -1)
        return mean, spread


@sound
def gaussian_likelihood() -> Case:
    model = Density()
    x = normal(24, 4)
    return Case(
        model,
        (x, 0.1 * x[:, :1]),
        lambda output, y: ((y - output[0]) ** 2 / output[1].exp() + output[1]).mean(),
        adam(model),
    )


class ExplicitForward(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = mlp(6, 3)

    def encode(self, x: Tensor) -> Tensor:
        return self.net(x)


@sound
def a_model_with_a_forward_of_the_caller() -> Case:
    model = ExplicitForward()
    return Case(
        model,
        {"image": normal(12, 6), "label": labels(12, 3)},
        nn.CrossEntropyLoss(),
        adam(model),
        {"forward": lambda net, batch: net.encode(batch["image"])},
    )


__all__ = ["LENGTH", "SOUND", "Encoder", "ViT", "mlp", "padded_words"]
