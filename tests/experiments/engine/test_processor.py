"""A process can be made to run the code of another processor, as far as this one has it."""

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
    assert processor.variables(record([own, own], simd=here)) == {processor.BLAS: own}
    if here:
        less = processor.variables(record([own], simd=here[:-1]))
        assert less == {processor.BLAS: own, processor.SIMD: here[-1]}


def test_other_code_is_not_to_be_had():
    for names in (["Abacus"], ["Haswell", "SkylakeX"], [None], []):
        assert processor.variables(record(names, simd=[])) is None, names
    assert processor.variables(record(["Haswell"], simd=["ABACUS"])) is None
