"""A made-up section of images: a set of photographs beside the paper and one of drawings."""

import base64

from stages.common.slices import Example, ImageMean, ImageRow, Images, ImageSet, Shown, Step

MODELS = ("logistic", "CNN-RNN", "Att-RNN", "RethinkNet")
TITLES = {"hamming": "Hamming loss", "f1": "F1 score"}
PIXEL = base64.b64encode(
    bytes.fromhex(
        "47494638396101000100800000ff000000000021f90401000000002c00000000010001000002024401003b"
    )
).decode()
PICTURE = f"data:image/gif;base64,{PIXEL}"


def images(hostile="a label"):
    sets = {"photos": "demonstration", "drawings": None}
    return Images(
        datasets=[_dataset(name, role) for name, role in sets.items()],
        examples={"photos": [_example(hostile)], "drawings": []},
        shown=Shown("RethinkNet", "F1 score"),
    )


def _dataset(name, role):
    return ImageSet(
        dataset=name,
        title=f"What {name} are",
        models=list(MODELS),
        role=role,
        network="A net",
        split="official" if role else "random",
        parts={"train": 80, "test": 20} if role else {"all": 100},
        problems={"truncated": 2, "colours": 1} if role else {},
        images=100,
        features=2048,
        labels=3,
        empty=5 if role else 0,
        rows=[_row(cost, role) for cost in TITLES],
    )


def _row(cost, role):
    means = {m: 0.1 * (n + 1) for n, m in enumerate(MODELS)}
    best = "RethinkNet" if cost == "f1" else "logistic"
    return ImageRow(
        cost=cost,
        title=TITLES[cost],
        greater_is_better=cost == "f1",
        models={m: ImageMean(mean, 0.01, 3, 3, m == best) for m, mean in sorted(means.items())},
        printed={m: 0.5 + mean for m, mean in sorted(means.items())} if role else {},
    )


def _example(hostile):
    return Example(
        file="photos/1.jpg",
        picture=PICTURE,
        width=200,
        height=150,
        seed=0,
        truth=["cup", "knife"],
        steps=[
            Step(labels=["cup"], added=[], dropped=[]),
            Step(labels=["cup", "knife", hostile], added=["knife", hostile], dropped=[]),
            Step(labels=["cup", "knife"], added=[], dropped=[hostile]),
        ],
    )
