import sys
import time
from contextlib import contextmanager

import pytest

from stages.common.catalog import File, Source
from stages.common.errors import DataError
from stages.prepare.mulan import MAX_BYTES, MAX_LABELS, read_label_names
from stages.prepare.readers import read_dataset

seen = []
watching = False


def watch(event, args):
    if watching and event in ("open", "socket.connect", "socket.getaddrinfo", "urllib.Request"):
        seen.append((event, args[0]))


sys.addaudithook(watch)


@contextmanager
def watched():
    """Record every file that is opened and every connection that is tried."""
    global watching
    seen.clear()
    watching = True
    try:
        yield seen
    finally:
        watching = False


BOMB = (
    '<!DOCTYPE labels [<!ENTITY a "aaaaaaaaaa">'
    + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True)
    )
    + ']><labels><label name="&j;"/></labels>'
)
HOSTILE = {
    "nested entities": BOMB,
    "internal entity": '<!DOCTYPE l [<!ENTITY a "x">]><labels><label name="&a;"/></labels>',
    "external entity": '<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    '<labels><label name="x">&a;</label></labels>',
    "external DTD": '<!DOCTYPE labels SYSTEM "http://localhost:9/x.dtd"><labels/>',
    "parameter entity": '<!DOCTYPE l [<!ENTITY % p SYSTEM "http://localhost:9/x"> %p;]><labels/>',
    "plain DTD": '<!DOCTYPE labels><labels><label name="x"/></labels>',
    "too many labels": "<labels>"
    + "".join(f'<label name="{i}"/>' for i in range(MAX_LABELS + 1))
    + "</labels>",
    "far too many labels": "<labels>" + '<label name="x"/>' * 450_000 + "</labels>",
    "too deep": "<labels>" + "<label>" * 200_000,
    "too large": '<labels><label name="' + "x" * MAX_BYTES + '"/></labels>',
    "doubled label": "<labels>" + '<label name="sun, sea"/>' * 2 + '<label name="a"/></labels>',
}
REASONS = {
    "too many labels": f"found {MAX_LABELS + 1} labels, needs 1 to {MAX_LABELS}",
    "far too many labels": f"tags, needs at most {MAX_LABELS} labels",
    "too deep": "found broken XML",
    "too large": f"found more than {MAX_BYTES} bytes",
    "doubled label": "found label 'sun, sea' 2 times, needs it once",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_xml_is_refused_at_once_and_opens_nothing_else(tmp_path, name):
    path = tmp_path / "set.xml"
    path.write_text(HOSTILE[name], encoding="utf-8")
    start = time.process_time()
    with watched() as events, pytest.raises(DataError) as refusal:
        read_label_names(path)
    assert time.process_time() - start < 3
    assert events == [("open", str(path))]
    assert str(refusal.value).startswith(f"{path}: ")
    assert REASONS.get(name, "declaration, needs plain XML") in str(refusal.value)


def refuse_label(folder, names, columns):
    labels = "".join(f'<label name="{name}"/>' for name in names)
    (folder / "set.xml").write_text(f"<labels>{labels}</labels>")
    attributes = "".join(f"@attribute {name} {{0,1}}\n" for name in columns)
    (folder / "set.arff").write_text(f"@relation r\n{attributes}@data\n")
    source = Source(format="arff", files=(File(name="set.arff"), File(name="set.xml")))
    start = time.process_time()
    with pytest.raises(DataError) as refusal:
        read_dataset(source, folder)
    assert time.process_time() - start < 3
    return str(refusal.value)


def test_a_label_that_is_not_in_the_arff_is_named_with_the_nearest_column(tmp_path):
    message = refuse_label(tmp_path, ["beech", "sunset"], ["x", "beach", "sunset"])
    assert "no column for label 'beech'; did you mean 'beach'?" in message


def test_a_label_missing_among_very_many_columns_is_named_in_a_short_message(tmp_path):
    message = refuse_label(tmp_path, ["Clas77"], ["Class77"] + [f"Att{i}" for i in range(30_000)])
    assert "no column for label 'Clas77'; did you mean 'Class77'?" in message
    assert len(message) < 400 + len(str(tmp_path))


def test_very_many_missing_labels_are_counted_not_listed(tmp_path):
    message = refuse_label(tmp_path, [f"label{i}" for i in range(50_000)], ["x"])
    assert "no column for label 'label0' (and 49999 more labels)" in message
    assert len(message) < 400 + len(str(tmp_path))
