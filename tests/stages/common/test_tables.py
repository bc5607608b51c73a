import numpy as np
import pytest
from scipy import sparse

from stages.common.files import atomic_path, write_json
from stages.common.tables import matrix_to_table, read_table, table_to_matrix, write_table


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("rows", [0, 1, 7])
def test_a_matrix_comes_back_from_disk_as_it_was(tmp_path, kind, rows):
    matrix = np.arange(rows * 3, dtype=float).reshape(rows, 3) % 2
    given = sparse.csr_array(matrix) if kind == "sparse" else matrix
    write_table(tmp_path / "m.parquet", matrix_to_table(given, ["a", "b", "c"]))
    back = table_to_matrix(read_table(tmp_path / "m.parquet"))
    assert sparse.issparse(back) == (kind == "sparse")
    assert back.shape == (rows, 3)
    assert ((back.toarray() if kind == "sparse" else back) == matrix).all()


def test_equal_tables_give_equal_bytes(tmp_path):
    table = matrix_to_table(np.eye(50), [str(i) for i in range(50)])
    for name in ("a", "b"):
        write_table(tmp_path / name, table)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_flipped_byte_in_a_page_is_noticed_when_read(tmp_path):
    path = tmp_path / "t.parquet"
    write_table(path, matrix_to_table(np.random.default_rng(0).random((200, 2)), ["a", "b"]))
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 3] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(OSError, match=r"CRC|could not verify"):
        read_table(path)


def test_an_interrupted_write_leaves_the_old_file_and_no_rest(tmp_path):
    path = tmp_path / "x.json"
    write_json(path, {"old": 1})
    with pytest.raises(RuntimeError), atomic_path(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == '{\n "old": 1\n}\n'
    assert [file.name for file in tmp_path.iterdir()] == ["x.json"]
