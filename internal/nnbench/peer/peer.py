"""The networks of package nn in PyTorch, timed on request.

One JSON object per line on standard input, one per line on standard output:

    {"network": "temporal", "dims": [1, 2, 4], "op": "forward", "batch": 128, "threads": 2, "repeat": 3}
    {"ms": 41.2, "torch": "2.1.0"}

`ms` is the fastest of the repeats, so that the caller can alternate short requests
with its own runs on a machine that is shared. Operations: forward, vjp (with
respect to the input only), train (forward, backward, Adam).
"""

import json
import math
import sys
import time

import torch
from torch import nn


class Embedding(nn.Module):
    def __init__(self, width):
        super().__init__()
        half = width // 2
        self.register_buffer("frequency", torch.exp(-math.log(10000) / (half - 1) * torch.arange(half)))

    def forward(self, t):
        angle = t[:, None] * self.frequency
        return torch.cat((angle.sin(), angle.cos()), dim=-1)


class ConvBlock(nn.Sequential):
    def __init__(self, inputs, outputs, kernel=5, groups=8):
        super().__init__(nn.Conv1d(inputs, outputs, kernel, padding=kernel // 2), nn.GroupNorm(groups, outputs), nn.Mish())


class Residual(nn.Module):
    """Two convolution blocks; the condition shifts (and scales) between them."""

    def __init__(self, inputs, outputs, condition, scale=False):
        super().__init__()
        self.scale = scale
        self.first, self.second = ConvBlock(inputs, outputs), ConvBlock(outputs, outputs)
        self.condition = nn.Sequential(nn.Mish(), nn.Linear(condition, outputs * (2 if scale else 1)))
        self.skip = nn.Conv1d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x, condition):
        film = self.condition(condition)[:, :, None]
        hidden = self.first(x)
        if self.scale:
            scale, bias = film.chunk(2, dim=1)
            hidden = scale * hidden + bias
        else:
            hidden = hidden + film
        return self.second(hidden) + self.skip(x)


class UNet(nn.Module):
    """The U-Net both networks share; they differ in where the last level ends."""

    def __init__(self, state, widths, time_mlp, condition, last_width, scale):
        super().__init__()
        self.time = time_mlp
        pairs = list(zip([state] + widths[:-1], widths))
        self.down, self.up = nn.ModuleList(), nn.ModuleList()
        for level, (i, o) in enumerate(pairs):
            last = level == len(pairs) - 1
            down = nn.Identity() if last else nn.Conv1d(o, o, 3, stride=2, padding=1)
            self.down.append(nn.ModuleList([Residual(i, o, condition, scale), Residual(o, o, condition, scale), down]))
        self.mid = nn.ModuleList([Residual(widths[-1], widths[-1], condition, scale) for _ in range(2)])
        for i, o in reversed(pairs[1:]):
            up = nn.ConvTranspose1d(i, i, 4, stride=2, padding=1)
            self.up.append(nn.ModuleList([Residual(2 * o, i, condition, scale), Residual(i, i, condition, scale), up]))
        self.head = nn.Sequential(ConvBlock(last_width, last_width), nn.Conv1d(last_width, state, 1))

    def forward(self, x, t, condition=None):
        x = x.transpose(1, 2)
        e = self.time(t)
        if condition is not None:
            e = torch.cat((e, condition), dim=-1)
        skips = []
        for first, second, down in self.down:
            x = second(first(x, e), e)
            skips.append(x)
            x = down(x)
        for block in self.mid:
            x = block(x, e)
        for first, second, up in self.up:
            x = up(second(first(torch.cat((x, skips.pop()), dim=1), e), e))
        return self.head(x).transpose(1, 2)


def temporal(dims, width=32, state=4):
    mlp = nn.Sequential(Embedding(32), nn.Linear(32, 128), nn.Mish(), nn.Linear(128, 32))
    return UNet(state, [width * m for m in dims], mlp, 32, width, scale=False)


def conditional(dims, embedding=256, state=2, condition=40):
    mlp = nn.Sequential(Embedding(embedding), nn.Linear(embedding, 4 * embedding), nn.Mish(), nn.Linear(4 * embedding, embedding))
    return UNet(state, dims, mlp, embedding + condition, dims[0], scale=True)


class Case:
    """A network with inputs of one batch size."""

    def __init__(self, request):
        torch.manual_seed(0)
        batch = request["batch"]
        if request["network"] == "temporal":
            self.net, length, state, self.condition = temporal(request["dims"]), 64, 4, None
        else:
            self.net, length, state = conditional(request["dims"]), 16, 2
            self.condition = torch.randn(batch, 40)
        self.x, self.target = torch.randn(batch, length, state), torch.randn(batch, length, state)
        self.t = torch.full((batch,), 7)
        self.net.requires_grad_(request["op"] == "train")
        self.adam = torch.optim.Adam(self.net.parameters(), lr=1e-4) if request["op"] == "train" else None

    def forward(self):
        with torch.no_grad():
            self.net(self.x, self.t, self.condition)

    def vjp(self):
        x = self.x.requires_grad_(True)
        torch.autograd.grad(self.net(x, self.t, self.condition), x, self.target)

    def train(self):
        self.adam.zero_grad(set_to_none=True)
        nn.functional.mse_loss(self.net(self.x, self.t, self.condition), self.target).backward()
        self.adam.step()


def serve():
    key, case = None, None
    for line in sys.stdin:
        request = json.loads(line)
        torch.set_num_threads(request.get("threads", 2))
        wanted = [request[k] for k in ("network", "dims", "op", "batch")]
        if wanted != key:
            case = None  # frees the old network first
            key, case = wanted, Case(request)
            getattr(case, request["op"])()
        best = math.inf
        for _ in range(request.get("repeat", 3)):
            start = time.perf_counter()
            getattr(case, request["op"])()
            best = min(best, time.perf_counter() - start)
        print(json.dumps({"ms": 1e3 * best, "torch": torch.__version__}), flush=True)


if __name__ == "__main__":
    serve()
