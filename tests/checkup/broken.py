"""Models that are broken in one way, and the check that must say so.

`BROKEN` maps a name to the check that must fail and the checks that may fail beside it, because
the same fault is seen from another side. No other check may fail. `overfit-one-batch` is left out
where it is not the one: whether a broken model can be learned by heart is no question of right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.checkup.case import Case, adam, labels, normal
from tests.checkup.gpt import GPT, tokens
from tests.checkup.sound import Encoder, ViT, mlp, padded_words


class Broken(NamedTuple):
    """A broken model, which check must fail, and which others may."""

    build: Callable[[], Case]
    check: str
    beside: tuple[str, ...] = ()


BROKEN: dict[str, Broken] = {}


def broken(check: str, *beside: str) -> Callable[[Callable[[], Case]], Callable[[], Case]]:
    def register(build: Callable[[], Case]) -> Callable[[], Case]:
        def seeded() -> Case:
            torch.manual_seed(0)
            return build()

        BROKEN[build.__name__.replace("_", "-")] = Broken(seeded, check, beside)
        return seeded

    return register


def _gpt(fault: str, layers: int = 2) -> Case:
    model = GPT(layers, fault)
    return Case(model, tokens(), None, adam(model))


def _classifier(model: nn.Module, loss_fn: Callable[..., Tensor] | None = None) -> Case:
    batch = (normal(32, 10), labels(32, 4))
    return Case(model, batch, loss_fn or nn.CrossEntropyLoss(), adam(model))


# -- attention, positions, normalisation ---------------------------------------------------------


@broken("attention")
def no_mask() -> Case:
    return _gpt("no mask")


@broken("attention")
def mask_off_by_one() -> Case:
    return _gpt("off-by-one mask")


@broken("attention")
def mask_without_self_lets_the_first_token_see_all() -> Case:
    return _gpt("mask without self")


@broken("attention")
def attention_without_softmax() -> Case:
    return _gpt("no softmax")


@broken("attention")
def softmax_over_the_queries() -> Case:
    return _gpt("softmax over queries")


@broken("attention")
def mask_after_the_softmax() -> Case:
    return _gpt("mask after softmax")


class BothWays(nn.Module):
    """A language model that reads from both ends."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(31, 16)
        self.gru = nn.GRU(16, 16, batch_first=True, bidirectional=True)
        self.head = nn.Linear(32, 31)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.gru(self.embed(x))[0])


@broken("attention")
def bidirectional_language_model() -> Case:
    model = BothWays()
    return Case(model, tokens(), nn.CrossEntropyLoss(), adam(model))


@broken("position-embeddings")
def language_model_without_positions() -> Case:
    return _gpt("no positions")


@broken("position-embeddings")
def encoder_without_positions() -> Case:
    model = Encoder(positions=False)
    return Case(model, (padded_words(), labels(6, 3)), nn.CrossEntropyLoss(), adam(model))


@broken("position-embeddings")
def vit_without_positions() -> Case:
    model = ViT(positions=False)
    batch = (normal(6, 3, 16, 16), labels(6, 10))
    return Case(model, batch, nn.CrossEntropyLoss(), adam(model))


@broken("layer-normalization", "initial-loss")
def deep_transformer_without_normalisation() -> Case:
    return _gpt("no layer norm", layers=8)


