"""Names of a user's table on the command line, on a terminal and in a spreadsheet."""

import logging

import pandas as pd
import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser

from experiments.atomic import without_formulas, write_csv
from experiments.command_line import normalise_overrides
from experiments.config import Formatter
from experiments.datasets import DataError
from experiments.datasets.user_table import read_table
from experiments.errors import user_message


def test_names_on_the_command_line_are_texts():
    """A name that looks like a number, or like a value of Hydra, stays the text that it is."""
    for argument, _key, expected in (
        ("dataset.target=1e5", "target", "1e5"),
        ("dataset.target=1_0", "target", "1_0"),
        ("dataset.index=007", "index", "007"),
        ("dataset.index=null", "index", None),
        ("dataset.features=true", "features", "true"),
        ("dataset.drop=[1_0,1e5,007]", "drop", ["1_0", "1e5", "007"]),
        ("dataset.drop=[\"a b\",'c, d',größe (cm)]", "drop", ["a b", "c, d", "größe (cm)"]),
        ("dataset.na=[n.d.,-,null]", "na", ["n.d.", "-", "null"]),
        ("dataset.drop=[]", "drop", []),
    ):
        (override,) = OverridesParser.create().parse_overrides(normalise_overrides([argument]))
        value = override.value()
        parts = value if isinstance(value, list) else [value]
        assert all(isinstance(part, str) or part is None for part in parts), argument
        # A text between quotation marks is of another class in Hydra.
        found = [None if part is None else str(part) for part in parts]
        assert found == (expected if isinstance(expected, list) else [expected]), argument


def test_no_control_character_reaches_a_terminal_and_no_formula_a_spreadsheet(tmp_path):
    record = logging.LogRecord("a", logging.INFO, "a", 1, "read %s\nthen", ("\x1b[31m\x9b",), None)
    assert Formatter("%(message)s").format(record) == r"read \x1b[31m\x9b" + "\nthen"
    assert "\x1b" not in str(user_message(DataError("column \x1b[2J")))
    path = tmp_path / "a.csv"
    path.write_text("\x1b[31m,status\nn.d.,a\n1,b\n2,a\n3,b\n")
    with pytest.raises(DataError) as caught:
        read_table(path, "status")
    assert "\x1b" not in str(caught.value)
    frame = pd.DataFrame({"=cmd()": ["=1+1", "@a", "-0.5", "+x", "plain"], "b": range(5)})
    write_csv(tmp_path / "f.csv", frame)
    back = pd.read_csv(tmp_path / "f.csv")
    assert list(back) == ["'=cmd()", "b"]
    assert list(without_formulas(frame.set_index("=cmd()")).index)[:3] == ["'=1+1", "'@a", "-0.5"]
    assert back.iloc[:, 0].tolist() == ["'=1+1", "'@a", "-0.5", "'+x", "plain"]
