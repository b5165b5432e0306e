"""The networks of sequences of package nn in PyTorch."""

import math

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


