from __future__ import annotations

import json
import sys
import weakref
from pathlib import Path

from paramedic.run.places import Place, caller, calling_frame, locals_of


class Thing:
    def __init__(self) -> None:
        self.place = caller(constructed=self)
        self.inside = caller()


def test_the_line_that_called() -> None:
    place = caller()
    assert place is not None
    assert Path(place.file).name == "test_places.py"
    assert "place = caller()" in Path(place.file).read_text().splitlines()[place.line - 1]
    assert place.function == "test_the_line_that_called"


def test_installed_code_is_passed_over() -> None:
    place = json.loads("1", parse_int=lambda _: caller())
    assert place is not None
    assert place.function == "<lambda>"
    frame = calling_frame()
    assert frame is not None
    assert frame.f_code.co_name == "test_installed_code_is_passed_over"


def test_the_constructor_of_a_thing_is_not_where_it_was_made() -> None:
    thing = Thing()
    assert thing.place is not None
    assert thing.inside is not None
    assert thing.place.function.startswith("test_the_constructor")
    assert thing.inside.function == "__init__"


def test_words() -> None:
    place = Place(str(Path(__file__).resolve()), 3)
    assert str(place).endswith("test_places.py:3")
    assert place.to_json() == {"file": place.file, "line": 3}
    assert str(Place("gone.py", 4)) == "gone.py:4"


def test_what_a_function_deletes_is_gone_although_it_was_asked_for() -> None:
    def program() -> object:
        kept, gone = Thing(), Thing()
        before = locals_of(sys._getframe())
        assert before["kept"] is kept
        reference = weakref.ref(gone)
        del gone, before
        return reference()

    assert program() is None


def test_what_the_program_has_asked_for_itself_stays() -> None:
    def program() -> dict[str, object]:
        here = 1
        own = locals()
        locals_of(sys._getframe())
        assert here == 1
        return own

    assert program()["here"] == 1
