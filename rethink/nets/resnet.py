"""ResNet-50 in plain torch, in the two layouts whose ImageNet weights are about.

torchvision's halves the image in the 3x3 convolution of a block, Keras' in the first 1x1; they also
differ in biases and batch normalisation. The modules are named as in torchvision. Of foreign
weights every entry is checked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from rethink.nets.device import mixed_precision

DEPTHS = (3, 4, 6, 3)  # bottleneck blocks of each layer
WIDTHS = (64, 128, 256, 512)  # channels inside them
EXPANSION = 4  # channels of a block's result, as a multiple of those inside
CLASSES = 1000
IMAGES_AT_ONCE = 32  # without gradients: bounds the memory of early layers, 12 MB an image
COUNTER = "num_batches_tracked"
CONVOLUTION = {"kernel": "weight", "bias": "bias"}
NORM = {
    "gamma": "weight",
    "beta": "bias",
    "moving_mean": "running_mean",
    "moving_variance": "running_var",
}
BRANCHES = {  # of a Keras block -> convolution and norm of ours
    "branch1": ("downsample.0", "downsample.1"),
    "branch2a": ("conv1", "bn1"),
    "branch2b": ("conv2", "bn2"),
    "branch2c": ("conv3", "bn3"),
}


@dataclass(frozen=True)
class Layout:
    """Where two nets of one name differ."""

    stride_first: bool
    bias: bool
    epsilon: float
    momentum: float  # torch's: the share of the running batch


LAYOUTS = {
    "torchvision": Layout(stride_first=False, bias=False, epsilon=1e-5, momentum=0.1),
    "keras": Layout(stride_first=True, bias=True, epsilon=1e-3, momentum=0.01),
}


class Bottleneck(nn.Module):
    """1x1, 3x3 and 1x1 convolutions beside a shortcut."""

    def __init__(self, inputs: int, width: int, stride: int, layout: Layout):
        super().__init__()
        outputs = EXPANSION * width
        first, second = (stride, 1) if layout.stride_first else (1, stride)
        self.conv1 = _convolution(inputs, width, 1, first, layout)
        self.bn1 = _norm(width, layout)
        self.conv2 = _convolution(width, width, 3, second, layout)
        self.bn2 = _norm(width, layout)
        self.conv3 = _convolution(width, outputs, 1, 1, layout)
        self.bn3 = _norm(outputs, layout)
        self.downsample: nn.Module = nn.Identity()
        if inputs != outputs:
            self.downsample = nn.Sequential(
                _convolution(inputs, outputs, 1, stride, layout), _norm(outputs, layout)
            )

    def forward(self, x: Tensor) -> Tensor:
        """The block's result, of four times its width in channels."""
        inside = torch.relu(self.bn1(self.conv1(x)))
        inside = torch.relu(self.bn2(self.conv2(inside)))
        return torch.relu(self.bn3(self.conv3(inside)) + self.downsample(x))


class ResNet50(nn.Module):
    """ResNet-50: from images to a map of 2,048 channels.

    Parameters
    ----------
    layout : {"torchvision", "keras"}
        Of the weights it can take, and of the images it expects: see `preprocess`.
    seed : int
        Of the initial weights.

    References
    ----------
    He, Zhang, Ren and Sun: Deep Residual Learning for Image Recognition. CVPR 2016.

    Examples
    --------
    >>> net = ResNet50("keras").eval()
    >>> net(torch.zeros(1, 3, 64, 64)).shape
    torch.Size([1, 2048, 2, 2])
    """

    channels = EXPANSION * WIDTHS[-1]

    def __init__(self, layout: str = "torchvision", seed: int = 0):
        super().__init__()
        if layout not in LAYOUTS:
            raise ValueError(f"layout is {layout!r}, but must be one of {', '.join(LAYOUTS)}")
        self.layout = layout
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self._build(LAYOUTS[layout])

    @classmethod
    def from_torchvision(cls, state_dict: Mapping[str, Tensor]) -> "ResNet50":
        """The net with the weights of torchvision's `resnet50`, every entry of them checked."""
        net = cls("torchvision")
        # old files lack the counters of batches, and nothing here reads them
        entries = {k: v for k, v in state_dict.items() if not k.endswith(COUNTER)}
        check_entries(entries, net._shapes(), "torchvision's resnet50().state_dict()")
        net.load_state_dict(entries, strict=False)
        return net

    @classmethod
    def from_keras(cls, arrays: Mapping[str, np.ndarray]) -> "ResNet50":
        """The net with the weights of Keras' ResNet50, by names such as `res2a_branch2a/kernel`.

        Kernels are of shape (height, width, inputs, outputs), as Keras keeps them.
        """
        net = cls("keras")
        names, shapes = keras_names(DEPTHS), net._shapes()
        needed = {theirs: keras_shape(shapes[ours]) for theirs, ours in names.items()}
        check_entries(arrays, needed, "the weights of Keras' ResNet50 by the names of its manifest")
        entries = {ours: from_keras_axes(arrays[theirs]) for theirs, ours in names.items()}
        net.load_state_dict(entries, strict=False)
        return net

    def forward(self, images: Tensor) -> Tensor:
        """Images of shape (n, 3, h, w) to a map of shape (n, 2048, h / 32, w / 32)."""
        if len(images) > IMAGES_AT_ONCE and not (self.training or torch.is_grad_enabled()):
            return torch.cat([self(part) for part in images.split(IMAGES_AT_ONCE)])
        with mixed_precision(images.device):
            x = torch.relu(self.bn1(self.conv1(images)))
            x = nn.functional.max_pool2d(x, 3, stride=2, padding=1)
            x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return x.float()

    @staticmethod
    def pooled(map: Tensor) -> Tensor:
        """The mean over the patches of a map: shape (n, 2048)."""
        return map.mean((2, 3))

    def logits(self, images: Tensor) -> Tensor:
        """Logits of the 1,000 ImageNet classes, shape (n, 1000)."""
        return self.fc(self.pooled(self(images)))

    def _build(self, layout: Layout) -> None:
        self.conv1 = _convolution(3, WIDTHS[0], 7, 2, layout)
        self.bn1 = _norm(WIDTHS[0], layout)
        self.layer1, self.layer2, self.layer3, self.layer4 = (
            _blocks(number, layout) for number in range(4)
        )
        self.fc = nn.Linear(self.channels, CLASSES)

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        entries = self.state_dict().items()
        return {name: tuple(value.shape) for name, value in entries if not name.endswith(COUNTER)}


