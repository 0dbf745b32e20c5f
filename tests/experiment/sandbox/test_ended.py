from __future__ import annotations

import pytest

from paramedic.experiment.sandbox.ended import Ended, limit_told, refused
from paramedic.experiment.sandbox.limits import Limits

LIMITS = Limits(seconds=5, memory=3 * 2**20, disk=2**20)


@pytest.mark.parametrize(
    ("notes", "errors", "told"),
    [
        ([], "ValueError: no", None),
        ([], "FileNotFoundError: [Errno 2] No such file or directory: 'x'", None),
        (["connect to h:80", "write /a b"], "", ("it wanted to write `/a b`", "/a b")),
        (["connect to h:80"], "", ("it wanted to connect to h:80", None)),
        (["cannot the project is large"], "", ("the project is large", None)),
        ([], "OSError: [Errno 30] Read-only file system: '/x'", ("it wanted to write `/x`", "/x")),
        (
            [],
            "OSError: [Errno 75] Value too large for defined data type: '/x'",
            ("it wanted to write `/x`", "/x"),
        ),
        (
            [],
            "OSError: [Errno 28] No space left on device",
            ("it wanted more than 1 MB of disk", None),
        ),
        (
            [],
            "OSError: [Errno 18] Invalid cross-device link: 'a' -> 'b'",
            ("it wanted to move or remake a folder, which cannot be done in the sandbox", None),
        ),
        (
            [],
            "socket.gaierror: [Errno -3] Temporary failure in name resolution",
            ("it wanted to use the network", None),
        ),
    ],
)
def test_what_was_refused(notes: list[str], errors: str, told: object) -> None:
    assert refused(notes, errors, LIMITS) == told


def test_limits_in_words() -> None:
    assert limit_told("time", LIMITS) == "it did not end within 5 s"
    assert limit_told("memory", LIMITS) == "it needed more than 3 MB of memory"
    assert limit_told("disk", LIMITS) == "it needed more than 1 MB of disk"
    assert limit_told("processes", LIMITS) == "it started more than 500 processes"
    assert limit_told("abandoned", LIMITS) == "it was ended from outside"
    assert limit_told("", LIMITS) == ""


def test_ending_well() -> None:
    assert Ended(0).well
    assert not Ended(1).well
    assert not Ended(0, limit="it did not end").well
