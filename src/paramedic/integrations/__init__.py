"""Thin adapters to other people's libraries, each imported when it is used.

Sinks for `paramedic.watch(..., sinks=[...])` (`tensorboard`, `wandb`, `mlflow`, `trackio`), and
callbacks around `watch` (`lightning`, `transformers`, `keras`).
"""
