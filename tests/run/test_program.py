"""A program runs as the interpreter runs it: compared with the interpreter itself.

These programs do without torch, so that many of them can be run.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from paramedic.run.program import Ending, Enough, Program, check, execute
from tests.run.support import script

WATCHED = [sys.executable, "-m", "paramedic", "run", "--quiet", "--exit-zero"]
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join(os.path.abspath(p) for p in ("src",) if os.path.isdir(p)),
}


def both(folder: Path, *words: str) -> tuple[subprocess.CompletedProcess[str], ...]:
    """The same command by Python and by us."""
    return tuple(
        subprocess.run(
            [*command, *words], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True,
            timeout=60, input="from stdin\n", check=False,
        )
        for command in ([sys.executable], WATCHED)
    )  # fmt: skip


def test_names_arguments_paths_and_input(tmp_path: Path) -> None:
    script(
        tmp_path,
        """
        import os, sys
        import neighbour
        print(__name__, __file__, sys.argv, sys.path[0], os.getcwd(), __package__, __spec__)
        print(sys.modules["__main__"].__dict__ is globals(), type(__loader__).__name__)
        print(input(), neighbour.value, sys.excepthook is sys.__excepthook__)
        print("on stderr", file=sys.stderr)
        """,
    )
    script(tmp_path, "value = 7", "neighbour.py")
    plain, ours = both(tmp_path, "train.py", "--lr", "0.1", "--quiet", "-m", "--", "x")
    assert "'--quiet', '-m', '--', 'x'" in plain.stdout
    assert (ours.stdout, ours.stderr, ours.returncode) == (plain.stdout, plain.stderr, 0)
    assert not (tmp_path / "__pycache__" / "train.cpython-311.pyc").exists()


def test_nothing_heavy_is_imported_before_the_program(tmp_path: Path) -> None:
    """It may want to set up threads or devices first."""
    script(tmp_path, "import sys\nprint([m for m in ('numpy', 'torch') if m in sys.modules])")
    _, ours = both(tmp_path, "train.py")
    assert ours.stdout == "[]\n"


def test_a_module_of_a_package(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    script(tmp_path / "package", "", "__init__.py")
    script(tmp_path / "package", "value = 3", "part.py")
    script(
        tmp_path / "package",
        """
        import sys
        from .part import value
        if __name__ == "__main__":
            print(__name__, __file__, __package__, __spec__.name, sys.argv, sys.path[0], value)
        """,
        "training.py",
    )
    plain, ours = both(tmp_path, "-m", "package.training", "--epochs", "3")
    assert "package.training" in plain.stdout
    assert (ours.stdout, ours.stderr, ours.returncode) == (plain.stdout, plain.stderr, 0)


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    raise ValueError('what')\ntry:\n    f()\nexcept ValueError as e:\n"
        "    raise RuntimeError('so') from e",
        "import sys\nsys.exit(3)",
        "import sys\nsys.exit('a message')",
        "import sys\nsys.exit()",
        "x = (1,\n",
        "import sys\nsys.excepthook = lambda *a: print('mine', a[0].__name__)\n1 / 0",
        "import atexit\natexit.register(print, 'the end')\nassert False",
        "import os\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\nprint('both')",
    ],
    ids=["chain", "code", "message", "none", "syntax", "hook", "atexit", "fork"],
)
def test_endings(text: str, tmp_path: Path) -> None:
    script(tmp_path, text)
    plain, ours = both(tmp_path, "train.py")
    assert (ours.stdout, ours.stderr) == (plain.stdout, plain.stderr)
    assert ours.returncode == plain.returncode


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_of_its_own(method: str, tmp_path: Path) -> None:
    script(
        tmp_path,
        f"""
        import multiprocessing, os
        def square(x):
            return x * x
        if __name__ == "__main__":
            with multiprocessing.get_context("{method}").Pool(2) as pool:
                print(pool.map(square, range(4)))
        """,
    )
    plain, ours = both(tmp_path, "train.py")
    assert plain.stdout == "[0, 1, 4, 9]\n"
    assert (ours.stdout, ours.stderr, ours.returncode) == (plain.stdout, plain.stderr, 0)


def _heed_interrupts() -> None:
    """Whoever runs the tests in the background ignores them, and so would all its children."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_an_interrupt_ends_it_as_it_ends_python(tmp_path: Path) -> None:
    path = script(
        tmp_path,
        """
        import atexit, time
        atexit.register(print, "cleaned up", flush=True)
        print("ready", flush=True)
        time.sleep(60)
        """,
    )
    command = [sys.executable, "-m", "paramedic", "run", str(path)]
    process = subprocess.Popen(
        command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=_heed_interrupts,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert out == "cleaned up\n"
    assert "KeyboardInterrupt" in err
    assert "cannot tell" in err


def test_a_script_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError, match=r"no script `nowhere\.py`"):
        check(Program("nowhere.py"))


def test_we_can_end_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = script(
        tmp_path,
        """
        from paramedic.run.program import Enough
        try:
            raise Enough("at last")
        except Exception:
            print("not reached")
        finally:
            print("cleaned up")
        """,
    )
    assert execute(Program(str(path))) == Ending(stopped="at last")
    assert capsys.readouterr().out == "cleaned up\n"
    assert not issubclass(Enough, Exception)


def test_the_process_is_left_as_it_was(tmp_path: Path) -> None:
    path = script(tmp_path, "import sys\nsys.argv.append('x')\nsys.excepthook = print")
    before = sys.argv, list(sys.path), sys.modules["__main__"], sys.excepthook
    execute(Program(str(path), ("a",)))
    assert (sys.argv, list(sys.path), sys.modules["__main__"], sys.excepthook) == before
