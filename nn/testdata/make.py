"""Writes temporal_option1.npz: the larger temporal U-Net in PyTorch, with weights
from a formula (see formulaWeights in the tests), so that its 16 MB need not be
stored. Run from this folder: python3 make.py
"""

import sys

import numpy as np
import torch

sys.path.insert(0, "../../internal/nnbench/peer")
import peer  # noqa: E402

STATE_DICT = [line.strip() for line in open("temporal_option1_names.txt")]


def formula(names, shapes):
    """Weights by rank of the name in byte order."""
    rank = {name: i for i, name in enumerate(sorted(names))}
    for name, shape in zip(names, shapes):
        i, k = rank[name], np.arange(np.prod(shape), dtype=np.float64)
        if len(shape) > 1:
            fan = shape[0] * shape[2] if name.startswith("ups") and name.endswith("4.conv.weight") else np.prod(shape[1:])
            value = np.sin(0.7 * i + 0.013 * k) / np.sqrt(fan)
        elif name.endswith("block.2.weight"):
            value = 1 + 0.1 * np.sin(0.2 * i + 0.1 * k)
        else:
            value = 0.1 * np.cos(0.3 * i + 0.05 * k)
        yield torch.tensor(value.reshape(shape), dtype=torch.float32)


def main():
    net = peer.temporal([1, 2, 4, 8])
    parameters = list(net.parameters())
    with torch.no_grad():
        for p, value in zip(parameters, formula(STATE_DICT, [tuple(p.shape) for p in parameters])):
            p.copy_(value)
    # References in double precision, rounded once.
    net = net.double()
    b, h, d = np.meshgrid(np.arange(2), np.arange(64), np.arange(4), indexing="ij")
    x = torch.tensor(np.sin(0.3 * h + 1.1 * d + 0.5 * b).astype(np.float32)).double().requires_grad_(True)
    cotangent = torch.tensor(np.cos(0.2 * h - 0.7 * d + 0.9 * b).astype(np.float32)).double()
    out, vjp = [], []
    for t in (0, 7, 24):
        y = net(x, torch.full((2,), t, dtype=torch.float64))
        out.append(y.detach().numpy())
        vjp.append(torch.autograd.grad(y, x, cotangent)[0].numpy())
    y = net(x, torch.tensor([3.0, 19.0], dtype=torch.float64))
    (y * cotangent).sum().backward()
    grads = [p.grad.numpy().ravel() for p in parameters]
    np.savez_compressed(
        "temporal_option1.npz",
        t=np.array([0, 7, 24]), t_mixed=np.array([3, 19]), x=x.detach().numpy().astype(np.float32),
        cotangent=cotangent.numpy().astype(np.float32),
        out=np.array(out, np.float32), vjp=np.array(vjp, np.float32),
        norms=np.array([np.linalg.norm(g) for g in grads]),
        first16=np.array([np.pad(g[:16], (0, max(0, 16 - len(g)))) for g in grads], np.float32))


if __name__ == "__main__":
    main()
