"""Running a program so that nothing of it reaches the user's files, network or processes."""

from __future__ import annotations

import base64
import json
import os
import secrets
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from paramedic.experiment.sandbox.copying import outermost
from paramedic.experiment.sandbox.ended import Ended, limit_told, refused
from paramedic.experiment.sandbox.limits import Limits
from paramedic.experiment.sandbox.output import Tail
from paramedic.experiment.sandbox.possible import How

_HOME = str(Path(__file__).parents[3])  # where this package is imported from
_LAUNCH = (
    f"import sys; sys.path.insert(0, {_HOME!r}); "
    "from paramedic.experiment.sandbox.launcher import main; main()"
)
_LATE = 30.0  # seconds beyond the limit, after which the sandbox itself must be stuck
_PATIENCE = 10.0  # seconds for it to end what it has started
_PART = 2**16
_PARTS = 32  # more than a pipe holds


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Where a program may do what it likes, for nothing of it stays.

    `written` are the folders that the program works in: only these are copied where the system
    cannot give a private view of all. `how` chooses what keeps the program in; by default the best
    that the system has. `private` is a folder that is there only inside.
    """

    written: tuple[Path, ...] = ()
    limits: Limits = field(default_factory=Limits)
    how: How | None = None
    private: Path = Path()

    def __post_init__(self) -> None:
        if self.private == Path():
            name = f"paramedic-{secrets.token_hex(8)}"
            object.__setattr__(self, "private", Path(tempfile.gettempdir()).resolve() / name)

    def run(
        self,
        command: Sequence[str],
        *,
        files: Mapping[Path, str] | None = None,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        collect: Iterable[str] = (),
    ) -> Ended:
        """Run a command of Python to its end, with other texts in the place of some files.

        `collect` are names of files in the private folder that are wanted. Where there are no
        namespaces it runs in place, where it can only read; if it wants to write to the folders
        that it works in, it runs once more in a copy of these.
        """
        if sys.platform == "win32":
            return Ended(1, refused="on Windows nothing keeps a program from your files")
        told = {
            "command": list(command),
            "files": {str(path.resolve()): text for path, text in (files or {}).items()},
            "folder": str(folder or Path.cwd()),
            "environment": dict(os.environ if environment is None else environment),
            "collect": list(collect),
            "private": str(self.private),
            "written": [str(one) for one in self._all_written()],
            "limits": asdict(self.limits.fixed()),
            "how": self.how,
            "copied": [],
        }
        ended = _launched(told, self.limits.fixed())
        if ended.how is not How.NAMESPACES and _is_within(ended.written, self.written):
            copied = [str(one) for one in outermost(one.resolve() for one in self.written)]
            again = _launched({**told, "copied": copied}, self.limits.fixed())
            return replace(again, seconds=again.seconds + ended.seconds)
        return ended

    def _all_written(self) -> list[Path]:
        """Also the folders that programs write to wherever they work."""
        usual = [Path.home(), Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp")]
        return [one.resolve() for one in (*self.written, *usual)]


def _is_within(path: str | None, folders: Sequence[Path]) -> bool:
    if path is None:
        return False
    return any(Path(path).resolve().is_relative_to(one.resolve()) for one in folders)


def _launched(told: Mapping[str, Any], limits: Limits) -> Ended:
    begin = time.monotonic()
    reader, writer = os.pipe()
    command = [sys.executable, "-I", "-S", "-c", _LAUNCH, str(writer)]
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            pass_fds=(writer,), start_new_session=True, cwd=told["folder"],
            env=dict(told["environment"]),
        )  # fmt: skip
    except OSError as error:  # as for a folder that is gone
        os.close(reader)
        return Ended(1, refused=f"the sandbox failed: {error}")
    finally:
        os.close(writer)
    with os.fdopen(reader, "rb", buffering=0) as report, process:
        try:
            streams = _followed(process, report, told, begin + limits.seconds + _LATE)
        finally:
            _end(process)
    return _ended(streams, limits, time.monotonic() - begin)


def _followed(
    process: subprocess.Popen[bytes], report: IO[bytes], told: Mapping[str, Any], end: float
) -> tuple[bytes, Tail, Tail]:
    """What it reports at its end, and the end of what it said until then."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with suppress(BrokenPipeError):
        process.stdin.write(json.dumps(told).encode() + b"\n")
        process.stdin.flush()
    streams: dict[IO[bytes], Tail] = {process.stdout: Tail(), process.stderr: Tail()}
    reported: list[bytes] = []
    with selectors.DefaultSelector() as selector:
        for stream in (report, *streams):
            os.set_blocking(stream.fileno(), False)
            selector.register(stream, selectors.EVENT_READ)
        is_over = False
        while not is_over and time.monotonic() < end:
            ready = [key.fileobj for key, _ in selector.select(1.0)]
            for stream in (one for one in streams if one in ready):
                if not _take(stream, streams[stream].add):
                    selector.unregister(stream)
            is_over = report in ready and not _take(report, reported.append)
    for stream, tail in streams.items():  # what is left; others may hold it open for ever
        for _ in range(_PARTS):
            if not _take(stream, tail.add):
                break
    return b"".join(reported), *streams.values()  # type: ignore[return-value]


def _take(stream: IO[bytes], add: Any) -> bool:
    """Whether there was something, or may be later."""
    try:
        part = os.read(stream.fileno(), _PART)
    except BlockingIOError:
        return False
    add(part)
    return bool(part)


def _end(process: subprocess.Popen[bytes]) -> None:
    """It ends all that it has started as soon as nobody writes to it any more."""
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.close()
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()


def _ended(streams: tuple[bytes, Tail, Tail], limits: Limits, seconds: float) -> Ended:
    reported, output, errors = streams[0], streams[1].text(), streams[2].text()
    try:
        told = json.loads(reported)
    except ValueError:
        last = errors.strip().splitlines()[-1:] or ["it said nothing"]
        return Ended(1, output, errors, seconds, f"the sandbox failed: {last[0]}")
    limit = limit_told(told["why"], limits)
    found = refused(told["notes"], errors, limits) if told["code"] and not limit else None
    files = {name: base64.b64decode(content) for name, content in told["files"].items()}
    return Ended(
        told["code"], output, errors, seconds, None if found is None else found[0], limit,
        How(told["how"]), files, None if found is None else found[1],
    )  # fmt: skip
