from __future__ import annotations

from paramedic.prescribe.remedies.output_activation import OutputActivation
from tests.diagnose.windows import window
from tests.prescribe.cases import dose, finding, net


def _code(function: str, loss: str) -> str:
    seen = window(chart=net("ReLU", loss=loss))
    found = finding("improper-output-activation", output_function=function)
    return dose(OutputActivation(), found, seen).code


def test_logits_for_a_loss_that_takes_logits() -> None:
    assert _code("softmax", "cross-entropy") == "nn.Softmax(dim=-1) → nn.Identity()"
    assert _code("sigmoid", "binary-cross-entropy-with-logits") == "nn.Sigmoid() → nn.Identity()"
    assert _code("tanh", "mse") == "nn.Tanh() → nn.Identity()"


def test_probabilities_for_a_loss_that_takes_them() -> None:
    assert _code("linear", "binary-cross-entropy") == "model = nn.Sequential(model, nn.Sigmoid())"
    assert _code("relu", "binary-cross-entropy") == "nn.ReLU() → nn.Sigmoid()"
    assert _code("softmax", "nll") == "nn.Softmax(dim=-1) → nn.LogSoftmax(dim=-1)"
