"""A2C of stable-baselines3 on a custom gymnasium environment: keep a water tank at its set point.

Mistake: The learning rate is 7e-8 instead of 7e-4.
"""

import tempfile

import gymnasium as gym
import numpy as np
import support
import torch
from gymnasium import spaces
from stable_baselines3 import A2C
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.logger import configure

SEED = 0

torch.set_num_threads(1)


class Tank(gym.Env):
    """A leaking tank: the valve drains (0), stays (1) or fills (2); the set point differs."""

    def __init__(self):
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Box(0.0, 1.0, shape=(2,), dtype=np.float32)

    def _observation(self):
        return np.array([self.level, self.goal], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level, self.goal = self.np_random.uniform(0.1, 0.9, size=2)
        self.steps = 0
        return self._observation(), {}

    def step(self, action):
        flow = (int(action) - 1) * 0.08 - 0.01 + self.np_random.normal(0, 0.005)
        self.level = float(np.clip(self.level + flow, 0.0, 1.0))
        self.steps += 1
        reward = 1.0 - 4.0 * abs(self.level - self.goal)
        return self._observation(), reward, False, self.steps >= 40, {}


check_env(Tank())
env = make_vec_env(Tank, n_envs=8, seed=SEED)
eval_env = make_vec_env(Tank, n_envs=1, seed=SEED + 100)

rate = 7e-8 if support.MISTAKE else 7e-4
model = A2C("MlpPolicy", env, learning_rate=rate, gamma=0.9, seed=SEED, device="cpu")
baseline, _ = evaluate_policy(model, eval_env, n_eval_episodes=40, deterministic=False)

with tempfile.TemporaryDirectory() as folder:
    model.set_logger(configure(folder, ["csv"]))
    model.learn(total_timesteps=24_000)

value, deviation = evaluate_policy(model, eval_env, n_eval_episodes=40, deterministic=True)
print(f"mean return {value:.1f} +/- {deviation:.1f} over 40 episodes")
support.outcome("mean return", value, baseline=baseline, needed=20)
