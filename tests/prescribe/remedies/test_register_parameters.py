from __future__ import annotations

from paramedic.prescribe.remedies.register_parameters import RegisterParameters
from tests.diagnose.windows import window
from tests.prescribe.cases import dose, finding


def test_one_forgotten_layer_is_added() -> None:
    found = finding("untrained-parameters", "embedding", reason="optimizer")
    given = dose(RegisterParameters(), found)
    assert given.code.startswith("optimizer.add_param_group(")
    assert '"embedding"' in given.code


def test_several_forgotten_layers_want_a_complete_optimizer() -> None:
    found = finding("untrained-parameters", "0", "2", reason="optimizer")
    assert "model.parameters()" in dose(RegisterParameters(), found).code


def test_a_group_without_a_rate_gets_that_of_the_others() -> None:
    found = finding("untrained-parameters", "body", reason="movement")
    seen = window(scalars={"lr/0": [0.002] * 3})
    assert (
        dose(RegisterParameters(), found, seen).code == 'optimizer.param_groups[-1]["lr"] = 0.002'
    )


def test_a_detached_body_is_attached() -> None:
    found = finding("untrained-parameters", "body.0", reason="gradient")
    assert "detach" in dose(RegisterParameters(), found).code
