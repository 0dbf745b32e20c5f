"""A network predicts the progress of diabetes (scikit-learn's data) in a plain accelerate loop."""

import support
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 0

set_seed(SEED)
features, target = load_diabetes(return_X_y=True)
x_train, x_test, y_train, y_test = train_test_split(
    features, target[:, None], test_size=0.25, random_state=1
)
scale_x, scale_y = StandardScaler().fit(x_train), StandardScaler().fit(y_train)


def loader(x, y, shuffle: bool) -> DataLoader:
    tensors = [torch.tensor(part).float() for part in (scale_x.transform(x), scale_y.transform(y))]
    return DataLoader(TensorDataset(*tensors), batch_size=32, shuffle=shuffle)


accelerator = Accelerator(cpu=True)
model = nn.Sequential(
    nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1)
)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
model, optimizer, train_loader, test_loader = accelerator.prepare(
    model, optimizer, loader(x_train, y_train, True), loader(x_test, y_test, False)
)

for epoch in range(40):
    model.train()
    for inputs, labels in train_loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), labels)
        accelerator.backward(loss)
        optimizer.step()

    model.eval()
    guesses, truths = [], []
    with torch.inference_mode():
        for inputs, labels in test_loader:
            guess, truth = accelerator.gather_for_metrics((model(inputs), labels))
            guesses.append(guess)
            truths.append(truth)
    guess, truth = torch.cat(guesses), torch.cat(truths)
    r2 = 1 - ((truth - guess) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()
    if epoch % 10 == 9:
        accelerator.print(f"epoch {epoch + 1}: training loss {loss.item():.3f} test R2 {r2:.3f}")

support.outcome("R2", r2.item(), baseline=0.0, needed=0.3)
