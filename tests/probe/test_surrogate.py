"""Losses whose value says nothing about progress, by their graphs."""

from __future__ import annotations

import torch
from torch import nn
from torch.distributions import Categorical
from torch.nn import functional

from paramedic.probe.surrogate import POLICY_GRADIENT, candidates_of, surrogate_of

X = torch.randn(16, 4, generator=torch.Generator().manual_seed(0))
MODEL = nn.Linear(4, 3)
ADVANTAGE = torch.randn(16, generator=torch.Generator().manual_seed(1))


def test_reinforce_over_a_batch() -> None:
    policy = Categorical(logits=MODEL(X))
    loss = -(policy.log_prob(policy.sample()) * ADVANTAGE).mean()
    assert surrogate_of([loss]) == POLICY_GRADIENT


def test_reinforce_step_by_step() -> None:
    terms = []
    for row, gain in zip(X, ADVANTAGE, strict=True):
        policy = Categorical(logits=MODEL(row))
        terms.append(-policy.log_prob(policy.sample()) * gain)
    assert surrogate_of([torch.stack(terms).sum()]) == POLICY_GRADIENT


def test_a_clipped_objective_with_a_value_loss() -> None:
    policy = Categorical(logits=MODEL(X))
    ratio = (policy.log_prob(policy.sample()) + 1).exp()
    clipped = ratio.clamp(0.8, 1.2)
    loss = -torch.min(ratio * ADVANTAGE, clipped * ADVANTAGE).mean()
    value = functional.mse_loss(MODEL(X)[:, 0], torch.ones(16))
    assert surrogate_of([loss + 0.5 * value]) == POLICY_GRADIENT


def test_ordinary_losses_are_no_surrogates() -> None:
    labels = torch.arange(16) % 3
    soft = functional.one_hot(labels, 3).float()
    signs = torch.where(labels > 0, 1.0, -1.0)
    output = MODEL(X)
    ordinary = [
        functional.cross_entropy(output, labels),
        functional.mse_loss(output, soft),
        ((output - soft) ** 2).mean(),
        -(soft * output.log_softmax(1)).sum(1).mean(),
        functional.relu(1 - signs * output[:, 0]).mean(),  # a hinge: not linear
        0.3 * functional.cross_entropy(output, labels) + 0.01 * output.pow(2).sum(),
    ]
    assert [surrogate_of([loss]) for loss in ordinary] == [""] * len(ordinary)


def test_contrastive_losses_written_by_hand() -> None:
    scores = MODEL(X) @ MODEL(X.flip(0)).T
    both = (scores.logsumexp(1) + scores.logsumexp(0)) / 2
    more = torch.cat([scores, scores], dim=1)
    assert candidates_of([(scores.logsumexp(1) - scores.diagonal()).mean()]) == 16
    assert candidates_of([-(scores.diagonal() - both).mean()]) == 16
    assert candidates_of([(more.logsumexp(1) - scores.diagonal()).mean()]) == 32


def test_other_losses_have_no_candidates() -> None:
    scores, output = MODEL(X) @ MODEL(X).T, MODEL(X)
    others = [
        (output.logsumexp(1) - output[:, 0]).mean(),  # of classes
        (scores.logsumexp(1) - scores.diagonal()).sum(),  # not in the units of one sample
        functional.cross_entropy(scores, torch.arange(16)),
        (scores[:4, :4].logsumexp(1) - scores[:4, 0]).mean(),  # too few samples
    ]
    assert [candidates_of([loss]) for loss in others] == [0] * len(others)
