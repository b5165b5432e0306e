"""Writes the PyTorch files of this folder that are not taken from elsewhere.

Run with PyTorch 1.13, dill 0.3.6 and OmegaConf 2.2; the tests state what each
file holds.
"""
from collections import OrderedDict

import dill
import omegaconf
import torch

base = torch.arange(12, dtype=torch.float32).reshape(3, 4)

torch.save(OrderedDict([
    ("float32", base / 8),
    ("float64", base.double() / 3),
    ("float16", (base - 5).half() / 4),
    ("bfloat16", (base - 5).bfloat16() / 4),
    ("int64", torch.tensor([-(1 << 40), 0, 1 << 40])),
    ("int32", torch.tensor([-7, 7], dtype=torch.int32)),
    ("int16", torch.tensor([-7, 7], dtype=torch.int16)),
    ("int8", torch.tensor([-7, 7], dtype=torch.int8)),
    ("uint8", torch.tensor([0, 255], dtype=torch.uint8)),
    ("bool", torch.tensor([True, False, True])),
    ("transposed", base.t()),
    ("strided", base[1:, ::2]),
    ("shared.a", base),
    ("shared.b", base[1]),
    ("scalar", torch.tensor(2.5)),
    ("empty", torch.zeros(0)),
    ("parameter", torch.nn.Parameter(base[:2])),
]), "mixed.pth")

torch.save({"row": torch.zeros(1).expand(1000)}, "expanded.pth")
torch.save(torch.nn.Linear(2, 2), "module.pth")
torch.save({"w": base}, "legacy.pth", _use_new_zipfile_serialization=False)


def policy(offset):
    return {"model.weight": base + offset, "normalizer.params_dict.action.scale": torch.ones(2) * offset,
            "_dummy_variable": torch.zeros(0)}


cfg = omegaconf.OmegaConf.create({"training": {"use_ema": True}, "name": "x", "dims": [256, 512], "lr": 1e-4})
torch.save({
    "cfg": cfg,
    "state_dicts": {
        "model": policy(1),
        "ema_model": policy(2),
        "optimizer": {"state": {0: {"step": torch.tensor(3.0), "exp_avg": base}},
                      "param_groups": [{"lr": 1e-4, "betas": (0.95, 0.999), "params": [0]}]},
    },
    "pickles": {"global_step": dill.dumps(7), "epoch": dill.dumps(1), "fn": dill.dumps(lambda x: x)},
}, open("checkpoint.ckpt", "wb"), pickle_module=dill)
