"""Mixed precision where it pays: on a GPU."""

import torch


def mixed_precision(device: torch.device) -> torch.autocast:
    """A context in which a GPU multiplies in bfloat16 and adds up in single precision.

    bfloat16 has the range of single precision, so that no loss has to be scaled. On a CPU the
    context changes nothing: results there stay those of single precision, bit by bit.
    """
    on_gpu = device.type == "cuda"
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=on_gpu)
