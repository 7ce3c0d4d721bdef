"""The sizes that a Parquet file declares, as they are read from its footer and its pages."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from experiments.datasets import DataError, formats
from experiments.datasets.limits import LIMITS
from experiments.datasets.parquet_size import declared_size


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd", "lz4", "brotli"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_parquet_of_every_packing(tmp_path, compression, version):
    """The sizes that are read from the headers of all pages are those of the footer."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((1000, 3)), columns=list("abc"))
    frame["d"], frame["y"] = rng.integers(3, size=1000), rng.choice(["one", "two"], 1000)
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(
        pa.Table.from_pandas(frame),
        path,
        compression=compression,
        data_page_version=version,
        row_group_size=300,
        data_page_size=512,
        write_page_index=True,
    )
    table = formats.read(path)
    assert np.array_equal(table.X, frame[["a", "b", "c", "d"]])
    assert table.labels.tolist() == frame["y"].tolist()
    groups = pyarrow.parquet.read_metadata(path)
    unpacked = sum(groups.row_group(number).total_byte_size for number in range(4))
    n_rows, n_bytes = declared_size(path, LIMITS)
    assert n_rows == 1000
    assert 0.5 * unpacked < n_bytes <= unpacked  # the footer counts headers too


def test_parquet_without_rows_or_without_groups(tmp_path):
    path = tmp_path / "a.parquet"
    frame = pd.DataFrame({"a": [0.5], "y": ["one"]}).iloc[:0]
    frame.to_parquet(path)
    assert declared_size(path, LIMITS)[0] == 0
    assert formats.read(path).X.shape == (0, 1)
    pyarrow.parquet.ParquetWriter(path, pa.schema({"a": pa.float64(), "y": pa.int8()})).close()
    assert declared_size(path, LIMITS) == (0, 0)
    assert formats.read(path).X.shape == (0, 1)


def test_a_footer_that_declares_more_values_than_it_has_is_damaged(tmp_path):
    """Its list of row groups has 2^56 fractions, which take no byte that would have to be read."""
    footer = b"\x49\xf7" + b"\x80" * 8 + b"\x01"
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(DataError, match="its footer or a page of it is damaged"):
        formats.read(path)
