"""SAC of stable-baselines3 on a custom gymnasium environment: push a cart to a target and stop.

Mistake: The reward has the wrong sign: it grows with the distance to the target.
"""

import tempfile

import gymnasium as gym
import numpy as np
import support
import torch
from gymnasium import spaces
from stable_baselines3 import SAC
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.logger import configure
from stable_baselines3.common.monitor import Monitor

SEED = 0

torch.set_num_threads(1)


class Cart(gym.Env):
    """A cart on a rail, moved by a force in [-1, 1]; it shall rest at the origin."""

    def __init__(self):
        self.action_space = spaces.Box(-1.0, 1.0, shape=(1,), dtype=np.float32)
        self.observation_space = spaces.Box(-np.inf, np.inf, shape=(2,), dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.position, self.speed = self.np_random.uniform(-1, 1), 0.0
        self.steps = 0
        return np.array([self.position, self.speed], dtype=np.float32), {}

    def step(self, action):
        self.speed = 0.9 * self.speed + 0.1 * float(action[0])
        self.position = float(np.clip(self.position + 0.3 * self.speed, -2.0, 2.0))
        self.steps += 1
        distance = abs(self.position)
        reward = distance if support.MISTAKE else -distance
        observation = np.array([self.position, self.speed], dtype=np.float32)
        return observation, reward, False, self.steps >= 50, {"distance": distance}


def mean_distance(model):
    """How far from the target the cart is in the second half of the evaluation episodes."""
    env, distances = Cart(), []
    for episode in range(20):
        observation, _ = env.reset(seed=1000 + episode)
        for step in range(50):
            action, _ = model.predict(observation, deterministic=True)
            observation, _, _, _, info = env.step(action)
            if step >= 25:
                distances.append(info["distance"])
    return float(np.mean(distances))


env = Monitor(Cart())
env.reset(seed=SEED)
model = SAC(
    "MlpPolicy",
    env,
    learning_rate=1e-3,
    learning_starts=300,
    batch_size=128,
    gamma=0.95,
    policy_kwargs={"net_arch": [64, 64]},
    seed=SEED,
    device="cpu",
)
baseline = mean_distance(model)

with tempfile.TemporaryDirectory() as folder:
    model.set_logger(configure(folder, ["csv"]))
    model.learn(total_timesteps=1_300, log_interval=4)

returns, _ = evaluate_policy(model, env, n_eval_episodes=10)
print(f"mean return {returns:.1f}")
support.outcome("mean distance", mean_distance(model), baseline=baseline, needed=0.15)
