from __future__ import annotations

import math

from paramedic.hpo.memory import Memory


def test_what_ended_keeps_its_last_value_but_did_not_reach_a_later_age() -> None:
    memory = Memory(epochs=3, trials=5)
    memory.add((5.0, 4.0, 3.0), 3)
    memory.add((2.0, 1.0, 0.5), 1)
    memory.add((9.0, 9.0, 9.0), 0)
    assert memory.others().values.tolist() == [[5.0, 4.0, 3.0], [2.0, 2.0, 2.0], [math.inf] * 3]
    assert list(memory.at(1)) == [2.0, 5.0]
    assert list(memory.at(2)) == [4.0]
    assert list(memory.at(9)) == [3.0]


def test_losses_are_remembered_where_they_are_known() -> None:
    memory = Memory(epochs=3, trials=3)
    memory.add((5.0, 4.0, 3.0), 3)
    memory.add((5.0, 4.0, 3.0), 2, ((), (0.9, 0.8, 0.7)))
    others = memory.others()
    assert len(others.values) == 2
    assert [table.tolist() for table in others.losses] == [[], [[0.9, 0.8, 0.8]]]
