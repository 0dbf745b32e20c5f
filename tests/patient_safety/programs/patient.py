"""What the programs of the gate use: they train inside `watched`, and tell what they did by `say`.

`watched` attaches `paramedic.watch` as the environment variable `PATIENT` asks for: not at all
(as it is under `paramedic run`), with the defaults, or at every step.
"""

from __future__ import annotations

import hashlib
import logging
import os
import random
import re
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

WAY = "PATIENT"  # `plain`, `watch` or `every-step`
LOG = "PATIENT_LOG"  # a file that gets what our logger says
_SETTINGS: dict[str, dict[str, Any]] = {"watch": {}, "every-step": {"overhead": None}}


@contextmanager
def watched(model: Any, optimizer: Any) -> Iterator[None]:
    """Watch what is trained inside, if this is to be so. Without an optimizer nothing can be."""
    settings = _SETTINGS.get(os.environ.get(WAY, "plain"))
    if settings is None or optimizer is None:
        yield
        return
    import paramedic

    _keep_log()
    try:
        monitor = paramedic.watch(model, optimizer, **settings)
    except ValueError as refused:  # there is nothing to watch in it
        if "has no trainable parameter" not in str(refused):
            raise
        yield
        return
    with monitor:
        yield


def say(name: str, *things: Any) -> None:
    """Print a line with a digest of these things, bit for bit."""
    digest = hashlib.sha256()
    for piece in _pieces(things):
        digest.update(piece + b"\0")
    print(name, digest.hexdigest()[:16], flush=True)  # noqa: T201


def _keep_log() -> None:
    """What our logger says goes to a file: on stderr it could not be told from the program's."""
    logger = logging.getLogger("paramedic")
    if LOG in os.environ and not any(isinstance(one, _File) for one in logger.handlers):
        logger.addHandler(_File())
        logger.propagate = False


class _File(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        text = self.format(record)
        with open(os.environ[LOG], "a", encoding="utf-8") as file:
            file.write(f"{text}\n")


# -- what things are made of -----------------------------------------------------------------


def _pieces(thing: Any) -> Iterator[bytes]:
    yield type(thing).__name__.encode()
    if thing is None or isinstance(thing, bool | int | float | complex | str | range | slice):
        yield repr(thing).encode("utf-8", "backslashreplace")
    elif isinstance(thing, bytes | bytearray | memoryview):
        yield bytes(thing)
    elif isinstance(thing, Mapping):
        for key, value in thing.items():
            yield from _pieces(key)
            yield from _pieces(value)
    elif isinstance(thing, list | tuple):
        for one in thing:
            yield from _pieces(one)
    elif isinstance(thing, set | frozenset):
        yield from sorted(b"".join(_pieces(one)) for one in thing)
    elif isinstance(thing, BaseException):
        yield str(thing).encode("utf-8", "backslashreplace")
    elif isinstance(thing, random.Random):
        yield repr(thing.getstate()).encode()
    else:
        yield from _pieces_of_library(thing)


def _pieces_of_library(thing: Any) -> Iterator[bytes]:
    torch = sys.modules.get("torch")
    numpy = sys.modules.get("numpy")
    if torch is not None and isinstance(thing, torch.Tensor):
        with torch.no_grad(), torch._C.DisableTorchFunctionSubclass():
            yield from _pieces_of_tensor(torch, thing)
    elif torch is not None and isinstance(thing, torch.nn.Module):
        yield from _pieces(thing.state_dict())
        for name, parameter in thing.named_parameters(remove_duplicate=False):
            yield name.encode()
            yield from _pieces(parameter.grad)
        yield repr([one.training for one in thing.modules()]).encode()
    elif torch is not None and isinstance(thing, torch.optim.Optimizer):
        yield from _pieces(thing.state_dict())
    elif torch is not None and isinstance(thing, torch.Generator):
        yield from _pieces(thing.get_state())
    elif numpy is not None and isinstance(thing, numpy.ndarray | numpy.generic):
        yield f"{thing.dtype} {thing.shape}".encode()
        yield thing.tobytes() if not thing.dtype.hasobject else repr(thing.tolist()).encode()
    elif numpy is not None and isinstance(thing, numpy.random.Generator):
        yield from _pieces(thing.bit_generator.state)
    elif numpy is not None and isinstance(thing, numpy.random.RandomState):
        yield from _pieces(thing.get_state())
    elif not isinstance(thing, types.GeneratorType):
        yield re.sub(r" at 0x[0-9a-fA-F]+", "", repr(thing)).encode("utf-8", "backslashreplace")


def _pieces_of_tensor(torch: Any, tensor: Any) -> Iterator[bytes]:
    if torch.nn.parameter.is_lazy(tensor):
        yield f"{tensor.dtype} not made yet".encode()
        return
    about = tensor.dtype, tuple(tensor.shape), tensor.layout, tensor.device, tensor.requires_grad
    yield repr(about).encode()
    for part in _parts(torch, tensor.detach()):
        try:
            plain = part.cpu().resolve_conj().resolve_neg().contiguous().reshape(-1)
            yield plain.view(torch.uint8).numpy().tobytes()
        except (RuntimeError, TypeError, NotImplementedError):  # without memory of its own
            yield b"no bits"


def _parts(torch: Any, tensor: Any) -> Sequence[Any]:
    if tensor.is_meta:
        return ()
    if tensor.layout is torch.sparse_coo:
        return tensor._indices(), tensor._values()
    if tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        return tensor.crow_indices(), tensor.col_indices(), tensor.values()
    if tensor.layout in (torch.sparse_csc, torch.sparse_bsc):
        return tensor.ccol_indices(), tensor.row_indices(), tensor.values()
    if tensor.is_quantized:
        return (tensor.int_repr(),)
    if tensor.is_nested:
        return tensor.unbind()
    return (tensor,)
