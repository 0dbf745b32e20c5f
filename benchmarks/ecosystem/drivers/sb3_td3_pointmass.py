"""TD3 of stable-baselines3 with VecNormalize on a custom environment: slide a puck onto a mark.

Mistake: one gradient step is made after every ten episodes, where one after every step was meant.
"""

import gymnasium as gym
import numpy as np
import support
import torch
from gymnasium import spaces
from stable_baselines3 import TD3
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.noise import NormalActionNoise
from stable_baselines3.common.vec_env import VecNormalize

SEED = 0
STEPS = 1500


class Puck(gym.Env):
    """A puck on a line with friction; it sees its place, its speed and how far the mark is."""

    observation_space = spaces.Box(-np.inf, np.inf, (3,), np.float32)
    action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.mark = self.np_random.uniform(-1, 1, 2)
        self.speed, self.time = 0.0, 0
        return self.see(), {}

    def see(self):
        return np.array([self.place, self.speed, self.mark - self.place], dtype=np.float32)

    def step(self, action):
        push = float(np.clip(action[0], -1, 1))
        self.speed = 0.8 * self.speed + 0.08 * push
        self.place = float(np.clip(self.place + self.speed, -2, 2))
        self.time += 1
        reward = -abs(self.mark - self.place) - 0.01 * push**2
        return self.see(), reward, False, self.time >= 50, {}


env = VecNormalize(make_vec_env(Puck, n_envs=1, seed=SEED), norm_reward=False)
tests = VecNormalize(make_vec_env(Puck, n_envs=1, seed=1000), training=False, norm_reward=False)
tests.obs_rms = env.obs_rms

model = TD3(
    "MlpPolicy",
    env,
    learning_rate=3e-3,
    gamma=0.9,
    batch_size=64,
    buffer_size=10_000,
    learning_starts=200,
    train_freq=(10, "episode") if support.MISTAKE else 1,
    gradient_steps=1,
    action_noise=NormalActionNoise(np.zeros(1), 0.3 * np.ones(1)),
    policy_kwargs={"net_arch": [32, 32]},
    seed=SEED,
    verbose=1,
    device=torch.device("cpu"),
)
before, _ = evaluate_policy(model, tests, n_eval_episodes=20)
model.learn(total_timesteps=STEPS, log_interval=10)
value, _ = evaluate_policy(model, tests, n_eval_episodes=20)

# Standing still where it begins costs the mean distance of two random places, 2/3, at every step.
support.outcome("mean return", value, baseline=-33.0, needed=-13.0)
