"""Writes the containers of this folder with c-blosc through numcodecs 0.11.

Each holds the first bytes of the stream of data(); the name says how many, the
element size, the codec and the shuffle (0 none, 1 bytes, 2 bits).
"""
import blosc
import numpy as np
from numcodecs import LZ4, Blosc, Zlib, Zstd


def data(n):
    """Float32 values with repetitions, so that they compress."""
    return np.array([i % 97 * (i // 97 % 13) / 16 for i in range(n // 4 + 1)], "<f4").tobytes()[:n]


for n, size, codec, shuffle in [
    (8000, 4, "lz4", 1), (8000, 4, "lz4", 2), (8000, 4, "lz4", 0), (8000, 4, "lz4hc", 1),
    (8000, 4, "zstd", 2), (1288, 4, "zstd", 2), (8000, 4, "zlib", 1), (8000, 8, "lz4", 2),
    (8003, 4, "lz4", 1), (8003, 4, "lz4", 2), (20, 4, "lz4", 1), (9000, 32, "zstd", 1), (8000, 1, "lz4", 2),
    (100000, 4, "lz4", 1), (8000, 4, "blosclz", 1),
]:
    raw = np.frombuffer(data(n), np.uint8)
    enc = blosc.compress(raw.tobytes(), typesize=size, cname=codec, shuffle=shuffle, clevel=5)
    assert blosc.decompress(enc) == raw.tobytes()
    open(f"{n}_{size}_{codec}_{shuffle}.blosc", "wb").write(enc)

open("8000_lz4.bin", "wb").write(LZ4().encode(data(8000)))
open("8000_zlib.bin", "wb").write(Zlib().encode(data(8000)))
open("8000_zstd.bin", "wb").write(Zstd().encode(data(8000)))
