from __future__ import annotations

from paramedic.prescribe.remedies.reinitialise import Reinitialise
from tests.diagnose.windows import chart_of, window
from tests.prescribe.cases import dose, finding, net


def test_the_scheme_suits_the_activation() -> None:
    found = finding("poor-initialization", "fc0")
    rectified = dose(Reinitialise(), found, window(chart=net("ReLU")))
    assert "nn.init.kaiming_uniform_(weight" in rectified.code
    assert rectified.code.startswith("for layer in (model.fc0,):")
    bounded = dose(Reinitialise(), found, window(chart=net("Tanh")))
    assert "nn.init.xavier_uniform_(weight)" in bounded.code
    through_time = window(chart=chart_of(("body", "LSTM", 100), ("head", "Linear", 10)))
    assert "nn.init.orthogonal_(weight)" in dose(Reinitialise(), found, through_time).code
    assert "`fc0`" in rectified.title


def test_nothing_is_said_of_an_unknown_net() -> None:
    assert Reinitialise().dose(finding("poor-initialization"), window()) is None
