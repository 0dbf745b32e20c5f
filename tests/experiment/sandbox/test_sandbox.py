"""Nothing that a program does in the sandbox is seen outside of it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from paramedic.experiment.sandbox import Ended, How, Limits, Sandbox
from tests.experiment.sandbox.world import NASTY, World, require, world

EACH = pytest.mark.parametrize("how", list(How))
DRIVER = """
import json, os, sys
from pathlib import Path
from paramedic.experiment.sandbox import How, Limits, Sandbox

command, folder, how = json.loads(sys.argv[1])
with open(os.environ["SAID"], "w") as said:
    print(Sandbox((Path(folder),), Limits(120), How(how)).run(command, folder=Path(folder)))
"""


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with world(tmp_path) as made:
        monkeypatch.setattr(tempfile, "tempdir", str(made.temporary))
        yield made


def _run(folder: Path, how: How, text: str, *arguments: str, **limits: float) -> Ended:
    """A small program in a folder."""
    require(how)
    (folder / "train.py").write_text(textwrap.dedent(text))
    sandbox = Sandbox((folder,), Limits(**{"seconds": 120, **limits}), how)  # type: ignore[arg-type]
    return sandbox.run([sys.executable, "train.py", *arguments], folder=folder)


@EACH
def test_nothing_of_it_stays(user: World, how: How) -> None:
    require(how)
    (user.project / "train.py").write_text(NASTY.read_text())
    before = user.state()
    ended = Sandbox((user.project,), Limits(120), how).run(
        [sys.executable, "train.py", *user.arguments],
        folder=user.project, environment=user.environment,
    )  # fmt: skip
    assert ended.well, ended.errors
    done = ended.output.splitlines()
    assert user.state() == before
    assert user.wait_until_alone() == []
    assert user.connections() == 0
    assert user.victim.poll() is None
    refused = {one for one in done if ":" in one}
    if how is How.NAMESPACES:  # there it may do all else
        assert refused == {"connect: ConnectionRefusedError", "kill: ProcessLookupError"}
    else:
        assert {"temporary", "daemon", "chdir"} <= set(done) - refused
        assert "checkpoint: OSError" in refused


def test_the_world_would_notice(user: World) -> None:
    """The same program without a sandbox."""
    (user.project / "train.py").write_text(NASTY.read_text())
    before = user.state()
    subprocess.run(
        [sys.executable, "train.py", *user.arguments], cwd=user.project, env=user.environment,
        stdout=subprocess.DEVNULL, check=True,
    )  # fmt: skip
    for shared in ("/var/tmp", "/dev/shm"):
        Path(shared, f"nasty-{user.arguments[0]}").unlink()
    changed = {name for name, one in user.state().items() if before.get(name) != one}
    assert {Path(one).name for one in changed} >= {
        "model.pt", "large.bin", "stamp.txt", "new.txt", "file.txt", ".nasty", "2.txt", "3.txt",
        "5.txt", "6.txt", "seven.txt", "eight.txt", "last.txt", "runs.db", "relative.txt",
    }  # fmt: skip
    assert len(user.processes()) == 2
    assert user.connections() == 1
    assert user.victim.wait(5) == -signal.SIGKILL


@EACH
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_whoever_waits_for_it_dies(user: World, how: How, number: int) -> None:
    require(how)
    (user.project / "train.py").write_text(NASTY.read_text())
    command = [sys.executable, "train.py", *user.arguments, "sleep"]
    before = user.state()
    told = json.dumps([command, str(user.project), how])
    environment = {**user.environment, "SAID": os.devnull}
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER, told], env=environment, stderr=subprocess.DEVNULL,
        # A job in the background of a shell ignores Ctrl-C, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    _wait_for(user, command)
    driver.send_signal(number)
    driver.wait(60)
    assert user.wait_until_alone() == []
    assert user.state() == before
    assert user.connections() == 0


def _wait_for(user: World, command: list[str]) -> None:
    """Until the program sleeps with its children: two in namespaces, else those it may start."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for one in user.processes():
            try:
                words = Path("/proc", str(one), "cmdline").read_bytes().split(b"\0")
                where = Path("/proc", str(one), "wchan").read_text()
            except OSError:
                continue
            if words[:-1] == [word.encode() for word in command] and "nanosleep" in where:
                return
        time.sleep(0.05)
    raise AssertionError("the program was not seen")


