"""The networks of images of package nn in PyTorch, with their published structure."""


class Features(nn.Module):
    """Cosines and sines of the timestep, then two linear maps."""

    def __init__(self, width, outputs):
        super().__init__()
        half = width // 2
        self.register_buffer("frequency", torch.exp(-math.log(10000) / half * torch.arange(half)))
        self.maps = nn.Sequential(nn.Linear(width, outputs), nn.SiLU(), nn.Linear(outputs, outputs))

    def forward(self, t):
        angle = t[:, None] * self.frequency
        return self.maps(torch.cat((angle.cos(), angle.sin()), dim=-1))


class Resnet(nn.Module):
    """Two convolutions after normalisation and SiLU; the timestep, if any, shifts between them."""

    def __init__(self, inputs, outputs, time, groups, eps):
        super().__init__()
        self.first = nn.Sequential(nn.GroupNorm(groups, inputs, eps), nn.SiLU(), nn.Conv2d(inputs, outputs, 3, padding=1))
        self.second = nn.Sequential(nn.GroupNorm(groups, outputs, eps), nn.SiLU(), nn.Conv2d(outputs, outputs, 3, padding=1))
        self.time = nn.Sequential(nn.SiLU(), nn.Linear(time, outputs)) if time else None
        self.skip = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

    def forward(self, x, time=None):
        hidden = self.first(x)
        if self.time is not None:
            hidden = hidden + self.time(time)[:, :, None, None]
        return self.second(hidden) + self.skip(x)


class Attend(nn.Module):
    """Softmax attention of matrices [batch × heads, rows, width]."""

    def forward(self, q, k, v):
        if torch.onnx.is_in_onnx_export():  # without the zeros that baddbmm would add in a file
            return torch.bmm((torch.bmm(q, k.transpose(1, 2)) * q.shape[2] ** -0.5).softmax(dim=-1), v)
        scores = torch.empty(q.shape[0], q.shape[1], k.shape[1])
        scores = torch.baddbmm(scores, q, k.transpose(1, 2), beta=0, alpha=q.shape[2] ** -0.5)
        return torch.bmm(scores.softmax(dim=-1), v)


