from __future__ import annotations

from paramedic.vocabulary import ACTIVATIONS, LAYER_STATISTICS, SCALARS, VITALS


def test_every_name_has_a_meaning() -> None:
    for name, statistic in {**LAYER_STATISTICS, **SCALARS}.items():
        assert statistic.meaning, name
        assert name == name.lower()


def test_degrees_undo_a_scale() -> None:
    """A gradient times s: norms and means grow as s, the variance as s squared, shares do not."""
    degrees = {name: LAYER_STATISTICS[name].degree for name in LAYER_STATISTICS}
    assert degrees["grad_norm"] == degrees["grad_mean"] == degrees["grad_q1"] == 1
    assert degrees["grad_var"] == 2
    assert degrees["grad_zero"] == degrees["grad_skew"] == degrees["weight_var"] == 0
    assert set(VITALS) | set(ACTIVATIONS) <= set(LAYER_STATISTICS)
