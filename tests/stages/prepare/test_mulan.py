import pytest

from stages.common.errors import DataError
from stages.prepare.mulan import MAX_LABELS, read_label_names


@pytest.fixture
def read(tmp_path):
    def read(text):
        path = tmp_path / "set.xml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_label_names(path)

    return read


def test_names_are_read_in_the_order_of_the_file(read):
    text = (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<labels xmlns="http://mulan.sourceforge.net/labels">\n'
        '<label name="Swainson\'s Thrush"></label>\n<label name="a &amp; &quot;b&quot;"/></labels>'
    )
    assert read(text) == ("Swainson's Thrush", 'a & "b"')


def test_a_hierarchy_is_read_flat(read):
    text = '<labels><label name="a"><label name="b"/></label><label name="c"/></labels>'
    assert read(text) == ("a", "b", "c")


def test_other_encodings_are_read(read):
    text = '<?xml version="1.0" encoding="{}"?><labels><label name="café"/></labels>'
    assert read(text.format("iso-8859-1").encode("latin-1")) == ("café",)
    assert read(text.format("utf-16").encode("utf-16")) == ("café",)


def test_as_many_labels_as_allowed_are_read(read):
    labels = "".join(f'<label name="{i}"></label>' for i in range(MAX_LABELS))
    assert len(read(f"<labels>{labels}</labels>")) == MAX_LABELS


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<labels></labels>", "found 0 labels, needs 1 to"),
        ('<labels><label name="a"/><label/></labels>', "label 2 has no name"),
        ('<labels><label name=""/></labels>', "label 1 has no name"),
        ('<other><label name="a"/></other>', "found <other>, needs <labels>"),
        ('<labels><label name="a">', "found broken XML"),
        ("", "found broken XML"),
        (b"\x89PNG\r\n", "found broken XML"),
        ('<?xml version="1.0" encoding="x-none"?><labels/>', "found broken XML"),
    ],
)
def test_anything_else_is_refused_with_the_file(read, text, reason):
    with pytest.raises(DataError, match=rf"set\.xml: .*{reason}"):
        read(text)


def test_an_absent_file_is_refused_with_its_name(tmp_path):
    with pytest.raises(DataError, match=r"none\.xml cannot be read"):
        read_label_names(tmp_path / "none.xml")