class VarianceNorm(nn.Module):
    """Forgets the root."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        centred = x - x.mean(-1, keepdim=True)
        return self.weight * centred / (x.var(-1, keepdim=True) + 1e-5) + self.bias


class LayerNorm(VarianceNorm):
    """Normalises along the positions instead of the features."""

    def forward(self, x: Tensor) -> Tensor:
        centred = x - x.mean(1, keepdim=True)
        spread = (x.var(1, keepdim=True, correction=0) + 1e-5).sqrt()
        return self.weight * centred / spread + self.bias


def _with_norm(norm: nn.Module) -> Case:
    model = nn.Sequential(
        nn.Embedding(20, 16), nn.Linear(16, 16), norm, nn.ReLU(), nn.Flatten(), nn.Linear(128, 3)
    )
    batch = (labels(48, 20).view(6, 8), labels(6, 3))
    return Case(model, batch, nn.CrossEntropyLoss(), adam(model))


@broken("layer-normalization")
def normalisation_without_the_root() -> Case:
    return _with_norm(VarianceNorm(16))


@broken("layer-normalization")
def normalisation_over_the_wrong_axis() -> Case:
    return _with_norm(LayerNorm(16))


# -- samples -------------------------------------------------------------------------------------


@broken("sample-independence")
def attention_over_the_batch() -> Case:
    return _gpt("batch and time mixed up")


class BatchFirstForgotten(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(5, 16)
        self.head = nn.Linear(16, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.lstm(x)[0][:, -1])


@broken("sample-independence")
def batch_first_forgotten() -> Case:
    model = BatchFirstForgotten()
    return Case(model, (normal(6, 9, 5), labels(6, 3)), nn.CrossEntropyLoss(), adam(model))


class KeepsState(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net, self.state = mlp(10, 4), 0.0

    def forward(self, x: Tensor) -> Tensor:
        output = self.net(x) + self.state
        self.state = 0.9 * output.mean().detach()
        return output


@broken("sample-independence")
def state_kept_between_batches() -> Case:
    return _classifier(KeepsState())


class Centred(nn.Module):
    """Takes the mean over the batch, in evaluation mode too."""

    def forward(self, x: Tensor) -> Tensor:
        return x - x.mean(0, keepdim=True)


@broken("sample-independence")
def mean_over_the_batch() -> Case:
    return _classifier(nn.Sequential(mlp(10, 16), Centred(), nn.Linear(16, 4)))


@broken("sample-independence")
def softmax_over_the_batch() -> Case:
    return _classifier(nn.Sequential(mlp(10, 4), nn.Softmax(dim=0)))


class Squeezed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = mlp(10, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x).squeeze()


@broken("forward-shapes")
def squeeze_loses_the_single_sample() -> Case:
    return _classifier(Squeezed())


class FixedBatch(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = mlp(10, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x.view(32, -1))


@broken("forward-shapes")
def only_one_batch_size() -> Case:
    return _classifier(FixedBatch())


class LastOnly(nn.Module):
    """The mask is made for one length only."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(31, 16)
        self.mix = nn.Parameter(torch.zeros(16, 16))
        self.head = nn.Linear(16, 31)

    def forward(self, x: Tensor) -> Tensor:
        shares = self.mix.masked_fill(torch.ones(16, 16).triu(1).bool(), -torch.inf).softmax(-1)
        return self.head(shares @ self.embed(x))


@broken("forward-shapes")
def language_model_of_one_length() -> Case:
    model = LastOnly()
    return Case(model, tokens(), nn.CrossEntropyLoss(), adam(model))


# -- gradients and parameters --------------------------------------------------------------------


