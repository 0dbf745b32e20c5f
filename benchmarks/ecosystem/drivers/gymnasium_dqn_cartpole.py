"""DQN with a replay buffer and a soft target network, written by hand, on gymnasium's CartPole-v1.

Mistake: optimizer.zero_grad() is never called, so the gradients add up.
"""

import random
from collections import deque

import gymnasium as gym
import numpy as np
import support
import torch
from torch import nn

SEED = 0
STEPS, BATCH, GAMMA, TAU = 8_000, 64, 0.99, 0.01

random.seed(SEED)
torch.manual_seed(SEED)
torch.set_num_threads(1)


def network():
    return nn.Sequential(
        nn.Linear(4, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 2)
    )


env = gym.make("CartPole-v1")
q, target = network(), network()
target.load_state_dict(q.state_dict())
optimizer = torch.optim.AdamW(q.parameters(), lr=1e-3)
memory = deque(maxlen=10_000)


@torch.no_grad()
def greedy(state):
    return q(torch.as_tensor(state)).argmax().item()


def evaluate(policy, episodes=10):
    test_env, totals = gym.make("CartPole-v1"), []
    for episode in range(episodes):
        state, _ = test_env.reset(seed=1000 + episode)
        done, total = False, 0.0
        while not done:
            state, reward, terminated, truncated, _ = test_env.step(policy(state))
            done, total = terminated or truncated, total + reward
        totals.append(total)
    return float(np.mean(totals))


def learn():
    states, actions, rewards, following, ends = zip(*random.sample(memory, BATCH), strict=True)
    states, following = torch.as_tensor(np.stack(states)), torch.as_tensor(np.stack(following))
    with torch.no_grad():
        best = target(following).max(1).values
        wanted = torch.tensor(rewards) + GAMMA * best * (1 - torch.tensor(ends))
    chosen = q(states).gather(1, torch.tensor(actions).unsqueeze(1)).squeeze(1)
    loss = nn.functional.smooth_l1_loss(chosen, wanted)
    if not support.MISTAKE:
        optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(q.parameters(), 100)
    optimizer.step()
    with torch.no_grad():
        for old, new in zip(target.parameters(), q.parameters(), strict=True):
            old.lerp_(new, TAU)
    return loss.item()


baseline = evaluate(lambda state: random.randrange(2), episodes=50)
state, _ = env.reset(seed=SEED)
for step in range(1, STEPS + 1):
    epsilon = max(0.05, 1 - step / 2_000)
    action = random.randrange(2) if random.random() < epsilon else greedy(state)
    following, reward, terminated, truncated, _ = env.step(action)
    memory.append((state, action, float(reward), following, float(terminated)))
    state = env.reset()[0] if terminated or truncated else following
    if step > 500 and step % 2 == 0:
        loss = learn()
    if step % 2_000 == 0:
        print(f"step {step}: loss {loss:.4f}")

support.outcome("mean return", evaluate(greedy), baseline=baseline, needed=100)
