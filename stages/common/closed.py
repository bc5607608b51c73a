"""YAML into typed, closed and frozen models: an error names the key's full path."""

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from stages.common.errors import UserError
from stages.common.words import as_line

DEEPEST = 50  # values in values; a file of ours has eight levels
MOST = 100_000  # values; an alias of YAML counts as all that it stands for


class Closed(BaseModel):
    """A model that forbids unknown keys, never converts types and cannot change."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


Model = TypeVar("Model", bound=Closed)


def read_yaml(path: Path) -> dict[str, Any]:
    """The keys and values of a plain YAML file."""
    try:
        raw = yaml.load(path.read_text(encoding="utf-8"), _Bounded)
        _check_size(raw)
    except FileNotFoundError:
        raise UserError(f"{path} is missing; run the command from the project folder") from None
    except (yaml.YAMLError, ValueError) as error:
        raise UserError(f"{path} is not plain YAML: {' '.join(str(error).split())}") from None
    if not isinstance(raw, dict):
        raise UserError(f"{path} holds {type(raw).__name__}, but needs keys and values")
    return raw


class _Bounded(yaml.SafeLoader):
    """The safe loader with a limit of depth: the plain one takes seconds, that of libyaml dies."""

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        self.depth += 1
        if self.depth > DEEPEST:
            raise yaml.YAMLError(f"found values in values, deeper than {DEEPEST} levels")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (AttributeError, LookupError, ValueError, OverflowError) as error:
            # a tag that does not fit: `!!timestamp x`, `!!bool x`, `!!int ""`
            kind = node.tag.rpartition(":")[2]
            text = f"found a value that is no {kind}"
            raise yaml.constructor.ConstructorError(None, None, text, node.start_mark) from error


def _check_size(raw: Any) -> None:
    """Refuse what aliases blow up: a file of a few lines can stand for billions of values."""
    waiting, count = [raw], 0
    while waiting:
        value = waiting.pop()
        inner = value.values() if isinstance(value, dict) else value
        if isinstance(value, list | dict):
            count += len(value)
            waiting += inner
        if count > MOST:
            raise yaml.YAMLError(f"found more than {MOST:,} values, aliases counted in full")


def validated(raw: dict[str, Any], model: type[Model], path: Path) -> Model:
    """Keys and values that came from `path`, as `model`."""
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        problems = "\n  ".join(_explain(problem, model) for problem in error.errors())
        raise UserError(f"{path} is not valid:\n  {problems}") from None


def _explain(problem: Any, model: type[BaseModel]) -> str:
    key = ".".join(str(part) for part in problem["loc"]) or "(top level)"
    if problem["type"] == "extra_forbidden":
        return f"{key}: unknown key; {nearest(str(problem['loc'][-1]), _siblings(problem, model))}"
    if problem["type"] == "missing":
        return f"{key}: missing"
    return f"{key}: {problem['msg']} (given: {problem['input']!r:.80})"


def _siblings(problem: Any, model: type[BaseModel]) -> list[str]:
    """The keys that are valid where the unknown one stands."""
    fields = model.model_fields
    for part in problem["loc"][:-1]:
        if part not in fields:
            continue  # a key of a mapping or an index of a list: its value's model comes next
        inner = _model_within(fields[part].annotation)
        fields = inner.model_fields if inner else {}
    return list(fields)


def _model_within(annotation: object) -> type[BaseModel] | None:
    """The model inside `Model`, `list[Model]`, `dict[str, Model]` or `Model | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = (_model_within(part) for part in getattr(annotation, "__args__", ()))
    return next((value for value in inner if value), None)


Slug = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_+-]{0,63}$")]


def nearest(name: str, valid: Iterable[str]) -> str:
    """A hint for an error message: the closest valid name, then all of them."""
    choices = sorted(valid)
    close = difflib.get_close_matches(name, choices, n=1, cutoff=0.5)
    hint = f"did you mean '{as_line(close[0])}'? " if close else ""
    return f"{hint}valid: {as_line(', '.join(choices))}"
