"""Models that go wrong, each in its own way; tests write this file into a copy of the project."""

import ctypes
import os
import signal
import time
from pathlib import Path

import numpy as np

from rethink.models.constant import AllZeros


class Slow(AllZeros):
    """Takes its time."""

    def fit(self, X, Y):
        time.sleep(0.5)
        return super().fit(X, Y)


class Held(AllZeros):
    """Waits until the folder `held` is gone, if there is one; only the first of all does not."""

    def fit(self, X, Y):
        try:
            Path("held", "first").touch(exist_ok=False)
        except FileExistsError:
            while Path("held").exists():
                time.sleep(0.05)
        except FileNotFoundError:
            pass
        return super().fit(X, Y)


class Raises(AllZeros):
    """Fails."""

    def fit(self, X, Y):
        raise ValueError("singular matrix,\n  sorry")


class Hangs(AllZeros):
    """Sleeps for ever."""

    def fit(self, X, Y):
        while True:
            time.sleep(1)


class Locks(AllZeros):
    """Hangs inside C code that keeps the interpreter lock, so that no other thread can run."""

    def fit(self, X, Y):
        ctypes.PyDLL(None).sleep(1000)


class Dies(AllZeros):
    """Kills its process."""

    def fit(self, X, Y):
        os.kill(os.getpid(), signal.SIGKILL)


class DiesOnce(AllZeros):
    """Is killed the first time, as from outside, and never again."""

    def __init__(self, marker="died-once"):
        self.marker = marker

    def fit(self, X, Y):
        if not Path(self.marker).exists():
            Path(self.marker).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, Y)


class Eats(AllZeros):
    """Takes more and more memory."""

    def fit(self, X, Y):
        eaten = []
        while True:
            eaten.append(np.ones(2**24))  # 128 MiB
            time.sleep(0.02)


class Swamps(AllZeros):
    """Asks more of a GPU than it has."""

    def fit(self, X, Y):
        import torch

        raise torch.OutOfMemoryError("CUDA out of memory")


class Halves(AllZeros):
    """Predicts what is neither 0 nor 1."""

    def predict(self, X):
        return super().predict(X) + 0.5


class NotNumbers(AllZeros):
    """Predicts NaN."""

    def predict(self, X):
        return super().predict(X) * np.nan


class Place(AllZeros):
    """Fails with the name of the place where it is computed."""

    def fit(self, X, Y):
        raise ValueError(os.environ.get("PLACE", "nowhere"))


class PlaceOfNetwork(Place):
    """The same, as a model that can use a GPU."""

    def __init__(self, device="cpu"):
        self.device = device

    def predict_proba(self, X):
        return self.predict(X) * 1.0
