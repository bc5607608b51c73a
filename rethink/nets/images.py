"""Images as a ResNet-50 with ImageNet weights expects them.

The caller decodes, converts to RGB, crops and resizes; here only values change, and their order.
"""

import numpy as np

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
