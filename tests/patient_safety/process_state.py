"""What a process has: threads, descriptors, handlers, hooks, random streams, settings.

Imported inside of the program that is run, by the line that is added to its end, and as it exits.
"""

from __future__ import annotations

import builtins
import gc
import hashlib
import json
import locale
import logging
import os
import random
import signal
import sys
import threading
import time
import types
import warnings
from importlib.util import find_spec
from typing import Any

FOLDER = "PATIENT_STATE"  # where it is written to
numpy_is_seeded = False  # by the server that forked this process; else it is by the system
_US = os.path.dirname(find_spec("paramedic").origin) + os.sep
PROCESS = "PATIENT_PROCESS"  # whose state: not that of its children


def dump(moment: str) -> None:
    """Write the state of this process to `moment`.json, if it is the one that was started."""
    if os.environ.get(PROCESS) != str(os.getpid()):
        return
    found = {name: take() for name, take in _STATES.items()}
    path = os.path.join(os.environ[FOLDER], f"{moment}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(found, file, default=repr)


def _threads() -> Any:
    return sorted((one.name, one.daemon) for one in threading.enumerate())


def _system_threads() -> Any:
    """With those that no code in Python has started; one that has been joined takes its time."""
    before, now = [], _tasks()
    while len(now) > 1 and before != now:
        time.sleep(0.02)
        before, now = now, _tasks()
    return now


def _tasks() -> list[str]:
    names = []
    for one in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{one}/comm", encoding="utf-8") as file:
                names.append(file.read().strip())
        except OSError:  # it has ended
            continue
    return sorted(names)


def _descriptors() -> Any:
    found = []
    for one in os.listdir("/proc/self/fd"):
        try:
            found.append(os.readlink(f"/proc/self/fd/{one}").partition(":[")[0])
        except OSError:  # the one that reads the folder
            continue
    return sorted(found)


def _children() -> Any:
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="utf-8") as file:
        return len(file.read().split())


def _signals() -> Any:
    found = {}
    for number in sorted(signal.valid_signals()):
        try:
            found[str(int(number))] = _named(signal.getsignal(number))
        except ValueError:
            continue
    blocked = sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, [])))
    return {**found, "blocked": blocked, "timer": signal.getitimer(signal.ITIMER_REAL)[1]}


def _named(thing: Any) -> Any:
    """A name for a function that is the same in every process."""
    if thing is None or isinstance(thing, int | str):
        return None if thing is None else str(thing)
    code = getattr(thing, "__code__", None)
    where = os.path.basename(code.co_filename) if code is not None else ""
    name = getattr(thing, "__qualname__", type(thing).__qualname__)
    return f"{getattr(thing, '__module__', '')}.{name} {where}"


def _hooks() -> Any:
    streams = {
        name: getattr(sys, name) is getattr(sys, f"__{name}__")
        for name in ("stdin", "stdout", "stderr")
    }
    return {
        **{
            name: _named(getattr(sys, name))
            for name in ("excepthook", "unraisablehook", "displayhook", "breakpointhook")
        },
        "threading": _named(threading.excepthook),
        "trace": _named(sys.gettrace()),
        "profile": _named(sys.getprofile()),
        "threads": [_named(threading.gettrace()), _named(threading.getprofile())],
        "streams": streams,
        "callbacks": len(gc.callbacks),
    }


def _imports() -> Any:
    return {
        "finders": [_named(one) for one in sys.meta_path],
        "hooks": len(sys.path_hooks),
        "import": _named(builtins.__import__),
    }


def _settings() -> Any:
    umask = os.umask(0)
    os.umask(umask)
    return {
        "folder": _folder(),
        "umask": umask,
        "gc": [gc.isenabled(), gc.get_threshold(), gc.get_debug()],
        "recursion": sys.getrecursionlimit(),
        "switching": sys.getswitchinterval(),
        "locale": locale.setlocale(locale.LC_ALL),
        "warnings": [repr(one) for one in warnings.filters],
        "showwarning": _named(warnings.showwarning),
        "nice": os.getpriority(os.PRIO_PROCESS, 0),
        "affinity": sorted(os.sched_getaffinity(0)),
    }


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return "gone"


def _logging() -> Any:
    root = logging.getLogger()
    handlers = [type(one).__name__ for one in root.handlers]
    disabled = logging.root.manager.disable
    return [root.level, handlers, disabled, logging.raiseExceptions, logging.lastResort is not None]


def _environment() -> Any:
    return sorted(
        (key, value) for key, value in os.environ.items() if not key.startswith("PATIENT")
    )


def _program() -> Any:
    return {"argv": sys.argv, "path": sys.path}


def _random() -> Any:
    found = {"python": _digest(random.getstate())}
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None and numpy_is_seeded:
        found["numpy"] = _digest([repr(one) for one in numpy.random.get_state()])
    if torch is not None and hasattr(torch, "get_rng_state"):
        found["torch"] = _digest(torch.get_rng_state().tolist())
    return found


def _digest(value: Any) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]


def _torch() -> Any:
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is None or not hasattr(torch, "get_num_threads"):
        return None
    backend = torch.backends
    return {
        "threads": torch.get_num_threads(),
        "dtype": str(torch.get_default_dtype()),
        "device": str(torch.get_default_device()),
        "grad": torch.is_grad_enabled(),
        "inference": torch.is_inference_mode_enabled(),
        "anomaly": torch.is_anomaly_enabled(),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "precision": torch.get_float32_matmul_precision(),
        "mkldnn": backend.mkldnn.enabled,
        "checks": torch.distributions.Distribution._validate_args,
        "numpy": None if numpy is None else sorted(numpy.geterr().items()),
    }


def _ours() -> Any:
    """Functions of ours in the places of others, and hooks of ours for all modules."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "get_num_threads"):
        return []
    from torch.nn.modules import module
    from torch.optim import optimizer
    from torch.utils.data import dataloader

    owners = (
        torch, torch.Tensor, torch.nn.Module, torch.nn.functional, torch.autograd,
        torch.optim.Optimizer, torch.amp.GradScaler, torch._C, dataloader._BaseDataLoaderIter,
        os, signal, builtins, threading.Thread, torch.nn.Parameter,
    )  # fmt: skip
    found = [
        f"{getattr(owner, '__name__', owner)}.{name}"
        for owner in owners
        for name, one in list(vars(owner).items())
        if _is_ours(one)
    ]
    tables = [*vars(module).items(), *vars(optimizer).items()]
    for name, table in tables:
        if name.startswith("_global_") and isinstance(table, dict):
            found += [f"{name}: {_named(one)}" for one in table.values() if _is_ours(one)]
    return sorted(found)


def _is_ours(thing: Any) -> bool:
    if isinstance(thing, classmethod | staticmethod | types.MethodType):
        thing = thing.__func__
    return isinstance(thing, types.FunctionType) and thing.__code__.co_filename.startswith(_US)


_STATES = {
    "threads": _threads,
    "system threads": _system_threads,
    "descriptors": _descriptors,
    "children": _children,
    "signals": _signals,
    "hooks": _hooks,
    "imports": _imports,
    "settings": _settings,
    "logging": _logging,
    "environment": _environment,
    "program": _program,
    "random": _random,
    "torch": _torch,
    "ours": _ours,
}
