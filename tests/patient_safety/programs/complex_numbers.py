"""Complex weights, a Fourier transform in the forward pass and a loss that is a complex number."""

import torch
from patient import say, watched
from torch import nn

torch.manual_seed(64)
torch.set_num_threads(1)


class Filter(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.randn(9, dtype=torch.complex64))
        self.mix = nn.Linear(9, 9, dtype=torch.complex64)

    def forward(self, x):
        return self.mix(torch.fft.rfft(x) * self.gain)


model = Filter()
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
x = torch.randn(12, 16)
target = torch.fft.rfft(torch.randn(12, 16))
losses, complex_losses = [], []
with watched(model, optimizer):
    for _ in range(20):
        out = model(x)
        whole = ((out - target) * (out - target).conj()).mean() + 1j * out.imag.mean()
        optimizer.zero_grad()
        whole.abs().backward()
        optimizer.step()
        losses.append(whole.abs().item())
        complex_losses.append(whole.detach())

say("losses", losses)
say("complex losses", torch.view_as_real(torch.stack(complex_losses)))
say("weights", *[torch.view_as_real(p.detach()) for p in model.parameters()])
say("grads", *[torch.view_as_real(p.grad) for p in model.parameters()])
