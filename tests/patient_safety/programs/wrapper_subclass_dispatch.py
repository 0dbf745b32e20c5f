"""A wrapper subclass without storage of its own, written with __torch_dispatch__, as the input."""

import torch
from patient import say, watched
from torch import nn
from torch.utils._pytree import tree_map

torch.manual_seed(44)
torch.set_num_threads(1)
calls = []


class Boxed(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(
            cls, inner.shape, dtype=inner.dtype, requires_grad=inner.requires_grad
        )

    def __init__(self, inner):
        self.inner = inner

    def __repr__(self):
        raise RuntimeError("boxed tensors are not to be printed")

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        calls.append(func._schema.name.split("::")[1])
        if calls[-1] in ("_local_scalar_dense", "_to_copy", "is_nonzero"):
            raise RuntimeError("a boxed value was read")

        def unbox(value):
            return value.inner if isinstance(value, Boxed) else value

        out = func(*tree_map(unbox, args), **tree_map(unbox, kwargs or {}))
        return tree_map(lambda v: Boxed(v) if isinstance(v, torch.Tensor) else v, out)


class Unbox(nn.Module):
    def forward(self, x):
        return x.inner if isinstance(x, Boxed) else x


model = nn.Sequential(nn.Flatten(), Unbox(), nn.Linear(6, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
x, y = Boxed(torch.randn(8, 2, 3)), torch.randn(8, 1)
losses = []
with watched(model, optimizer):
    for _ in range(14):
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

say("losses", losses)
say("calls", calls)
say("inner", x.inner)
say("model", model)
