"""scripts/fetch.py: a table, and an exit status that can be relied on."""

import numpy as np
import pytest

from experiments.datasets import loading
from experiments.datasets.registry import REGISTRY
from experiments.datasets.sources import Network
from scripts.fetch import main


@pytest.fixture
def places(mirror, tmp_path, monkeypatch) -> list[str]:
    monkeypatch.delenv("MANIFEST_DATA", raising=False)
    monkeypatch.setattr(loading, "NETWORK", Network("http://127.0.0.1:9", attempts=1))
    return ["--home", str(mirror), "--cache", str(tmp_path)]


def test_fetch_then_check(places, tmp_path, capsys):
    assert main([*places, "colon", "wine"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["colon", "verified"], ["wine", "verified"]]
    assert str(REGISTRY["colon"].fingerprint) in lines[1]
    assert main(["--check", *places, "wine"]) == 0
    assert str(tmp_path) in capsys.readouterr().out
    assert main([*places[2:], "gisette_rebuilt", "colon_continuous"]) == 1
    states = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    assert ["gisette_rebuilt", "absent"] in states  # It is offered nowhere.
    assert ["colon_continuous", "failed"] in states


def test_check_needs_no_network_and_finds_damage(places, tmp_path, capsys):
    np.savez(tmp_path / "wine.npz", X=np.ones((178, 13)), y=np.repeat([0, 1, 2], [59, 71, 48]))
    assert main(["--check", *places, "wine", "gisette"]) == 1
    states = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    assert ["wine", "failed"] in states
    assert ["gisette", "absent"] in states


@pytest.mark.parametrize(
    ("arguments", "told"), [(["madelom"], "'madelon'"), (["--timeout", "0", "colon"], "timeout")]
)
def test_a_wrong_argument_ends_with_status_2(places, capsys, arguments, told):
    with pytest.raises(SystemExit) as caught:
        main([*places, *arguments])
    assert caught.value.code == 2
    assert told in capsys.readouterr().err