@EACH
def test_another_text_of_a_file(tmp_path: Path, how: How) -> None:
    """Everything that reads it sees the other one, also where it was compiled before."""
    require(how)
    (tmp_path / "package").mkdir()
    module = tmp_path / "package" / "net.py"
    (tmp_path / "data.txt").write_text("data")
    module.write_text("import inspect\n\ndef f():\n    return 'old'\n")
    (tmp_path / "train.py").write_text(
        "import inspect, sys, pathlib\n"
        "from package import net\n"
        "here = pathlib.Path(__file__).resolve()\n"
        "print(net.f(), 'new' in inspect.getsource(net), 'new' in open(net.__file__).read())\n"
        "print((here.parent / 'data.txt').read_text(), here.parent == pathlib.Path.cwd())\n"
        "print(here, sys.argv)\n"
    )
    subprocess.run([sys.executable, "train.py"], cwd=tmp_path, check=True, capture_output=True)
    text = module.read_text()
    ended = Sandbox((tmp_path,), Limits(120), how).run(
        [sys.executable, "train.py", "a b"], files={module: text.replace("old", "new")},
        folder=tmp_path,
    )  # fmt: skip
    script = tmp_path / "train.py"
    assert ended.output.splitlines() == [
        "new True True", "data True", f"{script} ['train.py', 'a b']"
    ], ended.errors  # fmt: skip
    assert module.read_text() == text


@EACH
def test_what_it_leaves_in_its_private_folder(tmp_path: Path, how: How) -> None:
    require(how)
    sandbox = Sandbox((tmp_path,), Limits(120), how)
    (tmp_path / "train.py").write_text("import sys; open(sys.argv[1], 'w').write('result')")
    ended = sandbox.run(
        [sys.executable, "train.py", str(sandbox.private / "result")], folder=tmp_path,
        collect=("result", "other"),
    )  # fmt: skip
    assert ended.files == {"result": b"result"}
    assert ended.how is how
    assert not sandbox.private.exists()


WRITER = """
import os, sys
open("log.txt", "a").write("here")
print(os.path.exists("large.bin"), open("log.txt").read(), os.path.islink("link"))
"""


@pytest.mark.parametrize("how", [How.LANDLOCK, How.GUARD])
def test_a_project_that_is_written_to_is_copied(user: World, how: How) -> None:
    before = user.state()
    (user.project / "log.txt").write_text("was ")
    ended = _run(user.project, how, WRITER)
    assert ended.output == "True was here False\n", ended
    (user.project / "log.txt").unlink()
    (user.project / "train.py").unlink()
    assert user.state() == before


@pytest.mark.parametrize("how", [How.LANDLOCK, How.GUARD])
def test_a_project_too_large_to_copy(tmp_path: Path, how: How) -> None:
    with open(tmp_path / "data.bin", "wb") as file:
        file.truncate(501 * 2**20)
    ended = _run(tmp_path, how, WRITER)
    assert ended.refused == "the project has more than 500 MB"


@pytest.mark.parametrize("how", [How.LANDLOCK, How.GUARD])
def test_what_it_wanted_to_write(user: World, how: How) -> None:
    file = user.root / "elsewhere" / "file.txt"
    ended = _run(user.project, how, f"open({str(file)!r}, 'w')")
    assert ended.refused == f"it wanted to write `{file}`"
    assert not ended.well
    assert file.read_text() == "file"


def test_what_cannot_be_written_in_namespaces(tmp_path: Path) -> None:
    ended = _run(tmp_path, How.NAMESPACES, "open('/sys/here', 'w')")
    assert ended.refused == "it wanted to write `/sys/here`"


def test_the_network_is_its_own(tmp_path: Path) -> None:
    """With a way to itself, as programs on several processes need it."""
    text = """
        import socket
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname()).close()
        socket.create_connection(("192.0.2.1", 80), 5)
        """
    ended = _run(tmp_path, How.NAMESPACES, text)
    assert ended.refused == "it wanted to use the network", ended.errors


