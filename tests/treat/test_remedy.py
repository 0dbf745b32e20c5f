from __future__ import annotations

from paramedic.treat.remedies import remedies
from paramedic.treat.remedy import Refusal, Remedy, Treated
from tests.treat.plans import plan


def test_a_refusal_is_an_error_of_values() -> None:
    """So that who tries remedies need not know where they come from."""
    assert issubclass(Refusal, ValueError)


def test_what_it_took_to_find_is_nothing_unless_told() -> None:
    assert Treated(plan(), "words", "code").steps == 0


def test_every_remedy_keeps_the_contract() -> None:
    every: list[Remedy] = list(remedies().values())
    for one in every:
        assert one.slug
        assert one.title
        assert one.against
        assert type(one).__doc__
