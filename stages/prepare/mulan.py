"""Label names from the XML file that Mulan puts beside an ARFF file."""

from collections import Counter
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from stages.common.errors import DataError

MAX_LABELS = 100_000
MAX_BYTES = 8 << 20


def read_label_names(path: Path) -> tuple[str, ...]:
    """The names in the order of the file; a hierarchy of labels is read flat."""
    root = _parse(path, _read_bytes(path))
    if _local_name(root) != "labels":
        raise DataError(f"{path}: found <{_local_name(root):.60}>, needs <labels> as a Mulan file")
    elements = [element for element in root.iter() if _local_name(element) == "label"]
    if not 0 < len(elements) <= MAX_LABELS:
        raise DataError(f"{path}: found {len(elements)} labels, needs 1 to {MAX_LABELS}")
    names = tuple(element.get("name", "") for element in elements)
    if not all(names):
        raise DataError(f"{path}: label {names.index('') + 1} has no name, needs <label name=...>")
    name, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise DataError(f"{path}: found label {name!r:.200} {times} times, needs it once")
    return names


def _read_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}; fetch the data set") from None
    if len(raw) > MAX_BYTES:
        raise DataError(f"{path}: found more than {MAX_BYTES} bytes, needs a list of label names")
    # Two tags a label and some more; known before the time to parse them is spent.
    if raw.count(b"<") > 2 * MAX_LABELS + 1000:
        raise DataError(f"{path}: found {raw.count(b'<')} tags, needs at most {MAX_LABELS} labels")
    return raw


def _parse(path: Path, raw: bytes) -> Element:
    try:
        return fromstring(raw, forbid_dtd=True)
    except DefusedXmlException as error:
        kind = type(error).__name__.removesuffix("Forbidden")
        raise DataError(f"{path}: found a {kind} declaration, needs plain XML without") from None
    except (ParseError, ValueError, LookupError) as error:
        raise DataError(f"{path}: found broken XML ({error}), needs a Mulan label file") from None


def _local_name(element: Element) -> str:
    return element.tag.rpartition("}")[2]
