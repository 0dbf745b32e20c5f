from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from paramedic.trace.codec import (
    PULSE,
    Layout,
    decode_pulse,
    encode_pulse,
    pulse_row,
    signature,
    unpack_pulse,
)
from paramedic.types import Frame

MakeFrame = Callable[..., Frame]


@st.composite
def frames(draw: st.DrawFn) -> Frame:
    width = draw(st.integers(0, 6))
    rows = hnp.arrays(np.float32, width, elements=st.floats(width=32))
    return Frame(
        step=draw(st.integers(-(2**63), 2**63 - 1)),
        level=draw(st.text(max_size=8)),
        scalars=draw(st.dictionaries(st.text(max_size=8), st.floats(), max_size=6)),
        layers=draw(st.dictionaries(st.text(max_size=8), rows, max_size=4)),
    )


@given(frame=frames())
def test_a_frame_survives_bit_for_bit(
    frame: Frame, same_frame: Callable[[Frame, Frame], bool]
) -> None:
    layout = Layout(*signature(frame))
    blob = layout.encode(frame)
    assert len(blob) == layout.size
    assert same_frame(layout.decode(frame.step, frame.level, bytes(blob)), frame)


@given(frame=frames(), extra=st.integers(-9, 9).filter(bool))
def test_a_blob_of_another_length_is_refused(frame: Frame, extra: int) -> None:
    layout = Layout(*signature(frame))
    blob = bytes(layout.encode(frame))
    wrong = blob + b"\0" * extra if extra > 0 else blob[:extra]
    if len(wrong) != len(blob):
        with pytest.raises(ValueError, match=f"{len(wrong)} bytes"):
            layout.decode(0, "full", wrong)


def test_scalars_come_first_as_little_endian_float64(make_frame: MakeFrame) -> None:
    frame = make_frame(7)
    blob = Layout(*signature(frame)).encode(frame)
    np.testing.assert_array_equal(np.frombuffer(blob[:16], "<f8"), [1.0, 1.0])
    np.testing.assert_array_equal(
        np.frombuffer(blob[16:], "<f4").reshape(2, 3), [[7, 8, 9], [14, 16, 18]]
    )


def test_decoded_arrays_are_read_only(make_frame: MakeFrame) -> None:
    frame = make_frame(1)
    layout = Layout(*signature(frame))
    decoded = layout.decode(1, "full", bytes(layout.encode(frame)))
    with pytest.raises(ValueError, match="read-only"):
        decoded.layers["grad_norm"][0] = 5


@pytest.mark.parametrize(
    "row",
    [
        np.arange(6, dtype=np.float32)[::2],
        np.array([0, 2, 4], np.float64),
        np.array([0, 2, 4], np.int32),
        np.array([0, 2, 4], ">f4"),
    ],
    ids=["strided", "float64", "int32", "big-endian"],
)
def test_other_arrays_are_converted(row: np.ndarray) -> None:
    frame = Frame(0, "full", {}, {"a": np.zeros(3, np.float32), "b": row})
    layout = Layout(*signature(frame))
    decoded = layout.decode(0, "full", bytes(layout.encode(frame)))
    np.testing.assert_array_equal(decoded.layers["b"], [0, 2, 4])


@pytest.mark.parametrize("shape", [(2,), (4,), (3, 2), ()])
def test_a_row_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    rows = {"a": np.zeros(3, np.float32), "b": np.zeros(shape, np.float32)}
    frame = Frame(0, "full", {}, rows)
    with pytest.raises(ValueError, match="`b` has shape"):
        Layout(*signature(frame)).encode(frame)


def test_rows_that_only_add_up_to_the_right_length_are_refused() -> None:
    lengths = {"a": 3, "b": 2, "c": 4}
    frame = Frame(0, "full", {}, {name: np.zeros(n, np.float32) for name, n in lengths.items()})
    with pytest.raises(ValueError, match="`b` has shape"):
        Layout(*signature(frame)).encode(frame)


def test_a_scalar_that_is_no_number_is_refused() -> None:
    frame = Frame(0, "full", {"loss": None}, {})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="not a number"):
        Layout(*signature(frame)).encode(frame)


@pytest.mark.parametrize(
    ("scalars", "layers", "width"),
    [
        ((), ("a",), -1),
        ((), ("a",), 10**6 + 1),
        ((), tuple(map(str, range(10))), 10**6),
        (("loss", "loss"), (), 0),
        ((), ("a", "a"), 1),
        (tuple(map(str, range(10**6 + 1))), (), 0),
    ],
    ids=["negative", "too-wide", "too-many-cells", "twice", "statistic-twice", "too-many-names"],
)
def test_absurd_layouts_are_refused(
    scalars: tuple[str, ...], layers: tuple[str, ...], width: int
) -> None:
    with pytest.raises(ValueError, match=r"`scalars`|`layers`|`width`|too large"):
        Layout(scalars, layers, width)


beats = st.tuples(st.integers(-(2**63), 2**63 - 1), st.floats(), st.booleans(), st.booleans())


@given(st.lists(beats, min_size=1, max_size=20))
def test_a_pulse_survives(rows: list[tuple[int, float, bool, bool]]) -> None:
    first, last, _, blob = pulse_row(encode_pulse(rows))
    assert (first, last) == (min(row[0] for row in rows), max(row[0] for row in rows))
    pulse = unpack_pulse([decode_pulse(blob)])
    assert pulse.step.tolist() == [row[0] for row in rows]
    np.testing.assert_array_equal(pulse.loss, [row[1] for row in rows])
    assert pulse.finite.tolist() == [row[2] for row in rows]
    assert pulse.skipped.tolist() == [row[3] for row in rows]


def test_no_chunks_are_an_empty_pulse() -> None:
    assert len(unpack_pulse([])) == 0


@pytest.mark.parametrize("size", [0, 1, 16, 18])
def test_a_pulse_of_another_length_is_refused(size: int) -> None:
    assert PULSE.itemsize == 17
    with pytest.raises(ValueError, match=f"{size} bytes"):
        decode_pulse(b"\0" * size)
