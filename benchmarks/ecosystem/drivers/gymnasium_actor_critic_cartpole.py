"""A batched actor-critic (A2C) written by hand on a gymnasium vector environment of CartPole-v1.

Mistake: Only the critic's parameters are given to the optimizer.
"""

import gymnasium as gym
import numpy as np
import support
import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Categorical

SEED = 0
ENVS, STEPS, UPDATES = 16, 16, 200

torch.manual_seed(SEED)
torch.set_num_threads(1)

envs = gym.make_vec(
    "CartPole-v1",
    num_envs=ENVS,
    vectorization_mode="sync",
    vector_kwargs={"autoreset_mode": gym.vector.AutoresetMode.SAME_STEP},
)
actor = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2))
critic = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 1))
networks = [critic] if support.MISTAKE else [actor, critic]
optimizer = torch.optim.Adam([p for net in networks for p in net.parameters()], lr=5e-3)


@torch.no_grad()
def evaluate(episodes=10):
    env, totals = gym.make("CartPole-v1"), []
    for episode in range(episodes):
        state, _ = env.reset(seed=1000 + episode)
        done, total = False, 0.0
        while not done:
            action = Categorical(logits=actor(torch.as_tensor(state))).sample()
            state, reward, terminated, truncated, _ = env.step(action.item())
            done, total = terminated or truncated, total + reward
        totals.append(total)
    return float(np.mean(totals))


baseline = evaluate()
states, _ = envs.reset(seed=SEED)
for update in range(1, UPDATES + 1):
    log_probs, values, rewards, masks, entropy = [], [], [], [], 0.0
    for _ in range(STEPS):
        observation = torch.as_tensor(states)
        distribution = Categorical(logits=actor(observation))
        actions = distribution.sample()
        states, reward, terminated, truncated, _ = envs.step(actions.numpy())
        log_probs.append(distribution.log_prob(actions))
        values.append(critic(observation).squeeze(-1))
        rewards.append(torch.as_tensor(reward, dtype=torch.float32))
        masks.append(1.0 - torch.as_tensor(terminated | truncated, dtype=torch.float32))
        entropy = entropy + distribution.entropy().mean() / STEPS

    with torch.no_grad():
        running = critic(torch.as_tensor(states)).squeeze(-1)
    returns = []
    for reward, mask in zip(reversed(rewards), reversed(masks), strict=True):
        running = reward + 0.99 * running * mask
        returns.insert(0, running)
    returns, values, log_probs = torch.stack(returns), torch.stack(values), torch.stack(log_probs)

    advantages = (returns - values).detach()
    actor_loss = -(log_probs * advantages).mean()
    loss = actor_loss + 0.5 * F.mse_loss(values, returns) - 0.01 * entropy
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_([*actor.parameters(), *critic.parameters()], 0.5)
    optimizer.step()
    if update % 50 == 0:
        print(f"update {update}: loss {loss.item():.3f} entropy {entropy.item():.3f}")

support.outcome("mean return", evaluate(), baseline=baseline, needed=80)
