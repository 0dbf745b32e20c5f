from __future__ import annotations

from paramedic.prescribe.remedies.output_activation import OutputActivation
from paramedic.types import Layer
from tests.diagnose.windows import chart_of, window
from tests.prescribe.cases import dose, finding, net


def _code(function: str, loss: str, *, module: bool = True) -> str:
    layers = net("ReLU").layers
    if module:
        layers = (*layers, Layer("2.end", "End", activation=function, order=9))
    seen = window(chart=chart_of(*layers, loss=loss))
    found = finding("improper-output-activation", output_function=function)
    return dose(OutputActivation(), found, seen).code


def test_logits_for_a_loss_that_takes_logits() -> None:
    assert _code("softmax", "cross-entropy") == "model[2].end = nn.Identity()"
    assert _code("sigmoid", "binary-cross-entropy-with-logits") == "model[2].end = nn.Identity()"
    assert _code("tanh", "mse") == "model[2].end = nn.Identity()"


def test_probabilities_for_a_loss_that_takes_them() -> None:
    assert _code("linear", "binary-cross-entropy") == "model = nn.Sequential(model, nn.Sigmoid())"
    assert _code("relu", "binary-cross-entropy") == "model[2].end = nn.Sigmoid()"
    assert _code("softmax", "nll") == "model[2].end = nn.LogSoftmax(dim=-1)"


def test_a_function_that_is_no_module() -> None:
    code = _code("softmax", "cross-entropy", module=False)
    assert code == "# in forward: return what goes into softmax(…), as it is"
