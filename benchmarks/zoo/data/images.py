"""Digits, MNIST and CIFAR-10, made small enough for runs of a few seconds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from .source import Source, Split, arrays, split


def digits(samples: int = 1280) -> Source:
    """8 by 8 pictures of ten digits, one channel."""
    return Source("digits", samples, _digits)


def mnist(samples: int = 1280) -> Source:
    """14 by 14 pictures of ten digits, one channel."""
    return Source("mnist", samples, _mnist)


def cifar10(samples: int = 1920) -> Source:
    """16 by 16 pictures of ten kinds of things, three channels."""
    return Source("cifar10", samples, _cifar10)


def _digits(samples: int, seed: int) -> Split:
    inputs, targets = load_digits(return_X_y=True)
    return split(_standard(inputs.reshape(-1, 1, 8, 8)), targets, samples, seed)


def _mnist(samples: int, seed: int) -> Split:
    file = arrays("mnist/mnist.npz")
    pictures = _halved(file["x_train"][:12000, None])
    return split(_standard(pictures), file["y_train"][:12000], samples, seed)


def _cifar10(samples: int, seed: int) -> Split:
    file = arrays("cifar10/cifar10_10k_2k.npz")
    pictures = _halved(file["x_train"].transpose(0, 3, 1, 2))
    return split(_standard(pictures), file["y_train"], samples, seed)


def _halved(pictures: NDArray[np.generic]) -> NDArray[np.float32]:
    """Half as high and half as wide: each pixel the mean of four."""
    count, channels, height, width = pictures.shape
    blocks = pictures.reshape(count, channels, height // 2, 2, width // 2, 2)
    return blocks.mean(axis=(3, 5), dtype=np.float32)


def _standard(pictures: NDArray[np.generic]) -> NDArray[np.float32]:
    pictures = pictures.astype(np.float32)
    return (pictures - pictures.mean()) / pictures.std()
