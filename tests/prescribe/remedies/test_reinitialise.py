from __future__ import annotations

from paramedic.prescribe.remedies.reinitialise import Reinitialise
from tests.diagnose.windows import chart_of, window
from tests.prescribe.cases import dose, finding, net


def test_the_scheme_suits_the_activation() -> None:
    found = finding("poor-initialization", "fc0")
    rectified = dose(Reinitialise(), found, window(chart=net("ReLU")))
    assert rectified.code.startswith("nn.init.kaiming_uniform_")
    bounded = dose(Reinitialise(), found, window(chart=net("Tanh")))
    assert bounded.code.startswith("nn.init.xavier_uniform_")
    through_time = window(chart=chart_of(("body", "LSTM", 100), ("head", "Linear", 10)))
    assert dose(Reinitialise(), found, through_time).code.startswith("nn.init.orthogonal_")
    assert "`fc0`" in rectified.title


def test_nothing_is_said_of_an_unknown_net() -> None:
    assert Reinitialise().dose(finding("poor-initialization"), window()) is None