@EACH
def test_it_fails_by_itself(tmp_path: Path, how: How) -> None:
    ended = _run(tmp_path, how, "import sys; sys.exit('no')")
    assert (ended.code, ended.refused, ended.limit, ended.errors) == (1, None, "", "no\n")


@EACH
@pytest.mark.parametrize(
    ("text", "limits", "told"),
    [
        ("import time; time.sleep(60)", {"seconds": 1.0}, "it did not end within 1 s"),
        (
            "import time; x = bytearray(400 * 2**20); time.sleep(60)",
            {"memory": 200 * 2**20},
            "it needed more than 200 MB of memory",
        ),
        (
            "import os, time\nfor _ in range(30): os.fork() or time.sleep(60)\ntime.sleep(60)",
            {"processes": 20},
            "it started more than 20 processes",
        ),
    ],
)
def test_limits(tmp_path: Path, how: How, text: str, limits: dict[str, float], told: str) -> None:
    assert _run(tmp_path, how, text, **limits).limit == told


@EACH
def test_the_disk_is_limited(tmp_path: Path, how: How) -> None:
    text = """
        import tempfile
        with tempfile.TemporaryFile() as file:
            file.write(bytes(20 * 2**20))
        """
    ended = _run(tmp_path, how, text, disk=8 * 2**20)
    assert ended.refused == "it wanted more than 8 MB of disk", ended


@EACH
def test_nobody_is_waited_for_who_holds_its_output(tmp_path: Path, how: How) -> None:
    text = """
        import os, time
        if os.fork() == 0:
            os.setsid()
            time.sleep(60)
        print("done")
        """
    begin = time.monotonic()
    ended = _run(tmp_path, how, text)
    assert ended.output == "done\n"
    assert time.monotonic() - begin < 55


def test_what_it_says_is_kept_within_bounds(tmp_path: Path) -> None:
    ended = _run(tmp_path, How.GUARD, "print('x' * 10**6)\nprint('the end')")
    assert len(ended.output) == 256 * 2**10
    assert ended.output.endswith("the end\n")


@EACH
def test_no_terminal_and_nothing_to_read(tmp_path: Path, how: How) -> None:
    text = """
        import os, sys
        print(repr(sys.stdin.read()), os.isatty(1))
        os.open("/dev/tty", os.O_RDWR)
        """
    ended = _run(tmp_path, how, text)
    assert ended.output == "'' False\n"
    assert not ended.well


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    ended = Sandbox(()).run([sys.executable, "-c", ""], folder=tmp_path / "gone")
    assert ended.refused is not None
    assert ended.refused.startswith("the sandbox failed: ")


@pytest.mark.parametrize("how", list(How))
def test_as_another_user(tmp_path: Path, how: How) -> None:
    """Tests may run as an administrator; most users are none."""
    python, setpriv = Path("/usr/bin/python3"), shutil.which("setpriv")
    source = Path(__file__).parents[3] / "src"
    if os.geteuid() or not python.exists() or setpriv is None:
        pytest.skip("this is an ordinary user already, or cannot become one")
    if how is How.NAMESPACES:
        require(how)
    folder = Path("/tmp", f"paramedic-user-{os.getpid()}")
    folder.mkdir()
    os.chown(folder, 12345, 12345)
    script = folder / "train.py"
    script.write_text("open('new.txt', 'w').write('x')\nprint(open('/tmp/beside', 'a'))")
    try:
        done = subprocess.run(
            [setpriv, "--reuid=12345", "--regid=12345", "--clear-groups", python, "-c", DRIVER,
             json.dumps([[str(python), "train.py"], str(folder), how])],
            env={"HOME": str(folder), "PYTHONPATH": str(source), "SAID": os.devnull},
            cwd=folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if "No module" in done.stderr or "SyntaxError" in done.stderr:
            pytest.skip("that user cannot read our source, or has an old Python")
        if how is How.NAMESPACES:
            assert "/tmp/beside" in done.stdout, done
        else:
            assert "it wanted to write `/tmp/beside`" in done.stdout, done
        assert [one.name for one in folder.iterdir()] == ["train.py"]
        assert not Path("/tmp/beside").exists()
    finally:
        shutil.rmtree(folder)