def _blocks(number: int, layout: Layout) -> nn.Sequential:
    """One of the four layers; all but the first halve the image in their first block."""
    width, outputs = WIDTHS[number], EXPANSION * WIDTHS[number]
    inputs = EXPANSION * WIDTHS[number - 1] if number else WIDTHS[0]
    first = Bottleneck(inputs, width, 2 if number else 1, layout)
    others = [Bottleneck(outputs, width, 1, layout) for _ in range(DEPTHS[number] - 1)]
    return nn.Sequential(first, *others)


def _convolution(inputs: int, outputs: int, size: int, stride: int, layout: Layout) -> nn.Conv2d:
    made = nn.Conv2d(inputs, outputs, size, stride, padding=size // 2, bias=layout.bias)
    nn.init.kaiming_normal_(made.weight, mode="fan_out", nonlinearity="relu")
    if made.bias is not None:
        nn.init.zeros_(made.bias)
    return made


def _norm(channels: int, layout: Layout) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(channels, eps=layout.epsilon, momentum=layout.momentum)


def check_entries(
    entries: Mapping[str, Any], needed: Mapping[str, tuple[int, ...]], source: str
) -> None:
    """Refuse weights with an entry too few, too many, of a wrong shape or not finite.

    `entries` are arrays or tensors; `source` tells in the message what would have fitted.
    """
    missing = [name for name in needed if name not in entries]
    unexpected = [name for name in entries if name not in needed]
    if missing or unexpected:
        raise ValueError(
            f"{_told('missing', missing)}{_told('unexpected', unexpected)}"
            f"got {len(entries)} entries, but {len(needed)} are needed; give {source}"
        )
    for name, shape in needed.items():
        got = tuple(entries[name].shape)
        if got != shape:
            raise ValueError(f"{name} has shape {got}, but {shape} is needed; give {source}")
        if not np.isfinite(np.asarray(entries[name])).all():
            raise ValueError(f"{name} holds NaN or infinity, but weights are finite; give {source}")


def keras_names(depths: Sequence[int]) -> dict[str, str]:
    """Keras' name of each entry -> ours.

    Examples
    --------
    >>> keras_names([3])["bn2a_branch1/gamma"]
    'layer1.0.downsample.1.weight'
    """
    layers = {"conv1": "conv1", "bn_conv1": "bn1", "fc1000": "fc"}
    for stage, depth in enumerate(depths, start=2):
        for number in range(depth):
            block, ours = f"{stage}{chr(ord('a') + number)}", f"layer{stage - 1}.{number}"
            for branch, (convolution, norm) in BRANCHES.items():
                if branch != "branch1" or number == 0:
                    layers[f"res{block}_{branch}"] = f"{ours}.{convolution}"
                    layers[f"bn{block}_{branch}"] = f"{ours}.{norm}"
    return {
        f"{theirs}/{part}": f"{ours}.{name}"
        for theirs, ours in layers.items()
        for part, name in (NORM if theirs.startswith("bn") else CONVOLUTION).items()
    }


def keras_shape(ours: Sequence[int]) -> tuple[int, ...]:
    """The shape of one of our entries with the axes in Keras' order.

    Examples
    --------
    >>> keras_shape((64, 3, 7, 7))
    (7, 7, 3, 64)
    """
    return (*ours[2:], *reversed(ours[:2]))


def from_keras_axes(array: np.ndarray) -> Tensor:
    """(height, width, inputs, outputs) or (inputs, outputs) with the outputs first."""
    if array.ndim > 1:
        array = np.moveaxis(array, (-1, -2), (0, 1))
    return torch.from_numpy(np.array(array, dtype=np.float32, order="C"))


def _told(kind: str, names: Sequence[str]) -> str:
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{kind}: {names[0]}{more}; " if names else ""
