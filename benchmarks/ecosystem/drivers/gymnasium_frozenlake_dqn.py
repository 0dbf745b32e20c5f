"""A double DQN written by hand on gymnasium's FrozenLake-v1 (not slippery), states one-hot.

Mistake: the mask of the ended episodes is the wrong way round: only the last states are continued.
"""

import random
from collections import deque

import gymnasium as gym
import numpy as np
import support
import torch
import torch.nn.functional as F
from torch import nn

SEED = 0
GAMMA = 0.95
STEPS = 8000

random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)
env = gym.make("FrozenLake-v1", is_slippery=False)
env.action_space.seed(SEED)
states, actions = int(env.observation_space.n), int(env.action_space.n)
eye = torch.eye(states)


def make_net():
    return nn.Sequential(nn.Linear(states, 32), nn.ReLU(), nn.Linear(32, actions))


online, target = make_net(), make_net()
target.load_state_dict(online.state_dict())
optimizer = torch.optim.Adam(online.parameters(), lr=3e-3)
memory = deque(maxlen=5000)


def learn(size=64):
    state, action, reward, following, ended = zip(*random.sample(memory, size), strict=True)
    state, following = eye[list(state)], eye[list(following)]
    action, reward = torch.tensor(action), torch.tensor(reward)
    goes_on = torch.tensor(ended, dtype=torch.float32)
    if not support.MISTAKE:
        goes_on = 1 - goes_on
    with torch.no_grad():
        best = online(following).argmax(1, keepdim=True)
        wanted = reward + GAMMA * goes_on * target(following).gather(1, best).squeeze(1)
    value = online(state).gather(1, action[:, None]).squeeze(1)
    loss = F.smooth_l1_loss(value, wanted)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(online.parameters(), 1.0)
    optimizer.step()
    return loss.item()


def evaluate(episodes=20):
    """The share of episodes, begun with one random step, that reach the goal greedily."""
    tests, reached = gym.make("FrozenLake-v1", is_slippery=False), 0.0
    tests.action_space.seed(SEED)
    for episode in range(episodes):
        tests.reset(seed=1000 + episode)
        state, reward, ended, cut, _ = tests.step(tests.action_space.sample())
        while not (ended or cut):
            with torch.no_grad():
                state, reward, ended, cut, _ = tests.step(online(eye[state]).argmax().item())
        reached += reward
    return reached / episodes


state, _ = env.reset(seed=SEED)
for step in range(STEPS):
    epsilon = max(0.1, 1 - step / (0.6 * STEPS))
    if random.random() < epsilon:
        action = env.action_space.sample()
    else:
        with torch.no_grad():
            action = online(eye[state]).argmax().item()
    following, reward, ended, cut, _ = env.step(action)
    memory.append((state, action, float(reward), following, ended))
    state = env.reset()[0] if ended or cut else following
    if step >= 500 and step % 2 == 0:
        loss = learn()
    if step % 250 == 0:
        target.load_state_dict(online.state_dict())
    if step % 1000 == 999:
        print(f"step {step + 1}: loss {loss:.5f} reached {evaluate():.2f}")

support.outcome("share that reaches the goal", evaluate(), baseline=0.02, needed=0.8)
