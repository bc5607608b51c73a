"""ResNet-50 against a forward pass in plain NumPy, and its weights entry by entry."""

import numpy as np
import pytest
import torch
from numpy.lib.stride_tricks import sliding_window_view

from rethink.models.resnet import ResNet50, SmallCNN, preprocess

BLOCKS = {2: (64, "abc"), 3: (128, "abcd"), 4: (256, "abcdef"), 5: (512, "abc")}
PARAMETERS = 25_557_032  # torchvision's; Keras' net has 26,560 biases and 53,120 means more


def keras_layers():
    """Name -> kernel shape of every convolution of Keras' net, as its figure lists them."""
    layers, inputs = {"conv1": (7, 7, 3, 64)}, 64
    for stage, (width, letters) in BLOCKS.items():
        for letter in letters:
            name = f"res{stage}{letter}_branch"
            if letter == "a":
                layers[f"{name}1"] = (1, 1, inputs, 4 * width)
            layers[f"{name}2a"] = (1, 1, inputs, width)
            layers[f"{name}2b"] = (3, 3, width, width)
            layers[f"{name}2c"] = (1, 1, width, 4 * width)
            inputs = 4 * width
    return layers


def norm_of(convolution):
    return "bn_conv1" if convolution == "conv1" else convolution.replace("res", "bn")


def torch_name(convolution):
    """torchvision's names of a Keras convolution and its norm."""
    if convolution == "conv1":
        return "conv1", "bn1"
    block = f"layer{int(convolution[3]) - 1}.{'abcdef'.index(convolution[4])}"
    branch = convolution.split("_branch")[1]
    if branch == "1":
        return f"{block}.downsample.0", f"{block}.downsample.1"
    return f"{block}.conv{'abc'.index(branch[1]) + 1}", f"{block}.bn{'abc'.index(branch[1]) + 1}"


@pytest.fixture(scope="module")
def arrays():
    """Random weights by Keras' names, of a size that keeps values moderate through 50 layers."""
    rng = np.random.default_rng(0)
    result = {}
    for name, shape in keras_layers().items():
        kernel = rng.standard_normal(shape) / np.sqrt(np.prod(shape[:3]))
        result[f"{name}/kernel"] = kernel
        result[f"{name}/bias"] = rng.normal(0, 0.3, shape[3])
        for part, low, high in (
            ("gamma", 0.5, 1.0),
            ("beta", -0.3, 0.3),
            ("moving_mean", -0.3, 0.3),
            ("moving_variance", 0.1, 1.5),
        ):
            result[f"{norm_of(name)}/{part}"] = rng.uniform(low, high, shape[3])
    result["fc1000/kernel"] = rng.standard_normal((2048, 1000)) / 45
    result["fc1000/bias"] = rng.standard_normal(1000)
    return {name: value.astype(np.float32) for name, value in result.items()}


@pytest.fixture(scope="module")
def state_dict(arrays):
    """The same weights by torchvision's names, without the biases it does not have."""
    result = {"fc.weight": arrays["fc1000/kernel"].T, "fc.bias": arrays["fc1000/bias"]}
    parts = {
        "weight": "gamma",
        "bias": "beta",
        "running_mean": "moving_mean",
        "running_var": "moving_variance",
    }
    for name in keras_layers():
        convolution, norm = torch_name(name)
        result[f"{convolution}.weight"] = arrays[f"{name}/kernel"].transpose(3, 2, 0, 1)
        for ours, theirs in parts.items():
            result[f"{norm}.{ours}"] = arrays[f"{norm_of(name)}/{theirs}"]
    return {name: torch.from_numpy(np.ascontiguousarray(v)) for name, v in result.items()}


def windows(x, size, stride, fill):
    """Windows of an image in the order (n, height, width, channels), padded to keep its size."""
    edge = size // 2
    x = np.pad(x, ((0, 0), (edge, edge), (edge, edge), (0, 0)), constant_values=fill)
    return sliding_window_view(x, (size, size), axis=(1, 2))[:, ::stride, ::stride]