class Attention(nn.Module):
    def __init__(self, channels, context, heads, bias=False):
        super().__init__()
        self.heads, self.attend = heads, Attend()
        self.q, self.out = nn.Linear(channels, channels, bias=bias), nn.Linear(channels, channels)
        self.k, self.v = nn.Linear(context, channels, bias=bias), nn.Linear(context, channels, bias=bias)

    def split(self, x):
        batch, rows, channels = x.shape
        x = x.view(batch, rows, self.heads, channels // self.heads).transpose(1, 2)
        return x.reshape(batch * self.heads, rows, channels // self.heads)

    def forward(self, x, context):
        batch, rows, channels = x.shape
        y = self.attend(self.split(self.q(x)), self.split(self.k(context)), self.split(self.v(context)))
        return self.out(y.view(batch, self.heads, rows, channels // self.heads).transpose(1, 2).reshape(batch, rows, channels))


class Gated(nn.Module):
    """A linear map, half of which gates the other by GELU, and one back."""

    def __init__(self, channels):
        super().__init__()
        self.first, self.second = nn.Linear(channels, 8 * channels), nn.Linear(4 * channels, channels)

    def forward(self, x):
        value, gate = self.first(x).chunk(2, dim=-1)
        return self.second(value * nn.functional.gelu(gate))


class Transformer(nn.Module):
    """Attention of the pixels to one another and to the context, and a gated map."""

    def __init__(self, channels, heads, context, groups):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, 1e-6)
        self.enter, self.leave = nn.Linear(channels, channels), nn.Linear(channels, channels)
        self.norms = nn.ModuleList(nn.LayerNorm(channels) for _ in range(3))
        self.itself, self.cross = Attention(channels, channels, heads), Attention(channels, context, heads)
        self.gated = Gated(channels)

    def forward(self, x, context):
        h = self.enter(self.norm(x).flatten(2).transpose(1, 2))
        n = self.norms[0](h)
        h = h + self.itself(n, n)
        h = h + self.cross(self.norms[1](h), context)
        h = h + self.gated(self.norms[2](h))
        return self.leave(h).transpose(1, 2).reshape(x.shape) + x


class Enlarge(nn.Module):
    """Every pixel four times, and a convolution."""

    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return self.conv(nn.functional.interpolate(x, scale_factor=2.0, mode="nearest"))


class UNet2D(nn.Module):
    """The U-Net of latent diffusion: `attends` says which levels have transformers."""

    def __init__(self, channels, widths, attends, heads, layers, context, groups):
        super().__init__()
        time, skips, width = 4 * widths[0], [widths[0]], widths[0]
        resnet = lambda i, o: Resnet(i, o, time, groups, 1e-5)
        transformer = lambda level: Transformer(widths[level], heads[level], context, groups) if attends[level] else None
        self.time, self.enter = Features(widths[0], time), nn.Conv2d(channels, widths[0], 3, padding=1)
        self.down, self.up, last = nn.ModuleList(), nn.ModuleList(), len(widths) - 1
        for level, out in enumerate(widths):
            for _ in range(layers):
                self.down.append(nn.ModuleList([resnet(width, out), transformer(level)]))
                skips.append(out)
                width = out
            if level < last:
                self.down.append(nn.Conv2d(out, out, 3, stride=2, padding=1))
                skips.append(out)
        self.mid = nn.ModuleList([resnet(width, width), Transformer(width, heads[-1], context, groups), resnet(width, width)])
        for level in range(last, -1, -1):
            for _ in range(layers + 1):
                self.up.append(nn.ModuleList([resnet(width + skips.pop(), widths[level]), transformer(level)]))
                width = widths[level]
            if level > 0:
                self.up.append(Enlarge(width))
        self.head = nn.Sequential(nn.GroupNorm(groups, width, 1e-5), nn.SiLU(), nn.Conv2d(width, channels, 3, padding=1))

    @staticmethod
    def stage(blocks, x, time, context):
        resnet, transformer = blocks
        x = resnet(x, time)
        return x if transformer is None else transformer(x, context)

    def forward(self, x, t, context):
        time, x = self.time(t), self.enter(x)
        skips = [x]
        for l in self.down:
            x = self.stage(l, x, time, context) if isinstance(l, nn.ModuleList) else l(x)
            skips.append(x)
        x = self.mid[2](self.mid[1](self.mid[0](x, time), context), time)
        for l in self.up:
            if isinstance(l, nn.ModuleList):
                x = self.stage(l, torch.cat((x, skips.pop()), dim=1), time, context)
            else:
                x = l(x)
        return self.head(x)


def image_unet(channels):
    return UNet2D(channels, [64, 96, 96], [False, True, False], [4, 4, 4], layers=1, context=64, groups=16)


def stable_diffusion():
    return UNet2D(4, [320, 640, 1280, 1280], [True, True, True, False], [5, 10, 20, 20], layers=2, context=1024, groups=32)


class PixelAttention(nn.Module):
    """Attention of all pixels of an autoencoder, with one head."""

    def __init__(self, channels, groups):
        super().__init__()
        self.norm, self.attention = nn.GroupNorm(groups, channels, 1e-6), Attention(channels, channels, 1, bias=True)

    def forward(self, x):
        rows = self.norm(x).flatten(2).transpose(1, 2)
        return self.attention(rows, rows).transpose(1, 2).reshape(x.shape) + x


class Decoder(nn.Sequential):
    """The decoder of the autoencoder of latent diffusion."""

    def __init__(self, widths=(128, 256, 512, 512), layers=2, latents=4, groups=32):
        width = widths[-1]
        resnet = lambda i, o: Resnet(i, o, 0, groups, 1e-6)
        parts = [nn.Conv2d(latents, latents, 1), nn.Conv2d(latents, width, 3, padding=1)]
        parts += [resnet(width, width), PixelAttention(width, groups), resnet(width, width)]
        for level, out in reversed(list(enumerate(widths))):
            for _ in range(layers + 1):
                parts.append(resnet(width, out))
                width = out
            if level > 0:
                parts.append(Enlarge(width))
        parts += [nn.GroupNorm(groups, width, 1e-6), nn.SiLU(), nn.Conv2d(width, 3, 3, padding=1)]
        super().__init__(*parts)


class TinyBlock(nn.Module):
    """Three convolutions and a rectified sum."""

    def __init__(self, width):
        super().__init__()
        conv = lambda: nn.Conv2d(width, width, 3, padding=1)
        self.path = nn.Sequential(conv(), nn.ReLU(), conv(), nn.ReLU(), conv())

    def forward(self, x):
        return torch.relu(self.path(x) + x)


class TinyDecoder(nn.Module):
    """The decoder of the tiny autoencoder."""

    def __init__(self, width=64, blocks=(3, 3, 3, 1), latents=4):
        super().__init__()
        parts = [nn.Conv2d(latents, width, 3, padding=1), nn.ReLU()]
        for level, n in enumerate(blocks):
            last = level == len(blocks) - 1
            parts += [TinyBlock(width) for _ in range(n)] + ([] if last else [nn.Upsample(scale_factor=2)])
            parts.append(nn.Conv2d(width, 3 if last else width, 3, padding=1, bias=last))
        self.layers = nn.Sequential(*parts)

    def forward(self, x):
        return self.layers(torch.tanh(x / 3) * 3)


class Basic(nn.Module):
    """A residual block of ResNet-18."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.path = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))
        self.skip = nn.Identity()
        if inputs != outputs or stride > 1:
            self.skip = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return torch.relu(self.path(x) + self.skip(x))


class LatentClassifier(nn.Module):
    """ResNet-18 with two questions about a latent."""

    def __init__(self):
        super().__init__()
        blocks, width = [], 64
        for layer in range(4):
            for i in range(2):
                blocks.append(Basic(width, 64 << layer, 2 if layer > 0 and i == 0 else 1))
                width = 64 << layer
        self.trunk = nn.Sequential(
            nn.Conv2d(4, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
            *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.heads = nn.ModuleList(
            nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, classes)) for hidden, classes in ((256, 10), (128, 2)))

    def forward(self, x):
        x = self.trunk(x)
        return torch.cat([head(x) for head in self.heads], dim=-1)


