"""Which PyTorch this is: what multiplies its matrices, and on how many threads."""

import signal

signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started us ends us

import ctypes
import os
import re
import sys
import time

import torch

# The names of libraries in their paths.
LIBRARIES = {"openblas": "OpenBLAS", "mkl": "MKL", "blis": "BLIS", "atlas": "ATLAS", "accelerate": "Accelerate", "veclib": "Accelerate", "flexiblas": "FlexiBLAS"}


class Symbol(ctypes.Structure):
    """Where the dynamic linker found a function."""

    _fields_ = [("path", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p), ("address", ctypes.c_void_p)]


def library(function, start=torch._C.__file__):
    """The file that has a function of PyTorch's libraries, or of those of another file, ""
    if that is not known. Files that are only loaded do not count: LAPACK may come with a
    BLAS that nobody calls."""
    try:
        address = ctypes.cast(getattr(ctypes.CDLL(start), function), ctypes.c_void_p)
        symbol = Symbol()
        found = ctypes.CDLL(None).dladdr(address, ctypes.byref(symbol))
        return os.path.realpath(os.fsdecode(symbol.path)) if found else ""
    except (OSError, AttributeError, TypeError):
        return ""


def blas():
    """The name of the library that multiplies matrices, its file, its threads if it has its own, and their file."""
    if torch.backends.mkl.is_available():
        return "MKL", "", 0, ""
    path = library("sgemm_")
    if not path:
        info = re.search(r"BLAS_INFO=(\w+)", torch.__config__.show())
        return info[1] if info else "unknown", "", 0, ""
    folder, file = os.path.split(path.lower())
    known = [name for part, name in LIBRARIES.items() if part in file or part in os.path.basename(folder)]
    if not known:
        reference = re.match(r"lib(ref)?blas\b", file)
        return "reference" if reference else file, path, 1 if reference else 0, ""
    threads, whose = openblas_threads(path) if known[0] == "OpenBLAS" else (0, "")
    return known[0], path, threads, whose


def openblas_threads(path):
    """How many threads OpenBLAS has of its own, 0 if it shares those of OpenMP, and the file
    that they are of: Debian's libblas.so.3 hands its work to whatever libopenblas.so.0 is."""
    try:
        loaded = ctypes.CDLL(path)
        if loaded.openblas_get_parallel() == 2:
            return 0, ""
        return loaded.openblas_get_num_threads(), library("openblas_get_num_threads", path)
    except (OSError, AttributeError):
        return 0, ""


def rate(side=1024):
    """GFLOP/s of products of square matrices, the faster of two."""
    with torch.no_grad():
        a = torch.randn(side, side)
        a[:64] @ a
        best = float("inf")
        for _ in range(2):
            start = time.perf_counter()
            a @ a
            best = min(best, time.perf_counter() - start)
    return 2e-9 * side**3 / best


def build(threads):
    torch.set_num_threads(threads)
    name, path, own, whose = blas()
    return {
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
        "blas": name,
        "blas_library": path,
        "blas_threads": own,
        "blas_threads_library": whose,
        "gflops": rate(),
        "onednn": torch.backends.mkldnn.is_available(),
    }


