"""A LeRobot policy of the published size in PyTorch, with its published structure."""


class Grouped(nn.Module):
    """A residual block of ResNet-18 with groups of sixteen channels."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        norm = lambda: nn.GroupNorm(outputs // 16, outputs)
        self.path = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), norm(), nn.ReLU(), nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), norm())
        self.skip = nn.Identity()
        if inputs != outputs or stride > 1:
            self.skip = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), norm())

    def forward(self, x):
        return torch.relu(self.path(x) + self.skip(x))


class Eye(nn.Module):
    """ResNet-18, the places of the points that its channels look for, and a linear map."""

    def __init__(self, side, points=32):
        super().__init__()
        blocks, width = [], 64
        for layer in range(4):
            for i in range(2):
                blocks.append(Grouped(width, 64 << layer, 2 if layer > 0 and i == 0 else 1))
                width = 64 << layer
        self.trunk = nn.Sequential(
            nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.GroupNorm(4, 64), nn.ReLU(), nn.MaxPool2d(3, 2, 1), *blocks, nn.Conv2d(width, points, 1))
        for _ in range(5):
            side = (side + 1) // 2
        along = torch.linspace(-1, 1, side)
        self.register_buffer("grid", torch.stack((along.repeat(side), along.repeat_interleave(side)), dim=-1))
        self.out = nn.Sequential(nn.Linear(2 * points, 2 * points), nn.ReLU())

    def forward(self, x):
        maps = self.trunk(x).flatten(2).softmax(dim=-1)
        return self.out((maps @ self.grid).flatten(1))


class Policy(nn.Module):
    """Two pictures and states become sixteen actions by some steps of DDIM."""

    def __init__(self, steps):
        super().__init__()
        self.eye, self.net = Eye(84), conditional([512, 1024, 2048], 128, 2, 132)
        f = lambda u: math.cos((u + 0.008) / 1.008 * math.pi / 2) ** 2
        beta = torch.tensor([min(1 - f((i + 1) / 100) / f(i / 100), 0.999) for i in range(100)])
        self.bars, self.times = torch.cumprod(1 - beta, 0), list(range(0, 100, 100 // steps))[:steps]

    def forward(self, picture):
        x = (picture / 255 - 0.5) / 0.5
        told = torch.cat((torch.zeros(2, 2), self.eye(x[:, :, 6:90, 6:90])), dim=-1).flatten()[None]
        x = torch.randn(1, 16, 2)
        for i in reversed(range(len(self.times))):
            bar, before = self.bars[self.times[i]], self.bars[self.times[i - 1]] if i > 0 else torch.tensor(1.0)
            noise = self.net(x, torch.full((1,), self.times[i]), told)
            clean = ((x - (1 - bar).sqrt() * noise) / bar.sqrt()).clamp(-1, 1)
            x = before.sqrt() * clean + (1 - before).sqrt() * noise
        return (x + 1) / 2 * 512


