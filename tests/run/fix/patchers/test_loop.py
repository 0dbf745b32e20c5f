from __future__ import annotations

from pathlib import Path

from paramedic.run.fix.patchers.loop import clip, train_mode, zero_grad
from tests.run.fix.jobs import changed, job

LOOP = """
for epoch in range(3):
    # one epoch
    for x, y in loader:
        loss = f(model(x.to(device)), y)  # model
        # the step
        loss.backward()  # backward
        self.opt.step()  # step
"""


def test_clip(tmp_path: Path) -> None:
    (patch,) = clip(job(tmp_path, LOOP, max_norm=1.5))
    lines = patch.after.splitlines()
    place = next(i for i, line in enumerate(lines) if "clip_grad_norm_" in line)
    assert lines[place] == (
        "        torch.nn.utils.clip_grad_norm_([p for group in self.opt.param_groups "
        'for p in group["params"]], 1.5)'
    )
    assert "self.opt.step()" in lines[place + 1]


def test_zero_grad_before_backward(tmp_path: Path) -> None:
    first, second = zero_grad(job(tmp_path, LOOP))
    assert changed(first) == ["+self.opt.zero_grad()"]
    lines = [line.strip() for line in first.after.splitlines()]
    place = lines.index("self.opt.zero_grad()")
    assert lines[place - 1] == "# the step"
    assert lines[place + 1].startswith("loss.backward()")
    assert second.after.endswith("self.opt.step()  # step\n        self.opt.zero_grad()\n")


def test_zero_grad_where_the_step_is_elsewhere(tmp_path: Path) -> None:
    text = """
    def backward(loss):
        loss.backward()  # backward
    def step(opt):
        opt.step()  # step
    """
    (patch,) = zero_grad(job(tmp_path, text))
    assert patch.after.endswith("opt.step()  # step\n    opt.zero_grad()\n")


def test_train_mode_before_the_batches(tmp_path: Path) -> None:
    first, second = train_mode(job(tmp_path, LOOP))
    assert "    # one epoch\n    model.train()\n    for x, y" in first.after
    assert "loader:\n        model.train()\n        loss" in second.after
