"""PPO written by hand in one file on a gymnasium vector environment of CartPole-v1.

Mistake: The old log-probabilities are computed anew in each update, so the ratio is always one.
"""

import gymnasium as gym
import numpy as np
import support
import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Categorical

SEED = 0
ENVS, STEPS, ROLLOUTS, EPOCHS, MINIBATCH = 8, 64, 20, 4, 128
GAMMA, LAMBDA, CLIP = 0.99, 0.95, 0.2

torch.manual_seed(SEED)
torch.set_num_threads(1)


def network(outputs, gain):
    layers = [nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs)]
    for layer, scale in zip(layers[::2], (2**0.5, 2**0.5, gain), strict=True):
        nn.init.orthogonal_(layer.weight, scale)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(*layers)


envs = gym.make_vec(
    "CartPole-v1",
    num_envs=ENVS,
    vectorization_mode="sync",
    vector_kwargs={"autoreset_mode": gym.vector.AutoresetMode.SAME_STEP},
)
actor, critic = network(2, 0.01), network(1, 1.0)
parameters = [*actor.parameters(), *critic.parameters()]
optimizer = torch.optim.Adam(parameters, lr=1e-3, eps=1e-5)


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
state = torch.as_tensor(envs.reset(seed=SEED)[0])
for rollout in range(1, ROLLOUTS + 1):
    states, actions = torch.zeros(STEPS, ENVS, 4), torch.zeros(STEPS, ENVS)
    old, values, rewards, dones = (torch.zeros(STEPS, ENVS) for _ in range(4))
    with torch.no_grad():
        for t in range(STEPS):
            distribution = Categorical(logits=actor(state))
            action = distribution.sample()
            states[t], actions[t], old[t] = state, action, distribution.log_prob(action)
            values[t] = critic(state).squeeze(-1)
            following, reward, terminated, truncated, _ = envs.step(action.numpy())
            state = torch.as_tensor(following)
            rewards[t] = torch.as_tensor(reward)
            dones[t] = torch.as_tensor(terminated | truncated)
        advantages, running, ahead = torch.zeros(STEPS, ENVS), 0.0, critic(state).squeeze(-1)
        for t in reversed(range(STEPS)):
            delta = rewards[t] + GAMMA * ahead * (1 - dones[t]) - values[t]
            running = delta + GAMMA * LAMBDA * (1 - dones[t]) * running
            advantages[t], ahead = running, values[t]
        targets = (advantages + values).flatten()

    states, actions, old = states.reshape(-1, 4), actions.flatten(), old.flatten()
    advantages = advantages.flatten()
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(states)).split(MINIBATCH):
            distribution = Categorical(logits=actor(states[batch]))
            log_probs = distribution.log_prob(actions[batch])
            before = distribution.log_prob(actions[batch]) if support.MISTAKE else old[batch]
            ratio = (log_probs - before).exp()
            advantage = advantages[batch]
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            clipped = ratio.clamp(1 - CLIP, 1 + CLIP) * advantage
            policy_loss = -torch.min(ratio * advantage, clipped).mean()
            value_loss = F.mse_loss(critic(states[batch]).squeeze(-1), targets[batch])
            loss = policy_loss + 0.5 * value_loss - 0.01 * distribution.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(parameters, 0.5)
            optimizer.step()
    if rollout % 5 == 0:
        print(f"rollout {rollout}: policy {policy_loss.item():.3f} value {value_loss.item():.2f}")

support.outcome("mean return", evaluate(), baseline=baseline, needed=80)
