"""The command of the package: its arguments as overrides that Hydra reads back."""

from pathlib import Path

import pytest
from experiments.command_line import normalise_overrides
from hydra.core.override_parser.overrides_parser import OverridesParser

from manifest.console import in_options, overrides


def read_back(*arguments):
    """The values that Hydra reads, by their keys."""
    parsed = OverridesParser.create().parse_overrides(normalise_overrides(overrides(arguments)))
    return {one.get_key_element(): one.value() for one in parsed}


def test_values_are_read_back_whatever_signs_they_have():
    for value in (r"C:\data\my table.csv", r"y z\w", "it's", "a=b", r"\'", "end\\", "a,b", "[x]"):
        values = read_back("my.csv", "--target", value)
        assert str(values["dataset.target"]) == value, value
        path = f"./{value}"
        assert str(read_back(path)["dataset.path"]) == path


def test_overrides_join_in_any_place_and_a_file_is_no_override(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    values = read_back("protocol.sizes=[1,2]", "my.csv", "--target", "y", "hydra/launcher=basic")
    assert values["dataset.path"] == "my.csv"
    assert values["protocol.sizes"] == [1, 2]
    assert values["hydra/launcher"] == "basic"
    Path("a=b.csv").touch()
    assert str(read_back("a=b.csv")["dataset.path"]) == "a=b.csv"
    with pytest.raises(SystemExit):
        overrides(["one.csv", "two.csv"])
    assert "one table is expected, got one.csv and two.csv" in capsys.readouterr().err


def test_a_message_names_options_of_the_command_and_other_settings_as_they_are():
    for given, told in (
        ("dataset.path=my.csv dataset.target=y;", "my.csv --target y;"),
        ("dataset.drop=[a,b-c,...] leaves", "--drop a,b-c,... leaves"),
        ("dataset.index=null makes (dataset.sheet=S)", "--index null makes (--sheet S)"),
        ("add dataset.transpose=true, or", "add --transpose, or"),
        ("dataset.missing must be; dataset.drop: no", "--missing must be; --drop: no"),
        ("dataset.na=[x] dataset.labels_index=id", "dataset.na=[x] dataset.labels_index=id"),
        ("'dataset.drop=[\"a b\"]' 'dataset.path=a b.csv'",) * 2,
    ):
        assert in_options(given) == told
    read = read_back("my.csv", "--target", "s", "dataset.na=[x]", "--index", "null")
    assert read["dataset.na"] == ["x"]
    assert read["dataset.index"] is None
