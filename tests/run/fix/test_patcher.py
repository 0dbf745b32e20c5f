from __future__ import annotations

from pathlib import Path

from paramedic.prescribe.cures import cures
from paramedic.run.fix.patcher import patchers
from tests.run.fix.jobs import job


def test_patchers_are_for_remedies_that_exist() -> None:
    assert set(patchers()) <= {cure.slug for cure in cures()}


def test_calls_are_found_on_their_lines(tmp_path: Path) -> None:
    text = """
    opt = SGD(params)  # optimizer
    loss = F.mse_loss(model(x.to(d)), y)  # loss model
    loss.backward()  # backward
    opt.step()  # step
    """
    found = job(tmp_path, text)
    calls = [found.optimizer_call(), found.loss_call(), found.model_call(), found.backward_call(),
             found.step_call()]  # fmt: skip
    assert [call and call[0].code(call[1]) for call in calls] == [
        "SGD(params)", "F.mse_loss(model(x.to(d)), y)", "model(x.to(d))", "loss.backward()",
        "opt.step()",
    ]  # fmt: skip
    assert job(tmp_path, "x = 1").loss_call() is None
