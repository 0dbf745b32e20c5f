"""A small CNN on MNIST with Ignite's supervised trainer and evaluators.

Mistake: the optimizer is made for a model that is then replaced by a new one.
"""

import numpy as np
import support
import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.metrics import Accuracy, Loss
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 1


def make_model():
    return nn.Sequential(
        nn.Conv2d(1, 10, kernel_size=5),
        nn.MaxPool2d(2),
        nn.ReLU(),
        nn.Conv2d(10, 20, kernel_size=5),
        nn.Dropout2d(0.2),
        nn.MaxPool2d(2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(320, 50),
        nn.ReLU(),
        nn.Linear(50, 10),
        nn.LogSoftmax(dim=1),
    )


def loader(x, y, **kwargs):
    images = (torch.from_numpy(x).float().unsqueeze(1) / 255 - 0.1307) / 0.3081
    return DataLoader(TensorDataset(images, torch.from_numpy(y).long()), **kwargs)


torch.manual_seed(SEED)
mnist = np.load(support.data("mnist/mnist.npz"), allow_pickle=False)
train_loader = loader(mnist["x_train"][:6000], mnist["y_train"][:6000], batch_size=64, shuffle=True)
val_loader = loader(mnist["x_test"][:2000], mnist["y_test"][:2000], batch_size=500)

model = make_model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
if support.MISTAKE:
    model = make_model()
criterion = nn.NLLLoss()
trainer = create_supervised_trainer(model, optimizer, criterion)
metrics = {"accuracy": Accuracy(), "nll": Loss(criterion)}
evaluator = create_supervised_evaluator(model, metrics=metrics)


@trainer.on(Events.ITERATION_COMPLETED(every=50))
def log_training_loss(engine):
    print(
        f"epoch {engine.state.epoch} iteration {engine.state.iteration}: {engine.state.output:.3f}"
    )


@trainer.on(Events.EPOCH_COMPLETED)
def log_validation_results(engine):
    found = evaluator.run(val_loader).metrics
    print(f"epoch {engine.state.epoch}: accuracy {found['accuracy']:.3f} nll {found['nll']:.3f}")


trainer.run(train_loader, max_epochs=3)

accuracy = evaluator.run(val_loader).metrics["accuracy"]
most = np.bincount(mnist["y_test"][:2000]).max() / 2000
support.outcome("test accuracy", accuracy, baseline=most, needed=0.88)
