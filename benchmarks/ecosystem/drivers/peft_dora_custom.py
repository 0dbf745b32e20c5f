"""DoRA by peft adapts a network trained on MNIST to the same digits turned by 90 degrees."""

import numpy as np
import support
import torch
from peft import LoraConfig, get_peft_model
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 0

torch.manual_seed(SEED)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(784, 128)
        self.second = nn.Linear(128, 128)
        self.head = nn.Linear(128, 10)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        hidden = torch.relu(self.first(images.flatten(1)))
        return self.head(torch.relu(self.second(hidden)))


def split(part: str, size: int, turned: bool) -> TensorDataset:
    images = torch.tensor(mnist[f"x_{part}"][:size]).float() / 255
    if turned:
        images = images.rot90(1, (1, 2))
    return TensorDataset((images - 0.1307) / 0.3081, torch.tensor(mnist[f"y_{part}"][:size]).long())


def evaluate(model: nn.Module, turned: bool) -> float:
    model.eval()
    images, labels = split("test", 2000, turned).tensors
    with torch.no_grad():
        return (model(images).argmax(1) == labels).float().mean().item()


def fit(model: nn.Module, turned: bool, epochs: int, rate: float) -> None:
    trainable = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trainable, lr=rate)
    loader = DataLoader(split("train", 8000, turned), batch_size=64, shuffle=True)
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        accuracy = evaluate(model, turned)
        print(f"epoch {epoch}: loss {total / len(loader):.3f} test accuracy {accuracy:.3f}")


base = Network()
fit(base, turned=False, epochs=2, rate=1e-3)
before = evaluate(base, turned=True)

dora = LoraConfig(r=8, lora_alpha=16, use_dora=True, target_modules=["first", "second"])
model = get_peft_model(base, dora)
model.print_trainable_parameters()
fit(model, turned=True, epochs=3, rate=2e-3)
support.outcome("accuracy", evaluate(model, turned=True), baseline=before, needed=0.75)
