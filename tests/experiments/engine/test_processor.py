"""A process can be made to run the code of another processor, as far as this one has it."""

import subprocess

import pytest

from experiments.engine import processor


@pytest.fixture(autouse=True)
def nothing_chosen(monkeypatch):
    for name in (processor.BLAS, processor.SIMD):
        monkeypatch.delenv(name, raising=False)


def record(architectures, **more):
    return {"blas": [{"architecture": name} for name in architectures], **more}


@pytest.fixture
def own():
    """The one kind of processor that both OpenBLAS of this process run code for."""
    names = processor.blas()
    if len(names) != 1:
        pytest.skip(f"NumPy and SciPy have not one OpenBLAS each of one kind here, but {names}")
    return names[0]


def test_the_code_of_this_process_and_less_of_numpys_can_be_asked_for(own):
    here = processor.simd()
    assert processor.variables(record([own, own], simd=here)) == [{processor.BLAS: own}]
    if here:
        less = processor.variables(record([own], simd=here[:-1]))
        assert less == [{processor.BLAS: own, processor.SIMD: here[-1]}]


def test_other_code_is_not_to_be_had():
    for names in (["Abacus"], ["Haswell", "SkylakeX"], [None], []):
        assert processor.variables(record(names)) == [], names
    assert processor.variables(record(["Haswell"], simd=["ABACUS"])) == []


def test_results_that_do_not_say_what_numpy_ran(monkeypatch):
    """Without AVX-512 in OpenBLAS both codes of NumPy are tried, that without it first."""
    monkeypatch.setattr(processor, "simd", lambda: ["X86_V3", "X86_V4", "AVX512_ICL"])
    tried = []

    def run(command, env, **options):
        tried.append(env.get(processor.SIMD))
        return subprocess.CompletedProcess(command, 1)

    monkeypatch.setattr(processor.subprocess, "run", run)
    processor.variables(record(["Haswell"]))
    processor.variables(record(["SkylakeX"]))
    assert tried == ["X86_V4 AVX512_ICL", None, None]
