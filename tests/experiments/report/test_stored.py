"""Folders of runs: what a run deletes, what it refuses to replace, and what damaged files say."""

import json
import shutil

import pandas as pd
import pytest

from experiments.config import ConfigError
from experiments.files import CannotWrite, atomic_write
from experiments.report.stored import SUFFIXES, WRITTEN, former_files, provenance_of
from scripts import compare, figures, reproduce
from tests.commands import ROOT
from tests.experiments.conftest import results, words

XOR = words("experiment=xor100 profile=smoke method=anova")
CUBE = words("experiment=hypercube profile=smoke method=anova draw=false")


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_an_earlier_run_goes_even_what_a_script_wrote_and_files_of_the_user_stay(run, tmp_path):
    """Before the first run, and where a name ends like those of a run."""
    (tmp_path / "run").mkdir()
    own = [tmp_path / "run" / name for name in ("notes.txt", "study.csv")]
    for path in own:
        path.write_text("of the user")
    folder, _ = run(*XOR, "draw=false")
    for name in ("report.html", "figure.png", "figure.pdf", "figure_three.png"):
        (folder / name).write_text("of XOR-100")
    run(*CUBE)
    fresh, _ = run(*CUBE, folder="fresh")
    assert files(folder).keys() == files(fresh).keys() | {path.name for path in own}
    assert results(folder).items() >= results(fresh).items()
    assert all(path.read_text() == "of the user" for path in own)


def test_scripts_record_what_they_write(run, monkeypatch):
    folder, _ = run(*XOR, "draw=false")
    (folder / "figure.png").touch()
    monkeypatch.setattr(figures.figures, "draw", lambda *_: [folder / "figure.png"])
    figures.main([str(folder)])
    (folder / "features.csv").rename(folder / "kept")
    compare.remake(folder)
    assert {"report.html", "figure.png", "features.csv"} <= {*provenance_of(folder)["files"]}


@pytest.mark.parametrize("listed", ["../victim.txt", "{}/victim.txt", "sub/victim.txt", "code.py"])
def test_a_run_deletes_only_bare_names_of_its_own_kind(run, tmp_path, listed):
    folder = tmp_path / "run"
    (folder / "sub").mkdir(parents=True)
    victims = [tmp_path / "victim.txt", folder / "sub" / "victim.txt", folder / "code.py"]
    for victim in victims:
        victim.touch()
    hostile = {"config": {}, "files": [listed.format(tmp_path), "old.csv", "provenance.json"]}
    (folder / "provenance.json").write_text(json.dumps(hostile))
    (folder / "old.csv").touch()
    run(*XOR, "draw=false")
    assert all(victim.exists() for victim in victims)
    assert not (folder / "old.csv").exists()


@pytest.mark.parametrize("name", ["summary.csv", "rows.parquet", "report.html", "figure.png"])
@pytest.mark.parametrize("is_folder", [False, True])
def test_a_folder_with_files_of_somebody_else_is_refused_before_the_work(
    run, tmp_path, name, is_folder
):
    path = tmp_path / "run" / name
    path.mkdir(parents=True) if is_folder else path.parent.mkdir()
    if not is_folder:
        path.write_text("of the user")
    with pytest.raises(ConfigError, match=name):
        run(*XOR)
    assert [*path.parent.iterdir()] == [path]
    assert is_folder or path.read_text() == "of the user"
    assert not (tmp_path / "store").exists()


DAMAGED = [b"", b"{", b"[]", b"null", b"3", b"{}", b"\xff\xfe", b'{"config": 3}']
DAMAGED += [b'{"config": {}, "files": %s}' % files for files in (b"3", b"null", b"[1]", b'"a"')]


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_provenance_is_one_sentence_before_the_work(run, tmp_path, content, monkeypatch):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "provenance.json").write_bytes(content)
    with pytest.raises(ConfigError, match="provenance"):
        run(*XOR)
    assert not (tmp_path / "store").exists()
    monkeypatch.setattr(reproduce, "RESULTS", tmp_path)
    monkeypatch.setattr("sys.argv", ["reproduce.py", "run"])
    for script in (figures.main, lambda _: reproduce.main()):
        with pytest.raises(SystemExit, match="provenance"):
            script([str(folder)])


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A copy of a committed folder, and what each script says of it."""
    folder = shutil.copytree(ROOT / "results" / "toy", tmp_path / "results" / "toy")
    monkeypatch.setattr(reproduce, "RESULTS", folder.parent)
    monkeypatch.setattr("sys.argv", ["reproduce.py", "toy"])

    def said():
        for script in (lambda: figures.main([str(folder)]), reproduce.main):
            with pytest.raises(SystemExit) as told:
                script()
            yield str(told.value)

    return folder, said


@pytest.mark.parametrize("name", ["summary.csv", "rows.parquet"])
@pytest.mark.parametrize("size", [None, 0, 100])
def test_a_missing_or_damaged_table_is_one_sentence_before_the_work(toy, name, size):
    folder, said = toy
    content = (folder / name).read_bytes()
    (folder / name).unlink()
    if size is not None:
        (folder / name).write_bytes(content[:size] if name == "rows.parquet" else b"\xff" * size)
    before = files(folder)
    for line in said():
        assert name in line
        assert "\n" not in line
    if name == "summary.csv":
        with pytest.raises(SystemExit, match=name):
            compare.main([str(folder), "colon"])
    assert files(folder) == before


def test_a_run_that_ends_while_it_writes_is_no_result_and_the_next_one_goes_on(
    run, tmp_path, monkeypatch
):
    def full(path):
        if path.name == "summary.csv":
            raise CannotWrite(path, OSError(28, "No space left on device"))
        return atomic_write(path)

    run(*XOR, "draw=false")
    with monkeypatch.context() as patch:
        patch.setattr("experiments.run.atomic_write", full)
        with pytest.raises(CannotWrite):
            run(*CUBE)
    with pytest.raises(SystemExit, match=r"summary\.csv"):
        figures.main([str(tmp_path / "run")])
    folder, _ = run(*XOR, "draw=false")
    assert results(folder) == results(run(*XOR, "draw=false", folder="fresh")[0])


def test_what_runs_write_is_known_before_them():
    names = {
        p.name for path in ROOT.glob("results/*/provenance.json") for p in path.parent.iterdir()
    }
    assert not [name for name in names - {"provenance.json"} if not WRITTEN.fullmatch(name)]
    assert {f".{name.rpartition('.')[2]}" for name in names} <= SUFFIXES


def test_an_answer_that_is_written_early_replaces_the_earlier_run(run, table, monkeypatch):
    """A run of `select` that is killed after it leaves nothing of others, and can start again."""
    select = words("experiment=select dataset.target=y method=anova profile=smoke draw=false")
    folder, _ = run(*XOR, "draw=false")
    with monkeypatch.context() as patch:
        patch.setattr("experiments.table.run.predicted", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run(*select, f"dataset.path={table}")
    assert files(folder).keys() == {"differ.csv", "provenance.json"}
    assert [path.name for path in former_files(folder)] == ["differ.csv"]
    assert isinstance(pd.read_csv(folder / "differ.csv"), pd.DataFrame)
    run(*select, f"dataset.path={table}")
    assert all(WRITTEN.fullmatch(name) for name in files(folder).keys() - {"provenance.json"})
