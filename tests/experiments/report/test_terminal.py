"""Tables in a terminal: as wide as asked for, and nothing goes without a word."""

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from experiments.report.columns import terminal

TEXT = st.text("abc ,=0123456789", max_size=60)
COLUMNS = st.dictionaries(
    st.sampled_from(["n_draws", "accuracy", "std", "parameters", "label", "n_features", "other"]),
    st.sampled_from(["text", "number", "whole"]),
    min_size=2,
)


@given(st.data(), COLUMNS, st.integers(1, 5), st.integers(60, 100))
def test_no_line_is_wider_and_every_column_is_named(data, columns, n_rows, width):
    kinds = {"text": TEXT, "number": st.floats(-1e3, 1e3), "whole": st.integers(0, 10**6)}
    table = pd.DataFrame(
        {
            name: data.draw(st.lists(kinds[kind], min_size=n_rows, max_size=n_rows))
            for name, kind in columns.items()
        }
    )
    text = terminal(table, width)
    assert all(len(line) <= width for line in text.splitlines())
    words = set(text.replace(",", " ").split())
    assert {name.removeprefix("n_") for name in columns} <= {w.removeprefix("n_") for w in words}


def test_a_cell_without_a_number_is_empty():
    assert "nan" not in terminal(pd.DataFrame({"x": [0.5, None], "y": ["a" * 200, None]}), 60)
