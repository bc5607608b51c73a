"""A small convolutional net for small images."""

from itertools import pairwise

import torch
from torch import Tensor, nn


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
        """The mean over the cells of a map: shape (n, channels)."""
        return map.mean((2, 3))
