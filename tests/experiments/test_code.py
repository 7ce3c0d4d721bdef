"""The code of a task: an edit is noticed wherever it is, and what cannot be read is said."""

import importlib
import shutil
import sys
import types

import pytest

from experiments import code
from experiments.cache import Cache, RunStopped, Task, attempt, key_of
from experiments.code import UNKNOWN, elsewhere
from experiments.config import ConfigError
from experiments.evaluation.methods import resolve
from experiments.report.stored import provenance_of
from experiments.seeds import canonical_json
from tests.experiments.conftest import tasks, words

XOR = words("experiment=xor100 profile=smoke method=anova ~method.scorers.anova")
#: Forms of a scorer `own:score`: file -> its text, with a FACTOR to edit.
FORMS = {
    "function": {"own.py": "def score(X, y):\n    return FACTOR * X[0]"},
    "partial": {
        "own.py": "from functools import partial\n"
        "def some(X, y, k):\n    return k * X[0]\nscore = partial(some, k=FACTOR)"
    },
    "instance": {
        "own.py": "class Some:\n    def __init__(self, k):\n        self.k = k\n"
        "    def __call__(self, X, y):\n        return self.k * X[0]\nscore = Some(FACTOR)"
    },
    "module beside it": {
        "own.py": "from own_help import factor\ndef score(X, y):\n    return factor * X[0]",
        "own_help.py": "factor = FACTOR",
    },
    "module imported by the first call": {
        "own.py": "def score(X, y):\n    import own_help\n    return own_help.factor * X[0]",
        "own_help.py": "factor = FACTOR",
    },
    "module of the package": {
        "own/__init__.py": "from own.inner import score",
        "own/inner.py": "from .help import factor\ndef score(X, y):\n    return factor * X[0]",
        "own/help.py": "factor = FACTOR",
    },
    "decorator": {
        "own.py": "from own_help import more\n@more\ndef score(X, y):\n    return X[0]",
        "own_help.py": "from functools import wraps\ndef more(f):\n    @wraps(f)\n"
        "    def g(X, y):\n        return FACTOR * f(X, y)\n    return g",
    },
    "re-export from another folder": {
        "own.py": "from own_help import score",
        "other/own_help.py": "def score(X, y):\n    return FACTOR * X[0]",
    },
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Write the files of a scorer, as if a new process found them."""
    monkeypatch.syspath_prepend(str(tmp_path / "other"))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def forget():
        for name in [name for name in sys.modules if name.startswith("own")]:
            del sys.modules[name]
        code.FOUND.clear()
        code.digest_of.cache_clear()
        importlib.invalidate_caches()

    def written(files, factor="1.0"):
        forget()
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text.replace("FACTOR", factor))

    yield written
    forget()


OWN = (*XOR, "+method.scorers.own.call=own:score")


@pytest.mark.parametrize("form", FORMS)
def test_an_edit_of_any_module_of_a_scorer_from_elsewhere_is_noticed(compose, package, form):
    found = []
    for factor in ("1.0", "1.0", "2.0"):
        package(FORMS[form], factor)
        (method,) = resolve(compose(*OWN))
        (candidate,) = method.candidates()
        found.append(canonical_json(method.identity(candidate)))
    assert found[0] == found[1] != found[2]


def test_after_an_edit_no_stored_number_of_a_scorer_is_used(run, package):
    form, found = FORMS["module of the package"], []
    for number, factor in enumerate(("1.0", "1.0", "2.0")):
        package(form, factor)
        found.append(provenance_of(run(*OWN, folder=str(number))[0]))
    assert [each["tasks"]["computed"] for each in found] == [3, 0, 3]
    assert {"own", "own.inner", "own.help"} <= found[0]["elsewhere"]["own:score"].keys()
    assert found[0]["elsewhere"] == found[1]["elsewhere"] != found[2]["elsewhere"]


def test_what_cannot_be_read_is_said_and_not_stored(run, tmp_path, package, monkeypatch, caplog):
    package({})
    made = types.ModuleType("own_made")
    made.score = lambda X, y: X[0]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "own_made", made)
    own = "+method.scorers.own.call=own_made:score"
    for folder in ("one", "two"):
        assert tasks(run(*XOR, own, folder=folder)[0])["computed"] == 3
    assert sum("own_made:score" in message for message in caplog.messages) == 1
    assert not list(tmp_path.glob("store/tasks/*/*"))


@pytest.mark.parametrize(("text", "named"), [
    ("def score(X, y:", "SyntaxError"),
    ("import nothing_there", "nothing_there"),
    ("import sys\nsys.exit(3)", "SystemExit: 3"),
    ("import sys\ndef score(X, y):\n    sys.exit(3)", "SystemExit: 3, in line 3"),
    ("class E(BaseException):\n    pass\ndef score(X, y):\n    raise E('odd')", "E: odd"),
])  # fmt: skip
def test_a_scorer_that_cannot_be_imported_or_tried_is_told(compose, package, text, named):
    package({"own.py": text})
    with pytest.raises(ConfigError, match=rf"method own: .*{named}.*own\.py"):
        resolve(compose(*OWN))


def test_an_installed_scorer_is_known_by_its_version_and_files(tmp_path, package, monkeypatch):
    site, found = tmp_path / "site-packages", set()
    monkeypatch.syspath_prepend(str(site))
    for version, line in {"1.0": "own.py,a", "1.1": "own.py,a", "1.1 ": "own.py,b"}.items():
        shutil.rmtree(site, ignore_errors=True)
        package({})
        info = site / f"own-{version.strip()}.dist-info"
        info.mkdir(parents=True)
        (site / "own.py").write_text("def score(X, y):\n    return X[0]\n")
        for each in (code.distributions, code.version):
            each.cache_clear()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: own\nVersion: {version}\n")
        (info / "RECORD").write_text(f"{line},\n../../bin/own,c,\n")
        (info / "top_level.txt").write_text("own\n")
        importlib.import_module("own")
        found.add(elsewhere("own:score"))
    assert len(found) == 3
    shutil.rmtree(info)
    package({})
    code.distributions.cache_clear()
    importlib.import_module("own")
    assert elsewhere("own:score") == UNKNOWN


def test_the_versions_of_optional_packages_are_in_the_keys_of_the_tasks_that_use_them(monkeypatch):
    using = {"skfeature": {"engine": "skfeature"}, "jax": {"call": "baselines.embedded:STG"}}
    before = {name: key_of("scores", method=method) for name, method in using.items()}
    plain = key_of("scores", method={"call": "relieff"})
    monkeypatch.setattr(code, "version", lambda name: "another")
    assert key_of("scores", method={"call": "relieff"}) == plain
    for name, method in using.items():
        assert key_of("scores", method=method) != before[name]


def test_a_scorer_of_this_repository_has_the_digest_of_all_sources():
    for call in ("anova", "baselines.filters.anova:anova", "manifest:manifest_score"):
        assert elsewhere(call) == ""


def test_a_worker_that_reads_other_code_than_the_run_stops_it(tmp_path):
    path = tmp_path / "own.py"
    path.write_text("1")
    expected = code.state([str(path)])
    path.write_text("2")
    task, store = Task("key", dict), Cache(str(tmp_path / "store"))
    assert attempt(task, store, (str(path),), expected).row == {}
    code.digest_of.cache_clear()  # as in a new worker
    with pytest.raises(RunStopped, match="sources"):
        attempt(task, store, (str(path),), expected)
