"""A compiled library cannot take the process down: only files that have passed are loaded."""

import json
import logging
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from experiments.evaluation.svm import library, libsvm, smo

ROOT = Path(__file__).resolve().parents[3]
compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")

USE = """
import sys
import numpy as np
from experiments.evaluation.svm import smo

sys.pycache_prefix = sys.argv[1]
rows = np.arange(4)
smo.compiled()(np.eye(4), rows, 2, rows, [1.0])
"""


def start(folder, **environment):
    """A process that compiles into the folder, or finds a library there, and uses it."""
    return subprocess.Popen(
        [sys.executable, "-c", USE, str(folder)],
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def use(folder, **environment):
    """What such a process says, if it ends well."""
    process = start(folder, **environment)
    said = process.communicate(timeout=120)[1]
    assert process.returncode == 0, said
    return said


def works():
    rows = np.arange(4)
    coef, *_ = smo.compiled()(np.eye(4), rows, 2, rows, [1.0])
    return np.array_equal(coef, [[1, 1, -1, -1]])


def files(folder):
    """What lies there except for locks."""
    return sorted(path for path in Path(folder).rglob("*") if path.suffix in (".so", ".json"))


def script(path, *lines):
    path.write_text("\n".join(["#!/bin/sh", *lines]))
    path.chmod(0o755)
    return str(path)


@pytest.fixture(scope="session")
def proven(tmp_path_factory):
    folder = tmp_path_factory.mktemp("proven")
    use(folder)
    return folder


@pytest.fixture
def cache(proven, tmp_path, monkeypatch):
    """A copy of the folder with a proven build, which this process and `use` look into."""
    folder = tmp_path / "cache"
    shutil.copytree(proven, folder)
    monkeypatch.setattr(sys, "pycache_prefix", str(folder))
    return folder


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """A folder without a build, and a folder for temporary files."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "cache"))
    return tmp_path


def replaced_by_a_link(built, record):
    shutil.move(built, built.with_suffix(".elsewhere"))
    built.symlink_to(built.with_suffix(".elsewhere"))


HARM = {
    "truncated": lambda built, _: os.truncate(built, 12288),
    "emptied": lambda built, _: os.truncate(built, 0),
    "garbage": lambda built, _: built.write_bytes(os.urandom(built.stat().st_size)),
    "one byte more": lambda built, _: built.write_bytes(built.read_bytes() + b"x"),
    "writable by its group": lambda built, _: built.chmod(0o664),
    "a link": replaced_by_a_link,
    "a record writable by all": lambda _, record: record.chmod(0o666),
    "no record": lambda _, record: record.unlink(),
    "half a record": lambda _, record: os.truncate(record, 20),
    "a record that is no mapping": lambda _, record: record.write_text("[1]"),
    "the record of another source": lambda _, record: record.write_text(
        json.dumps(json.loads(record.read_text()) | {"source": "0" * 64})
    ),
}


@compiler
@pytest.mark.parametrize("harm", HARM)
def test_what_is_not_as_it_was_proven_is_not_loaded(harm, cache):
    record, built = files(cache)
    assert library._on_record(built, smo.SOURCE)
    HARM[harm](built, record)
    assert not library._on_record(built, smo.SOURCE)


@compiler
@pytest.mark.parametrize("harm", ["truncated", "half a record"])
def test_what_is_not_as_it_was_proven_is_compiled_anew(harm, cache):
    record, built = files(cache)
    HARM[harm](built, record)
    assert "compiled anew" in use(cache)
    assert files(cache) == [record, built]
    assert library._on_record(built, smo.SOURCE)


@compiler
@pytest.mark.parametrize("whose", [0, 1], ids=["record", "library"])
def test_what_belongs_to_another_user_is_compiled_anew(whose, cache, monkeypatch):
    """Changing an owner needs rights that a test may lack, so the first file's owner is feigned."""
    foreign = files(cache)[whose].stat().st_ino
    lstat = Path.lstat

    def other(path):
        found = lstat(path)
        if found.st_ino != foreign:
            return found
        fields = list(found)
        fields[stat.ST_UID] += 1
        return os.stat_result(fields)

    monkeypatch.setattr(Path, "lstat", other)
    with files(cache)[whose].open():  # Its inode number stays taken while it is open.
        assert works()
    assert files(cache)[whose].stat().st_ino != foreign


@compiler
def test_a_proven_build_is_neither_compiled_nor_tried_again(cache, monkeypatch):
    for name in ("_compile", "_rehearse"):
        monkeypatch.setattr(library, name, lambda *_, name=name: pytest.fail(f"{name} again"))
    assert works()


@compiler
def test_the_record_names_library_source_and_compiler(cache):
    record, built = files(cache)
    version = subprocess.run(["cc", "--version"], capture_output=True, text=True).stdout
    assert json.loads(record.read_text()) == {
        "library": library._digest(built),
        "source": library._digest(smo.SOURCE),
        "compiler": version.splitlines()[0],
    }


@compiler
@pytest.mark.parametrize(("umask", "mode"), [(0o000, 0o644), (0o077, 0o600)])
def test_modes_follow_the_umask_but_nobody_else_may_write(umask, mode, empty):
    before = os.umask(umask)
    try:
        assert works()
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in files(empty / "cache")] == [mode, mode]
    assert all(library._own(path) for path in files(empty / "cache"))


