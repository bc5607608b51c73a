"""Feature extraction against the bare forward pass, on made-up photographs.

CPU seconds are counted, so that other work on the machine does not matter much; the share is that
of the whole path (reading, decoding, network, writing) which the network alone would take.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from rethink.models.resnet import ResNet50
from stages.common.sources import Pictures
from stages.features.decode import decode
from stages.features.extract import extract
from stages.features.network import Network

IMAGES, BATCH = 64, 16


def main():
    torch.set_num_threads(1)
    network = Network(ResNet50("keras").eval(), "keras", 224, "cpu", "random")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [photograph(folder / f"{n}.jpg", n) for n in range(IMAGES)]
        pixels = np.stack([decode(path, 224).pixels for path in files[:BATCH]])
        network(pixels)
        bare = timed(lambda: [network(pixels) for _ in range(IMAGES // BATCH)])
        pictures = Pictures(weights="random", batch=BATCH)
        whole = timed(lambda: extract(files, folder / "out", network, pictures, workers=1))
        speed = extract(files, folder / "two", network, pictures, workers=2)
    print(f"bare forward pass   {IMAGES / bare:6.2f} images a CPU second")
    print(f"whole path          {IMAGES / whole:6.2f} images a CPU second, {bare / whole:.0%}")
    print(
        f"two workers         {speed.rate:6.2f} images a second of this machine as it is, "
        f"{speed.share:.0%} of the time in the network"
    )
    return 0 if bare / whole >= 0.8 else 1


def photograph(path, seed):
    """As large as COCO's, and about as hard to decode."""
    rng = np.random.default_rng(seed)
    coarse = Image.fromarray(rng.integers(0, 256, (60, 80, 3), dtype=np.uint8))
    coarse.resize((640, 480), Image.Resampling.BICUBIC).save(path, quality=95)
    return path


def timed(work):
    started = time.process_time()
    work()
    return time.process_time() - started


if __name__ == "__main__":
    sys.exit(main())
