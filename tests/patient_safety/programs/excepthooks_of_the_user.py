"""The user's sys.excepthook, threading.excepthook and unraisablehook; it ends with exit code 1."""

import sys
import threading

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(35)
torch.set_num_threads(1)
seen = []


def on_exception(kind, value, traceback):
    say("uncaught", kind.__name__, str(value), len(seen))
    say("context", str(value.__cause__), type(value.__context__).__name__)
    while traceback.tb_next:
        traceback = traceback.tb_next
    say("raised in", traceback.tb_frame.f_code.co_name)


def on_thread_exception(args):
    seen.append(f"thread {args.exc_type.__name__} {args.exc_value}")


def on_unraisable(unraisable):
    seen.append(f"unraisable {unraisable.exc_type.__name__} {unraisable.exc_value}")


class Grumbling:
    def __del__(self):
        raise OSError("grumble")


def fail_in_thread(model):
    model(torch.zeros(2, 99))


sys.excepthook = on_exception
threading.excepthook = on_thread_exception
sys.unraisablehook = on_unraisable
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 4), torch.randn(8, 1)
with watched(model, optimizer):
    for step in range(15):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 5 == 0:
            Grumbling()
            thread = threading.Thread(target=fail_in_thread, args=(model,))
            thread.start()
            thread.join()

say("hooks", sys.excepthook is on_exception, sys.unraisablehook is on_unraisable)
say("thread hook", threading.excepthook is on_thread_exception)
say("seen", seen)
say("model", model)
try:
    raise KeyError("no such layer")
except KeyError as error:
    raise RuntimeError("training failed") from error