class Detached(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.one, self.other, self.head = mlp(10, 8), mlp(10, 8), nn.Linear(16, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(torch.cat([self.one(x), self.other(x).detach()], -1))


@broken("gradient-flow")
def detached_branch() -> Case:
    return _classifier(Detached())


class Unused(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(10, 10) for _ in range(4))
        self.head = nn.Linear(10, 4)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers[:3]:
            x = x + F.relu(layer(x))
        return self.head(x)


@broken("gradient-flow")
def unused_layer() -> Case:
    return _classifier(Unused())


class Rounded(nn.Module):
    """A hard decision in the middle."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Linear(10, 16), nn.Linear(16, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.two((self.one(x) > 0).float())


@broken("gradient-flow")
def hard_decision_inside() -> Case:
    return _classifier(Rounded())


@broken("gradient-flow")
def requires_grad_forgotten() -> Case:
    model = mlp(10, 4).requires_grad_(False)
    return Case(model, (normal(32, 10), labels(32, 4)), nn.CrossEntropyLoss())


class NoGraph(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = mlp(10, 4)

    @torch.no_grad()
    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)


@broken("gradient-flow")
def no_grad_around_the_forward_pass() -> Case:
    return _classifier(NoGraph())


@broken("optimizer-coverage")
def last_layer_missing_in_the_optimizer() -> Case:
    case = _classifier(mlp(10, 4))
    kept = list(case.model.parameters())[:4]
    case.optimizer = torch.optim.Adam(kept)
    return case


@broken("optimizer-coverage")
def optimizer_of_another_model() -> Case:
    case = _classifier(mlp(10, 4))
    case.optimizer = adam(mlp(10, 4))
    return case


class PlainList(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = [nn.Linear(10, 10) for _ in range(2)]
        self.head = nn.Linear(10, 4)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = F.relu(layer(x))
        return self.head(x)


@broken("optimizer-coverage")
def layers_in_a_plain_list() -> Case:
    return _classifier(PlainList())


# -- initialisation ------------------------------------------------------------------------------


def _initialised(init: Callable[[Tensor], Tensor]) -> Case:
    model = mlp(10, 4)
    for layer in model:
        if isinstance(layer, nn.Linear):
            init(layer.weight.data)
            nn.init.zeros_(layer.bias)
    return _classifier(model)


@broken("parameter-initialization")
def all_weights_zero() -> Case:
    return _initialised(nn.init.zeros_)


@broken("parameter-initialization")
def all_weights_equal() -> Case:
    return _initialised(lambda weight: nn.init.constant_(weight, 0.1))


@broken("parameter-initialization", "initial-loss")
def huge_weights() -> Case:
    return _initialised(lambda weight: nn.init.normal_(weight, std=5.0))


@broken("parameter-initialization")
def tiny_weights() -> Case:
    return _initialised(lambda weight: nn.init.normal_(weight, std=1e-6))


@broken("parameter-initialization", "gradient-flow", "input-dependence")
def dead_units() -> Case:
    case = _classifier(mlp(10, 4))
    nn.init.constant_(case.model[0].bias, -50.0)
    return case


@broken("parameter-initialization", "numerical-stability")
def weights_never_set() -> Case:
    case = _classifier(mlp(10, 4))
    with torch.no_grad():
        case.model[2].weight.fill_(torch.nan)
    return case


@broken("initial-loss")
def output_layer_too_large() -> Case:
    case = _classifier(mlp(10, 4))
    with torch.no_grad():
        case.model[4].weight.mul_(12)
        case.model[4].bias.copy_(torch.tensor([9.0, -9.0, 3.0, 0.0]))
    return case


# -- labels, loss, data --------------------------------------------------------------------------


@broken("labels-fit-loss")
def double_softmax() -> Case:
    return _classifier(nn.Sequential(mlp(10, 4), nn.Softmax(dim=1)))


@broken("labels-fit-loss")
def sigmoid_before_bce_with_logits() -> Case:
    model = nn.Sequential(mlp(10, 1), nn.Sigmoid())
    x = normal(32, 10)
    return Case(model, (x, (x[:, :1] > 0).float()), nn.BCEWithLogitsLoss(), adam(model))


@broken("labels-fit-loss")
def no_sigmoid_before_bce() -> Case:
    model = mlp(10, 1)
    x = normal(32, 10)
    return Case(model, (x, (x[:, :1] > 0).float()), nn.BCELoss(), adam(model))


@broken("labels-fit-loss")
def no_log_softmax_before_nll() -> Case:
    return _classifier(mlp(10, 4), nn.NLLLoss())


@broken("labels-fit-loss")
def labels_count_from_one() -> Case:
    case = _classifier(mlp(10, 4))
    case.batch = (case.batch[0], case.batch[1] + 1)
    return case


@broken("labels-fit-loss")
def labels_are_real_numbers() -> Case:
    case = _classifier(mlp(10, 4))
    case.batch = (case.batch[0], case.batch[1].float())
    return case


@broken("labels-fit-loss")
def labels_of_plus_and_minus_one() -> Case:
    model = mlp(10, 1)
    x = normal(32, 10)
    return Case(model, (x, x[:, :1].sign()), nn.BCEWithLogitsLoss(), adam(model))


@broken("labels-fit-loss")
def targets_that_broadcast() -> Case:
    model = mlp(6, 1)
    x = normal(24, 6)
    return Case(model, (x, x[:, 0]), nn.MSELoss(), adam(model))


@broken("labels-fit-loss")
def targets_that_broadcast_by_hand() -> Case:
    model = mlp(6, 1)
    x = normal(24, 6)
    return Case(model, (x, x[:, 0]), lambda out, y: ((out - y) ** 2).mean(), adam(model))


@broken("input-scale", "initial-loss")
def pixels_from_0_to_255() -> Case:
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8 * 25, 10)
    )
    pixels = torch.randint(0, 256, (8, 1, 12, 12), generator=torch.Generator().manual_seed(1))
    return Case(model, (pixels.float(), labels(8, 10)), nn.CrossEntropyLoss(), adam(model))


@broken("input-scale", "numerical-stability")
def nan_in_the_input() -> Case:
    case = _classifier(mlp(10, 4))
    case.batch[0][3, 4] = torch.nan
    return case


# -- the rest ------------------------------------------------------------------------------------


class AlwaysDropping(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Linear(10, 32), nn.Linear(32, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.two(F.dropout(F.relu(self.one(x)), 0.5))


@broken("train-eval-agreement")
def functional_dropout_left_on() -> Case:
    return _classifier(AlwaysDropping())


class AttentionDropout(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.head = nn.Linear(8, 24), nn.Linear(8, 2)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, -1)
        return self.head(F.scaled_dot_product_attention(q, k, v, dropout_p=0.2).mean(1))


@broken("train-eval-agreement")
def attention_dropout_left_on() -> Case:
    model = AttentionDropout()
    return Case(model, (normal(8, 6, 8), labels(8, 2)), nn.CrossEntropyLoss(), adam(model))


class OtherInTraining(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = mlp(10, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x * 2) if self.training else self.net(x)


@broken("train-eval-agreement")
def other_computation_in_training_mode() -> Case:
    return _classifier(OtherInTraining())


class Blind(nn.Module):
    """Overwrites its input."""

    def __init__(self) -> None:
        super().__init__()
        self.net = mlp(10, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.net(torch.zeros_like(x))


@broken("input-dependence", "gradient-flow")
def output_independent_of_the_input() -> Case:
    return _classifier(Blind())


class Unsafe(nn.Module):
    """Divides by the spread of its input."""

    def __init__(self) -> None:
        super().__init__()
        self.net = mlp(10, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.net((x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True))


@broken("numerical-stability")
def nan_on_zeros() -> Case:
    return _classifier(Unsafe())


class RootAtZero(nn.Module):
    """Finite, but its gradient at zero is not."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Linear(10, 4, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        h = self.net(x)
        return h + 0.1 * h.square().sum(-1, keepdim=True).sqrt()


@broken("numerical-stability")
def gradient_of_a_root_at_zero() -> Case:
    return _classifier(RootAtZero())


@broken("overfit-one-batch")
def outputs_that_cannot_reach_the_targets() -> Case:
    model = nn.Sequential(mlp(6, 1), nn.Tanh())
    x = normal(24, 6)
    return Case(model, (x, 8 + 4 * x[:, :1]), nn.MSELoss(), adam(model))


@broken("memory")
def more_memory_than_allowed() -> Case:
    case = _classifier(mlp(10, 4))
    case.options["memory_limit"] = 10_000
    return case
