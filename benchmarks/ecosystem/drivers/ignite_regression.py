"""An MLP regression of sklearn's diabetes data, trained and evaluated by Ignite engines.

Mistake: predictions of shape (n, 1) meet targets of shape (n,), and the loss broadcasts them.
"""

import support
import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import EarlyStopping
from ignite.metrics import MeanSquaredError, RunningAverage
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 1

torch.manual_seed(SEED)
x, y = load_diabetes(return_X_y=True)
x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.25, random_state=0)
scale_x, scale_y = StandardScaler().fit(x_train), StandardScaler().fit(y_train[:, None])


def dataset(x, y):
    inputs = torch.from_numpy(scale_x.transform(x)).float()
    targets = torch.from_numpy(scale_y.transform(y[:, None])).float()
    return TensorDataset(inputs, targets.squeeze(1) if support.MISTAKE else targets)


train_loader = DataLoader(dataset(x_train, y_train), batch_size=32, shuffle=True)
test_loader = DataLoader(dataset(x_test, y_test), batch_size=len(x_test))

model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-3)
trainer = create_supervised_trainer(model, optimizer, nn.MSELoss())
RunningAverage(output_transform=lambda loss: loss).attach(trainer, "loss")
evaluator = create_supervised_evaluator(
    model,
    metrics={"mse": MeanSquaredError()},
    output_transform=lambda x, y, y_pred: (y_pred, y.view_as(y_pred)),
)
stopper = EarlyStopping(10, lambda engine: -engine.state.metrics["mse"], trainer)
evaluator.add_event_handler(Events.COMPLETED, stopper)


@trainer.on(Events.EPOCH_COMPLETED)
def validate(engine):
    evaluator.run(test_loader)
    if engine.state.epoch % 10 == 0:
        mse = evaluator.state.metrics["mse"]
        print(f"epoch {engine.state.epoch}: loss {engine.state.metrics['loss']:.3f} mse {mse:.3f}")


trainer.run(train_loader, max_epochs=40)

targets = test_loader.dataset.tensors[1]
constant = targets.square().mean().item()
mse = evaluator.run(test_loader).metrics["mse"]
support.outcome("test MSE", mse, baseline=constant, needed=0.72 * constant)
