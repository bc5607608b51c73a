"""Images for nets: as a ResNet-50 expects them, a small net for small ones, maps as vectors.

The caller decodes, converts to RGB, crops and resizes; here only values change, and their order.
"""

from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

CAFFE_MEAN = np.array([103.939, 116.779, 123.68], dtype=np.float32)  # blue, green, red
IMAGENET_MEAN = np.array([0.485, 0.456, 0.406], dtype=np.float32)  # red, green, blue
IMAGENET_SPREAD = np.array([0.229, 0.224, 0.225], dtype=np.float32)


def preprocess(image: np.ndarray, layout: str, size: int = 224) -> np.ndarray:
    """One image, uint8 of shape (size, size, 3) in RGB, as float32 of shape (3, size, size).

    Examples
    --------
    >>> black = np.zeros((224, 224, 3), dtype=np.uint8)
    >>> preprocess(black, "keras")[:, 0, 0]  # blue first
    array([-103.939, -116.779, -123.68 ], dtype=float32)
    """
    image = np.asarray(image)
    if image.dtype != np.uint8 or image.shape != (size, size, 3):
        raise ValueError(
            f"the image is {image.dtype} of shape {image.shape}, but uint8 of shape "
            f"{(size, size, 3)} is needed; convert it to RGB and resize it before"
        )
    if layout == "keras":
        values: np.ndarray = image[..., ::-1] - CAFFE_MEAN
    elif layout == "torchvision":
        values = (image / np.float32(255) - IMAGENET_MEAN) / IMAGENET_SPREAD
    else:
        raise ValueError(f"layout is {layout!r}, but must be one of torchvision, keras")
    return np.ascontiguousarray(values.transpose(2, 0, 1))


class SmallCNN(nn.Module):
    """Three convolutions that halve the image, for sets where a ResNet-50 would be too much.

    Parameters
    ----------
    channels : int
        Of the map; the layers before have a quarter and a half of them.
    seed : int
        Of the initial weights.

    Examples
    --------
    >>> SmallCNN(seed=1)(torch.zeros(2, 3, 32, 32)).shape
    torch.Size([2, 64, 4, 4])
    """

    def __init__(self, channels: int = 64, seed: int = 0):
        super().__init__()
        self.channels = channels
        widths = [3, max(1, channels // 4), max(1, channels // 2), channels]
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            layers: list[nn.Module] = []
            for inputs, outputs in pairwise(widths):
                convolution = nn.Conv2d(inputs, outputs, 3, stride=2, padding=1, bias=False)
                layers += [convolution, nn.BatchNorm2d(outputs), nn.ReLU()]
            self.layers = nn.Sequential(*layers)

    def forward(self, images: Tensor) -> Tensor:
        """Images of shape (n, 3, h, w) to a map of shape (n, channels, h / 8, w / 8)."""
        return self.layers(images)

    @staticmethod
    def pooled(map: Tensor) -> Tensor:
        """The mean over the patches of a map: shape (n, channels)."""
        return map.mean((2, 3))


class Pooled(nn.Module):
    """An extractor of maps as one of vectors: the mean over the patches of each channel.

    Parameters
    ----------
    net : torch.nn.Module
        From images to maps of shape (n, channels, h, w), such as a `ResNet50`.

    Examples
    --------
    >>> Pooled(SmallCNN())(torch.zeros(2, 3, 32, 32)).shape
    torch.Size([2, 64])
    """

    def __init__(self, net: nn.Module):
        super().__init__()
        self.net = net

    def forward(self, images: Tensor) -> Tensor:
        """Images of shape (n, 3, h, w) to vectors of shape (n, channels)."""
        return self.net(images).mean((2, 3))