def a_compiler(folder, body):
    """A compiler that compiles other code than it is given."""
    code = folder / "other.c"
    code.write_text(f"#include <stdlib.h>\n#include <unistd.h>\nint smo_path() {{ {body} }}\n")
    return script(
        folder / "other-cc",
        'while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done',
        f'[ -z "$out" ] || exec cc -shared -fPIC {code} -o "$out"',
    )


@compiler
@pytest.mark.parametrize("body", ["abort();", "_exit(0);"])
def test_a_library_that_crashes_is_a_plain_no(body, empty, monkeypatch, caplog):
    caplog.set_level(logging.INFO)
    monkeypatch.setenv("CC", a_compiler(empty, body))
    solve = libsvm.solver.__wrapped__()
    assert solve.__qualname__ == libsvm.bound().__qualname__
    (said,) = caplog.messages
    assert "the process that tried the compiled library ended with" in said
    assert files(empty) == []


@compiler
def test_a_wrong_library_is_loaded_but_not_used(empty, monkeypatch):
    monkeypatch.setenv("CC", a_compiler(empty, "return 0;"))
    with pytest.raises(ArithmeticError, match="not th"):
        libsvm.compiled()
    assert len(files(empty / "cache")) == 2


@compiler
def test_a_build_that_fails_once_is_tried_again_for_this_process(empty, monkeypatch, caplog):
    caplog.set_level(logging.INFO)
    mark = empty / "second"
    once = script(empty / "cc", f'[ -e {mark} ] && exec cc "$@"', f"touch {mark}", "exit 0")
    monkeypatch.setenv("CC", once)
    assert works()
    assert files(empty) == []
    (said,) = caplog.messages
    assert "for this process alone" in said


@compiler
def test_where_nothing_can_be_written_it_is_compiled_for_the_process(empty):
    (empty / "cache").write_text("a file where a folder would have to be")
    assert works()
    assert list((empty / "temporary").iterdir()) == []


@compiler
def test_a_folder_in_the_place_of_the_library_stays(cache):
    _, built = files(cache)
    built.unlink()
    built.mkdir()
    assert works()
    assert built.is_dir()


@compiler
def test_where_files_keep_no_owner_it_is_compiled_once_for_the_process(empty, monkeypatch):
    calls: list[None] = []
    compile_ = library._compile
    monkeypatch.setattr(library, "_own", lambda path: False)
    monkeypatch.setattr(library, "_compile", lambda *given: calls.append(compile_(*given)))
    assert works()
    assert len(calls) == 1
    assert files(empty) == []


@compiler
def test_of_several_processes_one_compiles(tmp_path):
    calls = tmp_path / "calls"
    slow = script(
        tmp_path / "slow-cc",
        f'case "$*" in *-shared*) echo one >> {calls}; sleep 0.5;; esac',
        'exec cc "$@"',
    )
    processes = [start(tmp_path / "cache", CC=slow) for _ in range(3)]
    for process in processes:
        said = process.communicate(timeout=120)[1]
        assert (process.returncode, said) == (0, "")
    assert calls.read_text().split() == ["one"]
    assert len(files(tmp_path / "cache")) == 2


@compiler
def test_what_a_killed_process_has_left_is_removed(tmp_path):
    started = tmp_path / "started"
    slow = script(
        tmp_path / "slow-cc",
        f'case "$*" in *-shared*) [ -e {started} ] || {{ touch {started}; sleep 60; }};; esac',
        'exec cc "$@"',
    )
    process = start(tmp_path / "cache", CC=slow)
    while not started.exists():
        assert process.poll() is None
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert len(files(tmp_path / "cache")) == 1
    use(tmp_path / "cache", CC=slow)
    assert [path.name[:4] for path in files(tmp_path / "cache")] == ["smo.", "smo."]


@pytest.mark.parametrize("named", ["no-such-compiler", "false"])
def test_no_compiler_or_one_that_fails_is_named(named, empty, monkeypatch):
    monkeypatch.setenv("CC", named)
    with pytest.raises(library.NoCompiler, match=named):
        smo.compiled()
    assert files(empty) == []
