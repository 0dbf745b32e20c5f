"""REINFORCE written by hand in PyTorch on gymnasium's CartPole-v1.

Mistake: The minus sign of the policy loss is missing, so the return is minimised.
"""

import gymnasium as gym
import numpy as np
import support
import torch
from torch import nn
from torch.distributions import Categorical

SEED = 0
SIGN = 1.0 if support.MISTAKE else -1.0

torch.manual_seed(SEED)
torch.set_num_threads(1)

env = gym.make("CartPole-v1", max_episode_steps=200)
policy = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)


def discounted(rewards, gamma=0.99):
    returns, running = [], 0.0
    for reward in reversed(rewards):
        running = reward + gamma * running
        returns.append(running)
    return torch.tensor(returns[::-1], dtype=torch.float32)


@torch.no_grad()
def evaluate(episodes=5):
    totals = []
    for episode in range(episodes):
        state, _ = env.reset(seed=1000 + episode)
        done, total = False, 0.0
        while not done:
            action = Categorical(logits=policy(torch.as_tensor(state))).sample()
            state, reward, terminated, truncated, _ = env.step(action.item())
            done, total = terminated or truncated, total + reward
        totals.append(total)
    return float(np.mean(totals))


baseline = evaluate()
env.reset(seed=SEED)
recent = []
for episode in range(1, 141):
    state, _ = env.reset()
    log_probs, rewards, done = [], [], False
    while not done:
        distribution = Categorical(logits=policy(torch.as_tensor(state)))
        action = distribution.sample()
        log_probs.append(distribution.log_prob(action))
        state, reward, terminated, truncated, _ = env.step(action.item())
        rewards.append(reward)
        done = terminated or truncated

    returns = discounted(rewards)
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)
    loss = SIGN * (torch.stack(log_probs) * returns).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

    recent.append(sum(rewards))
    if episode % 40 == 0:
        print(f"episode {episode}: mean return of the last 40 {np.mean(recent[-40:]):.1f}")

support.outcome("mean return", evaluate(), baseline=baseline, needed=60)