def numpy_logits(arrays, images, keras):
    """The net in NumPy, channels last; returns its map, channels first, and its logits."""

    def layer(x, name, stride):
        kernel = arrays[f"{name}/kernel"].astype(float)
        y = np.einsum(
            "nhwcij,ijco->nhwo", windows(x, len(kernel), stride, 0), kernel, optimize=True
        )
        gamma, beta, mean, variance = (
            arrays[f"{norm_of(name)}/{part}"].astype(float)
            for part in ("gamma", "beta", "moving_mean", "moving_variance")
        )
        y = y + arrays[f"{name}/bias"] if keras else y
        return gamma * (y - mean) / np.sqrt(variance + (1e-3 if keras else 1e-5)) + beta

    x = np.maximum(layer(images.transpose(0, 2, 3, 1), "conv1", 2), 0)
    x = windows(x, 3, 2, -np.inf).max((-2, -1))
    for stage, (_, letters) in BLOCKS.items():
        for letter in letters:
            name, stride = f"res{stage}{letter}_branch", 2 if letter == "a" and stage > 2 else 1
            inside = np.maximum(layer(x, f"{name}2a", stride if keras else 1), 0)
            inside = np.maximum(layer(inside, f"{name}2b", 1 if keras else stride), 0)
            shortcut = layer(x, f"{name}1", stride) if letter == "a" else x
            x = np.maximum(layer(inside, f"{name}2c", 1) + shortcut, 0)
    logits = x.mean((1, 2)) @ arrays["fc1000/kernel"] + arrays["fc1000/bias"]
    return x.transpose(0, 3, 1, 2), logits


@pytest.mark.parametrize("layout", ["keras", "torchvision"])
@torch.no_grad()
def test_both_layouts_compute_what_plain_numpy_does(layout, arrays, state_dict):
    images = np.random.default_rng(1).standard_normal((2, 3, 64, 96))
    if layout == "keras":
        net = ResNet50.from_keras(arrays).eval()
    else:
        net = ResNet50.from_torchvision(state_dict).eval()
    result = net(torch.from_numpy(images).float())
    map, logits = numpy_logits(arrays, images, keras=layout == "keras")
    assert result.shape == (2, 2048, 2, 3)
    np.testing.assert_allclose(result, map, rtol=1e-3, atol=1e-3 * map.std())
    np.testing.assert_allclose(net.pooled(result), map.mean((2, 3)), rtol=1e-3, atol=1e-3)
    result = net.logits(torch.from_numpy(images).float())
    np.testing.assert_allclose(result, logits, rtol=1e-3, atol=1e-3 * logits.std())


def test_the_layouts_have_the_published_numbers_of_parameters(arrays):
    for layout, extra in (("torchvision", 0), ("keras", 26_560)):
        parameters = ResNet50(layout).parameters()
        assert sum(p.numel() for p in parameters) == PARAMETERS + extra
    assert sum(a.size for a in arrays.values()) == 25_636_712  # means and variances counted


def test_entries_of_old_and_new_torchvision_files_are_taken(state_dict):
    counted = state_dict | {"bn1.num_batches_tracked": torch.tensor(9)}
    for entries in (state_dict, counted):
        net = ResNet50.from_torchvision(entries)
        assert torch.equal(net.layer4[2].conv3.weight, state_dict["layer4.2.conv3.weight"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"layer1.0.bn2.weight": None}, "missing: layer1.0.bn2.weight; got 266 .* 267 are needed"),
        ({"layer9.bias": torch.ones(1)}, "unexpected: layer9.bias; got 268 .* give torchvision's"),
        ({"fc.bias": torch.ones(10)}, r"fc.bias has shape \(10,\), but \(1000,\) is needed; give"),
        ({"bn1.weight": torch.full((64,), torch.nan)}, "bn1.weight holds NaN"),
    ],
)
def test_wrong_torchvision_entries_are_named(state_dict, change, message):
    entries = {k: v for k, v in (state_dict | change).items() if v is not None}
    with pytest.raises(ValueError, match=message):
        ResNet50.from_torchvision(entries)


