"""The networks of package nn in PyTorch, timed on request.

The argument is the number of threads. The first line on standard output says which
PyTorch it is. Then one JSON object per line on standard input, one per line on standard
output:

    {"network": "temporal", "dims": [1, 2, 4], "op": "forward", "batch": 128, "repeat": 3}
    {"ms": 41.2, "cpu_ms": 80.1, "parameters": 990180, "multiply_adds": 0}

`ms` is the fastest of the repeats, so that the caller can alternate short requests
with its own runs on a machine that is shared; `cpu_ms` is the least processor time of
one, of all threads together. Operations: forward, vjp (with
respect to the input only), train (forward, backward, Adam). `multiply_adds` are those
of a forward pass for one sample, 0 where they are not counted. With `export`, the path of a
file, the network is written there in ONNX instead, and the reply has its `inputs`. The networks
are defined in the files that precede this one.
"""

import json
import warnings


def model_of_sequences(net, batch, length, state, *condition):
    """A network with its input and what else it takes."""
    return net, torch.randn(batch, length, state), (torch.full((batch,), 7), *condition)


def model_of_images(net, batch, channels, side, rows, context):
    return net, torch.randn(batch, channels, side, side), (torch.full((batch,), 7), torch.randn(batch, rows, context))


def policy_pass(batch):
    return model_of_sequences(conditional([512, 1024, 2048], 128, 2, 132), batch, 16, 2, torch.randn(batch, 132))


NETWORKS = {
    "temporal": lambda batch, *dims: model_of_sequences(temporal(list(dims)), batch, 64, 4),
    "conditional": lambda batch, *dims: model_of_sequences(conditional(list(dims)), batch, 16, 2, torch.randn(batch, 40)),
    "image-unet": lambda batch, channels: model_of_images(image_unet(channels), batch, channels, 16, 8, 64),
    "latent-classifier": lambda batch, side: (LatentClassifier(), torch.randn(batch, 4, side, side), ()),
    "policy-eye": lambda batch, side: (Eye(side), torch.randn(batch, 3, side, side), ()),
    "policy-pass": lambda batch, _: policy_pass(batch),
    "policy-half-pass": lambda batch, _: policy_pass(batch),
    "policy-plan": lambda _, steps: (Policy(steps), torch.randint(0, 256, (2, 3, 96, 96)), ()),
    "policy-half-plan": lambda _, steps: (Policy(steps), torch.randint(0, 256, (2, 3, 96, 96)), ()),
    "sd21-unet": lambda batch, side: model_of_images(stable_diffusion(), batch, 4, side, 77, 1024),
    "sd21-decoder": lambda batch, side: (Decoder(), torch.randn(batch, 4, side // 8, side // 8), ()),
    "tiny-decoder": lambda batch, side: (TinyDecoder(), torch.randn(batch, 4, side // 8, side // 8), ()),
}


def count(net, run, batch):
    """The multiply-adds of a forward pass for one sample, in layers and attention."""
    total = 0

    def hook(layer, inputs, output):
        nonlocal total
        if isinstance(layer, Attend):
            q, k, _ = inputs
            total += 2 * q.shape[0] * q.shape[1] * k.shape[1] * q.shape[2]
        elif isinstance(layer, nn.Linear):
            total += output.numel() * layer.in_features
        else:
            total += output.numel() * layer.weight[0].numel()

    hooks = [m.register_forward_hook(hook) for m in net.modules() if isinstance(m, (nn.Linear, nn.Conv2d, Attend))]
    run()
    for h in hooks:
        h.remove()
    return total // batch


class Case:
    """A network with inputs of one batch size."""

    def __init__(self, request):
        torch.manual_seed(0)
        self.net, self.x, self.others = NETWORKS[request["network"]](request["batch"], *request["dims"])
        training = request["op"] == "train"
        self.net.train(training).requires_grad_(training)
        self.parameters = sum(p.numel() for p in self.net.parameters())
        self.multiply_adds = 0
        if not isinstance(self.net, (UNet, Eye, Policy)):
            self.multiply_adds = count(self.net, self.forward, request["batch"])
        with torch.no_grad():
            self.target = torch.randn_like(self.net(self.x, *self.others))
        self.adam = torch.optim.Adam(self.net.parameters(), lr=1e-4) if training else None

    def forward(self):
        with torch.no_grad():
            self.net(self.x, *self.others)

    def vjp(self):
        x = self.x.requires_grad_(True)
        torch.autograd.grad(self.net(x, *self.others), x, self.target)

    def train(self):
        self.adam.zero_grad(set_to_none=True)
        nn.functional.mse_loss(self.net(self.x, *self.others), self.target).backward()
        self.adam.step()

    def export(self, path):
        """Writes the network in ONNX and returns its inputs."""
        inputs = [self.x, *self.others]
        names = [f"input{i}" for i in range(len(inputs))]
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(self.net, tuple(inputs), path, opset_version=14, input_names=names, output_names=["output"])
        return [{"name": n, "type": str(t.dtype).removeprefix("torch."), "shape": list(t.shape)} for n, t in zip(names, inputs)]


def serve():
    print(json.dumps(build(int(sys.argv[1]))), flush=True)
    key, case = None, None
    for line in sys.stdin:
        request = json.loads(line)
        wanted = [request[k] for k in ("network", "dims", "op", "batch")]
        if wanted != key:
            case = None  # frees the old network first
            key, case = wanted, Case(request)
            getattr(case, request["op"])()
        reply = {"parameters": case.parameters, "multiply_adds": case.multiply_adds}
        if path := request.get("export"):
            print(json.dumps({**reply, "inputs": case.export(path)}), flush=True)
            continue
        best, least = math.inf, math.inf
        for _ in range(request.get("repeat", 3)):
            start, spent = time.perf_counter(), time.process_time()
            getattr(case, request["op"])()
            best, least = min(best, time.perf_counter() - start), min(least, time.process_time() - spent)
        print(json.dumps({**reply, "ms": 1e3 * best, "cpu_ms": 1e3 * least}), flush=True)


if __name__ == "__main__":
    serve()
