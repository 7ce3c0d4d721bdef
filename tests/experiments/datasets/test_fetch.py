"""scripts/fetch.py: a table, and an exit status that can be relied on."""

import numpy as np
import pytest

from experiments.datasets import loading
from experiments.datasets.loading import cache_file
from experiments.datasets.registry import REGISTRY
from experiments.datasets.sources import Network
from scripts.fetch import main


@pytest.fixture
def places(mirror, tmp_path, monkeypatch) -> list[str]:
    monkeypatch.delenv("MANIFEST_DATA", raising=False)
    monkeypatch.setattr(loading, "NETWORK", Network(attempts=0))
    return ["--home", str(mirror), "--cache", str(tmp_path)]


def test_fetch_then_check(places, tmp_path, capsys):
    assert main([*places, "colon", "wine"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["data", "set", "status", "seconds", "fingerprint", "from"]
    assert [line.split()[:2] for line in lines[1:]] == [["colon", "verified"], ["wine", "verified"]]
    assert REGISTRY["colon"].fingerprint in lines[1]
    assert cache_file(REGISTRY["wine"], tmp_path).is_file()
    assert main(["--check", *places, "wine"]) == 0
    assert str(tmp_path) in capsys.readouterr().out


def test_check_needs_no_network_and_finds_damage(places, tmp_path, capsys):
    assert main([*places, "wine"]) == 0
    file = cache_file(REGISTRY["wine"], tmp_path)
    whole = file.read_bytes()
    with np.load(file, allow_pickle=False) as archive:
        X, y = archive["X"].copy(), archive["y"]
    X[0, 0] = X[1, 0]
    file.write_bytes(whole[:-1])
    capsys.readouterr()
    assert main(["--check", *places, "wine", "gisette"]) == 1
    out = capsys.readouterr().out
    assert f"{file} cannot be read" in out
    assert "absent" in out
    np.savez(file, X=X, y=y)
    assert main(["--check", *places, "wine"]) == 1
    assert f"should be {REGISTRY['wine'].fingerprint} but" in capsys.readouterr().out


def test_what_cannot_be_had_fails_but_what_is_offered_nowhere_is_absent(places, capsys):
    assert main([*places[2:], "gisette_rebuilt", "colon_continuous"]) == 1
    out = capsys.readouterr().out
    assert ["gisette_rebuilt", "absent"] in [line.split()[:2] for line in out.splitlines()]
    assert ["colon_continuous", "failed"] in [line.split()[:2] for line in out.splitlines()]
    assert "colon_continuous cannot be had" in out
    assert "gisette_rebuilt cannot be had: it is rebuilt and has no public source" in out


def test_an_unknown_name_lists_the_choices(places, capsys):
    with pytest.raises(SystemExit) as caught:
        main(["madelom"])
    assert caught.value.code == 2
    assert "did you mean 'madelon'" in capsys.readouterr().err


def test_a_wrong_local_file(places, tmp_path, capsys):
    np.savez(tmp_path / "colon.npz", X=np.zeros((62, 2000)), y=np.repeat([0, 1], [22, 40]))
    assert main(["--check", "--home", str(tmp_path), "--cache", str(tmp_path), "colon"]) == 1
    assert "fingerprint should be" in capsys.readouterr().out


def test_limits_are_options(places, capsys):
    assert main([*places, "--max-gib", "1e-9", "colon"]) == 1
    assert "data.max_gib=1e-09" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main([*places, "--timeout", "0", "colon"])
    assert "data.timeout must be a number above 0" in capsys.readouterr().err
