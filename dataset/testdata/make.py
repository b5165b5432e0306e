"""Writes the NumPy and zarr files of this folder with NumPy 1.24 and zarr 2.13.

The tests state what each file holds.
"""
import io
import os
import shutil
import struct

import numpy as np
import zarr
from numcodecs import LZ4, Blosc, GZip, Zlib, Zstd

os.makedirs("npy", exist_ok=True)
base = np.arange(24).reshape(2, 3, 4)
np.save("npy/c_order.npy", base.astype("<f4"))
np.save("npy/fortran.npy", np.asfortranarray(base.astype("<f8")))
np.save("npy/big_endian.npy", base.astype(">f4"))
np.save("npy/float16.npy", (base / 4).astype("<f2"))
for t in ["i1", "i2", "i4", "i8", "u1", "u2", "u4"]:
    np.save(f"npy/{t}.npy", np.array([0, 1, np.iinfo(t).max], t))
np.save("npy/bool.npy", np.array([True, False, True]))
np.save("npy/scalar.npy", np.float64(2.5))
np.save("npy/empty.npy", np.zeros((0, 3), "<f4"))
np.save("npy/object.npy", np.array([{}, 1], object), allow_pickle=True)
np.save("npy/complex.npy", np.zeros(2, "<c8"))
np.save("npy/structured.npy", np.zeros(2, [("a", "<f4")]))
np.save("npy/text.npy", np.array(["ab"]))
with open("npy/version2.npy", "wb") as f:
    np.lib.format.write_array(f, base.astype("<f4"), version=(2, 0))
text = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L, 4L), }\n"  # as Python 2 wrote it
open("npy/python2.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + base.astype("<f4").tobytes())
np.savez("npy/stored.npz", a=base.astype("<f4"), b=np.arange(3))
np.savez_compressed("npy/deflated.npz", a=base.astype("<f4"), b=np.arange(3))

shutil.rmtree("replay.zarr", ignore_errors=True)
g = zarr.open("replay.zarr", "w")
rows = 23
n = np.arange(rows)
action = np.stack([n / 2, 100 - n], 1).astype("<f4")
state = (n[:, None] * 10 + np.arange(5)).astype("<f4")
zstd = Blosc("zstd", clevel=5, shuffle=Blosc.BITSHUFFLE)
g.array("data/action", action, chunks=(16, 2), compressor=zstd)
g.array("data/state", state, chunks=(7, 2), compressor=Blosc("lz4", shuffle=Blosc.SHUFFLE))
g.array("data/keypoint", np.repeat(action[:, None], 3, 1), chunks=(10, 2, 2), compressor=Zstd(), order="F")
g.array("data/zlib", action.astype("<f8"), chunks=(23, 1), compressor=Zlib())
g.array("data/gzip", n.astype("<i4"), chunks=(5,), compressor=GZip())
g.array("data/lz4", n.astype("|u1"), chunks=(50,), compressor=LZ4(), dimension_separator="/")
g.array("data/plain", (n % 2 == 0), chunks=(4,), compressor=None)
g.array("data/big", n.astype(">i8"), chunks=(8,), compressor=None)
g.array("meta/episode_ends", np.array([9, 13, 23]), chunks=(3,), compressor=zstd)
