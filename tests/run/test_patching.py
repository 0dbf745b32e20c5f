from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch
from torch.nn import functional

from paramedic.run.patching import Function, Patches


def _doubling(original: Function) -> Function:
    def wrapper(x: Any) -> Any:
        return 2 * original(x)

    return wrapper


def test_wrapped_and_put_back() -> None:
    def increase(x: int) -> int:
        """More."""
        return x + 1

    owner = SimpleNamespace(increase=increase)
    patches = Patches()
    patches.wrap(owner, "increase", _doubling)
    assert owner.increase(1) == 4
    assert owner.increase.__doc__ == "More."
    patches.remove()
    assert owner.increase is increase


def test_what_was_inherited_is_inherited_again() -> None:
    class Base:
        def increase(self) -> int:
            return 1

    class Child(Base): ...

    patches = Patches()
    patches.wrap(Child, "increase", _doubling)
    assert Child().increase() == 2
    patches.remove()
    assert "increase" not in vars(Child)


def test_what_others_put_on_top_stays() -> None:
    owner = SimpleNamespace(increase=lambda x: x + 1)
    patches = Patches()
    patches.wrap(owner, "increase", _doubling)
    ours = owner.increase
    owner.increase = lambda x: ours(x) + 100
    patches.remove()
    assert owner.increase(1) == 104


def test_a_wrapped_loss_can_be_scripted() -> None:
    from paramedic.run.losses import observe_losses

    patches = Patches()
    observe_losses(patches, lambda *told: None, lambda: True)
    try:

        class Scripted(torch.nn.Module):
            def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
                return functional.mse_loss(x, y)

        with torch.no_grad():
            import warnings

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                scripted = torch.jit.script(Scripted())
        assert float(scripted(torch.ones(2), torch.zeros(2))) == 1.0
    finally:
        patches.remove()
