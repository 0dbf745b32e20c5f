"""A small network classifies MNIST in an accelerate loop with gradient accumulation.

Mistake: optimizer.zero_grad() is forgotten, so that the gradients of all past steps add up.
"""

import numpy as np
import support
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 0

set_seed(SEED)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)


def split(part: str, size: int) -> TensorDataset:
    images = torch.tensor(mnist[f"x_{part}"][:size]).float().unsqueeze(1) / 255
    labels = torch.tensor(mnist[f"y_{part}"][:size]).long()
    return TensorDataset((images - 0.1307) / 0.3081, labels)


accelerator = Accelerator(gradient_accumulation_steps=4)
model = nn.Sequential(
    nn.Conv2d(1, 8, 3, stride=2, padding=1),
    nn.ReLU(),
    nn.Conv2d(8, 16, 3, stride=2, padding=1),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(16 * 7 * 7, 10),
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
train_loader = DataLoader(split("train", 10_000), batch_size=16, shuffle=True)
test_loader = DataLoader(split("test", 2000), batch_size=100)
model, optimizer, train_loader, test_loader = accelerator.prepare(
    model, optimizer, train_loader, test_loader
)
loss_function = nn.CrossEntropyLoss()


def evaluate() -> tuple[float, float]:
    model.eval()
    guesses, labels = [], []
    for images, target in test_loader:
        with torch.no_grad():
            guess = model(images).argmax(1)
        guess, target = accelerator.gather_for_metrics((guess, target))
        guesses.append(guess)
        labels.append(target)
    labels = torch.cat(labels)
    accuracy = (torch.cat(guesses) == labels).float().mean().item()
    return accuracy, (labels.bincount().max() / len(labels)).item()


for epoch in range(3):
    model.train()
    total = 0.0
    for images, target in train_loader:
        with accelerator.accumulate(model):
            loss = loss_function(model(images), target)
            accelerator.backward(loss)
            optimizer.step()
            if not support.MISTAKE:
                optimizer.zero_grad()
        total += loss.item()
    accuracy, majority = evaluate()
    accelerator.print(f"epoch {epoch}: loss {total / len(train_loader):.3f} test {accuracy:.3f}")

support.outcome("accuracy", accuracy, baseline=majority, needed=0.85)
