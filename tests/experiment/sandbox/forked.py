"""Doing something in a forked process, which may be changed for good."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable


def forked(action: Callable[[], object]) -> tuple[int, str]:
    """Its exit code, and what `action` gave, or what it died of."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        said, code = "", 0
        try:
            said = str(action())
        except BaseException:  # noqa: BLE001 - told to the test
            said, code = traceback.format_exc(), 1
        finally:
            os.write(writer, said.encode())
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said
