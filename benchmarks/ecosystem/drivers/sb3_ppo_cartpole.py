"""PPO of stable-baselines3 on gymnasium's CartPole-v1, with an EvalCallback as in its guide.

Mistake: The learning rate is 0.3, as if Adam were plain gradient descent.
"""

import tempfile

import support
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.logger import configure

SEED = 0

torch.set_num_threads(1)

train_env = make_vec_env("CartPole-v1", n_envs=4, seed=SEED)
eval_env = make_vec_env("CartPole-v1", n_envs=1, seed=SEED + 100)

model = PPO(
    "MlpPolicy",
    train_env,
    n_steps=256,
    learning_rate=0.3 if support.MISTAKE else 3e-4,
    seed=SEED,
    device="cpu",
)
baseline, _ = evaluate_policy(model, eval_env, n_eval_episodes=20, deterministic=False)

with tempfile.TemporaryDirectory() as folder:
    model.set_logger(configure(folder, ["csv"]))
    callback = EvalCallback(
        eval_env,
        n_eval_episodes=3,
        eval_freq=1024,
        log_path=folder,
        deterministic=True,
        verbose=0,
    )
    model.learn(total_timesteps=9_000, callback=callback)

for step, returns in zip(callback.evaluations_timesteps, callback.evaluations_results, strict=True):
    print(f"step {step}: mean return {sum(returns) / len(returns):.1f}")

value, _ = evaluate_policy(model, eval_env, n_eval_episodes=10, deterministic=True)
support.outcome("mean return", value, baseline=baseline, needed=150)
