"""Writes JPEG files of all ways to have fewer colours than pixels, and what the library of the
Independent JPEG Group reads from them. Needs NumPy and Pillow 9.4."""

import numpy
from PIL import Image

random = numpy.random.default_rng(7)
for name, size, sampling in (("420", (19, 13), "4:2:0"), ("422", (18, 9), "4:2:2"), ("444", (9, 8), "4:4:4"), ("narrow", (4, 5), "4:2:0")):
    pixels = random.integers(0, 256, (size[1], size[0], 3), dtype=numpy.uint8)
    Image.fromarray(pixels).save(f"{name}.jpg", quality=90, subsampling=sampling)
    numpy.save(f"{name}.npy", numpy.array(Image.open(f"{name}.jpg")))
