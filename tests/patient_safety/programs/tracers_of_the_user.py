"""The user's own sys.settrace, sys.setprofile and threading traces count events of their code."""

import sys
import threading

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(28)
torch.set_num_threads(1)
counts = {"call": 0, "line": 0, "return": 0, "exception": 0, "profile": 0, "thread": 0}


def tracer(frame, event, arg):
    if frame.f_code.co_filename != work.__code__.co_filename:
        return None
    counts[event] += 1
    return tracer


def profiler(frame, event, arg):
    if frame.f_code is work.__code__ and event in ("call", "return"):
        counts["profile"] += 1


def work(net, opt, x, y):
    loss = (net(x) - y).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


def in_thread():
    counts["thread"] += sys.gettrace() is tracer and sys.getprofile() is profiler


model = nn.Sequential(nn.Linear(3, 5), nn.Sigmoid(), nn.Linear(5, 1))
optimizer = torch.optim.Rprop(model.parameters(), lr=0.01)
x, y = torch.randn(10, 3), torch.randn(10, 1)
losses = []
threading.settrace(tracer)
threading.setprofile(profiler)
sys.setprofile(profiler)
sys.settrace(tracer)
with watched(model, optimizer):
    for _ in range(12):
        losses.append(work(model, optimizer, x, y))
    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
say("still there", sys.gettrace() is tracer, sys.getprofile() is profiler)
sys.settrace(None)
sys.setprofile(None)

say("counts", counts)
say("losses", losses)
say("model", model)
say("optimizer", optimizer)
