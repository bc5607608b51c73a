"""From a map to a vector."""

from torch import Tensor, nn


class Pooled(nn.Module):
    """An extractor of maps as one of vectors: the mean over the cells of each channel.

    Parameters
    ----------
    net : torch.nn.Module
        From images to maps of shape (n, channels, h, w), such as a `ResNet50`.

    Examples
    --------
    >>> import torch
    >>> from rethink.nets.small_cnn import SmallCNN
    >>> Pooled(SmallCNN())(torch.zeros(2, 3, 32, 32)).shape
    torch.Size([2, 64])
    """

    def __init__(self, net: nn.Module):
        super().__init__()
        self.net = net

    def forward(self, images: Tensor) -> Tensor:
        """Images of shape (n, 3, h, w) to vectors of shape (n, channels)."""
        return self.net(images).mean((2, 3))
