"""The user's own handlers of SIGALRM, SIGINT and SIGUSR1 with a wakeup descriptor, all counted."""

import os
import signal
import socket

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(26)
torch.set_num_threads(1)
counts = {"SIGALRM": 0, "SIGINT": 0, "SIGUSR1": 0}


def count(number, frame):
    counts[signal.Signals(number).name] += 1


def say_handlers(when):
    kept = [signal.getsignal(getattr(signal, name)) is count for name in counts]
    default = [str(signal.getsignal(s)) for s in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR2)]
    say(f"handlers {when}", kept, default, signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL)


reader, writer = socket.socketpair()
reader.setblocking(False)
writer.setblocking(False)
signal.set_wakeup_fd(writer.fileno())
for name in counts:
    signal.signal(getattr(signal, name), count)
model = nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(16, 6), torch.randn(16, 1)
losses = []
say_handlers("before")
with watched(model, optimizer):
    for step in range(30):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        os.kill(os.getpid(), signal.SIGINT if step % 3 else signal.SIGUSR1)
        if step % 10 == 9:
            signal.setitimer(signal.ITIMER_REAL, 0.001)
            while counts["SIGALRM"] <= step // 10:
                pass

say_handlers("after")
say("counts", counts)
say("wakeup", sorted(reader.recv(1000)), signal.set_wakeup_fd(-1) == writer.fileno())
say("timer", list(signal.getitimer(signal.ITIMER_REAL)), len(signal.pthread_sigmask(0, [])))
say("losses", losses)
say("model", model)
