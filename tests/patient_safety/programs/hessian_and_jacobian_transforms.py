"""torch.func's jacrev, jvp and hessian through the same module, in between ordinary steps."""

import torch
from patient import say, watched
from torch import nn
from torch.func import functional_call, hessian, jacrev, jvp, vjp

torch.manual_seed(7)
torch.set_num_threads(1)
seen = []
model = nn.Sequential(nn.Linear(3, 5), nn.Sigmoid(), nn.Linear(5, 1))
model[1].register_forward_hook(lambda m, args, out: seen.append(type(out).__name__))
optimizer = torch.optim.NAdam(model.parameters(), lr=0.02)
x, y = torch.randn(8, 3), torch.randn(8, 1)


def squared_error(params):
    return (functional_call(model, params, (x,)) - y).square().mean()


curvatures, losses = [], []
with watched(model, optimizer):
    for step in range(12):
        optimizer.zero_grad()
        loss = (model(x) - y).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step % 4 == 3:
            params = {k: v.detach().clone() for k, v in model.named_parameters()}
            second = hessian(squared_error)(params)
            curvatures.append(second["2.weight"]["2.weight"].clone())
            jacobian = jacrev(lambda p: functional_call(model, p, (x,)))(params)
            curvatures.append(jacobian["0.weight"].clone())
            tangent = {k: torch.ones_like(v) for k, v in params.items()}
            curvatures.append(torch.stack(jvp(squared_error, (params,), (tangent,))))
            _, pull = vjp(squared_error, params)
            curvatures.append(pull(torch.tensor(1.0))[0]["0.bias"])

say("losses", losses)
say("curvatures", curvatures)
say("seen", seen)
say("model", model)
say("optimizer", optimizer)
