"""DQN of stable-baselines3 on gymnasium's CartPole-v1 with settings tuned for CartPole.

Mistake: learning_starts is left at 50,000 steps while the whole training has 12,000.
"""

import tempfile

import numpy as np
import support
import torch
from stable_baselines3 import DQN
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.logger import configure

SEED = 1

torch.set_num_threads(1)

env = make_vec_env("CartPole-v1", n_envs=1, seed=SEED)
eval_env = make_vec_env("CartPole-v1", n_envs=1, seed=SEED + 100)


class RandomPolicy:
    """What no learning gives; an untrained network may by chance balance the pole for a while."""

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        return np.array([env.action_space.sample() for _ in observation]), state


env.action_space.seed(SEED)
model = DQN(
    "MlpPolicy",
    env,
    learning_rate=2.3e-3,
    batch_size=64,
    buffer_size=100_000,
    learning_starts=50_000 if support.MISTAKE else 1_000,
    gamma=0.99,
    target_update_interval=10,
    train_freq=64,
    gradient_steps=24,
    exploration_fraction=0.2,
    exploration_final_eps=0.04,
    policy_kwargs={"net_arch": [128, 128]},
    seed=SEED,
    device="cpu",
)
baseline, _ = evaluate_policy(RandomPolicy(), eval_env, n_eval_episodes=50)

with tempfile.TemporaryDirectory() as folder:
    model.set_logger(configure(folder, ["csv"]))
    model.learn(total_timesteps=12_000, log_interval=20)

value, deviation = evaluate_policy(model, eval_env, n_eval_episodes=8, deterministic=True)
print(f"mean return {value:.1f} +/- {deviation:.1f} over 8 episodes")
support.outcome("mean return", value, baseline=baseline, needed=60)