def test_wrong_keras_entries_are_named_as_keras_does(arrays):
    lost = {k: v for k, v in arrays.items() if not k.startswith("bn5c_branch2c")}
    with pytest.raises(ValueError, match=r"missing: bn5c_branch2c/gamma and 3 more; got 316"):
        ResNet50.from_keras(lost)
    turned = arrays | {"res3a_branch1/kernel": arrays["res3a_branch1/kernel"].transpose(3, 2, 0, 1)}
    with pytest.raises(ValueError, match=r"res3a_branch1/kernel has shape \(512, 256, 1, 1\), but"):
        ResNet50.from_keras(turned)
    with pytest.raises(ValueError, match="unexpected: top/kernel; got 321"):
        ResNet50.from_keras(arrays | {"top/kernel": np.ones(3)})


def test_weights_given_are_copied_not_shared(arrays):
    mine = {name: value.copy() for name, value in arrays.items()}
    net = ResNet50.from_keras(mine)
    mine["conv1/bias"][:] = 7
    assert not (net.conv1.bias == 7).any()


@torch.no_grad()
def test_many_images_are_taken_some_at_a_time(monkeypatch):
    seen, net = [], ResNet50().eval()
    net.layer1.register_forward_hook(lambda module, args, out: seen.append(len(out)))
    images = torch.randn(5, 3, 32, 32)
    whole = net(images)
    monkeypatch.setattr("rethink.nets.resnet.IMAGES_AT_ONCE", 2)
    assert torch.allclose(net(images), whole, atol=1e-4)
    assert seen == [5, 2, 2, 1]


def test_an_unknown_layout_is_refused():
    with pytest.raises(
        ValueError, match="layout is 'caffe', but must be one of torchvision, keras"
    ):
        ResNet50("caffe")
    with pytest.raises(
        ValueError, match="layout is 'caffe', but must be one of torchvision, keras"
    ):
        preprocess(np.zeros((224, 224, 3), dtype=np.uint8), "caffe")


@pytest.mark.parametrize("build", [SmallCNN, lambda seed: ResNet50("keras", seed)])
def test_initial_weights_come_from_the_seed_alone(build):
    state = torch.get_rng_state()
    first, again, other = (next(build(seed=seed).parameters()) for seed in (1, 1, 2))
    assert torch.equal(first, again) and not torch.equal(first, other)
    assert torch.equal(torch.get_rng_state(), state)


def test_the_small_net_gives_a_map_of_its_channels():
    net = SmallCNN(channels=24).eval()
    map = net(torch.rand(2, 3, 32, 40))
    assert map.shape == (2, 24, 4, 5)
    assert torch.allclose(net.pooled(map)[1, 3], map[1, 3].mean())


def test_pixels_become_what_each_layout_was_trained_on():
    image = np.random.default_rng(0).integers(0, 256, (8, 8, 3), dtype=np.uint8)
    for layout in ("keras", "torchvision"):
        made = preprocess(image, layout, size=8)
        assert made.shape == (3, 8, 8) and made.dtype == np.float32
        red, green, blue = (image[2, 5, channel] for channel in range(3))
        if layout == "keras":
            expected = [blue - 103.939, green - 116.779, red - 123.68]
        else:
            scaled = red / 255, green / 255, blue / 255
            spread = zip(scaled, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225), strict=True)
            expected = [(value - mean) / by for value, mean, by in spread]
        np.testing.assert_allclose(made[:, 2, 5], expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("image", "message"),
    [
        (np.zeros((224, 224, 3)), "is float64 of shape"),
        (np.zeros((224, 224), dtype=np.uint8), r"of shape \(224, 224\), but uint8 of shape"),
        (np.zeros((3, 224, 224), dtype=np.uint8), r"of shape \(3, 224, 224\)"),
    ],
)
def test_images_that_are_not_ready_are_refused(image, message):
    with pytest.raises(ValueError, match=message):
        preprocess(image, "keras")


@torch.no_grad()
def test_only_a_gpu_computes_in_mixed_precision(monkeypatch):
    net, images = ResNet50("keras").eval(), torch.randn(2, 3, 32, 32)
    seen = []
    net.layer4.register_forward_hook(lambda module, args, out: seen.append(out.dtype))
    single = net(images)
    monkeypatch.setattr(
        "rethink.nets.resnet.mixed_precision",
        lambda device: torch.autocast(device.type, dtype=torch.bfloat16),
    )
    half = net(images)
    assert seen == [torch.float32, torch.bfloat16]
    assert half.dtype == torch.float32
    assert 0 < float((half - single).norm() / single.norm()) < 0.1
