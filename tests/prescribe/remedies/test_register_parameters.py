from __future__ import annotations

from paramedic.prescribe.remedies.register_parameters import RegisterParameters
from tests.diagnose.windows import chart_of, window
from tests.prescribe.cases import ADAM, dose, finding


def test_one_forgotten_layer_is_added() -> None:
    found = finding("untrained-parameters", "embedding", reason="optimizer")
    seen = window(chart=chart_of(("embedding", "Embedding", 8), ("fc", "Linear", 9)))
    given = dose(RegisterParameters(), found, seen)
    assert given.code == 'optimizer.add_param_group({"params": model.embedding.parameters()})'


def test_several_forgotten_layers_want_a_complete_optimizer() -> None:
    found = finding("untrained-parameters", "0", "2", reason="optimizer")
    layers = ("0", "Linear", 8), ("2", "Linear", 9)
    seen = window(chart=chart_of(*layers, optimizers=({**ADAM, "groups": 1},)))
    code = dose(RegisterParameters(), found, seen).code
    assert code == "optimizer = torch.optim.Adam(model.parameters(), lr=0.001)  # all of them"
    seen = window(chart=chart_of(*layers, optimizers=({**ADAM, "groups": 2},)))
    assert "model[2].parameters()" in dose(RegisterParameters(), found, seen).code


def test_a_group_without_a_rate_gets_that_of_the_others() -> None:
    found = finding("untrained-parameters", "body", reason="movement")
    seen = window(scalars={"lr/0": [0.002] * 3})
    assert (
        dose(RegisterParameters(), found, seen).code == 'optimizer.param_groups[-1]["lr"] = 0.002'
    )


def test_a_detached_body_is_attached() -> None:
    found = finding("untrained-parameters", "body.0", reason="gradient")
    assert "detach" in dose(RegisterParameters(), found).code
