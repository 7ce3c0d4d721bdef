"""A digest is of what a source says: it changes with the numbers, and not with looks."""

from experiments.engine.meaning import digest_of_c, meaning_of


def test_sources_that_say_the_same_and_sources_that_do_not():
    same = [
        ("'words'\ndef f():\n  'words'\n  return 1  # words", "'other'\ndef f():\n\n  return 1"),
        ("x: int = 1", "x = 1"),
        ("def f(a: int, /, *b: 'c', **d: int): x: int = a", "def f(a, /, *b, **d): x = a"),
        ("def f():\n  y: int\n  return 2", "def f(): return 2"),
        ("from typing import Any\ndef f(x: Any): return x", "def f(x): return x"),
        (
            "from typing import Any, cast\nx = cast(int, 1)",
            "from typing import cast\nx = cast(int, 1)",
        ),
        ("if TYPE_CHECKING:\n  import a\nelse:\n  b = 1", "b = 1"),
        ("if not typing.TYPE_CHECKING:\n  b = 1", "b = 1"),
        ("class A:\n  'words'", "class A: pass"),
        ("x = ('a'\n  'b')", 'x = "ab"'),
        ("x = f'a' f'{y}'", "x = f'a{y}'"),
        ("x = 16", "x = 0x10"),
        ("def f(*, a, b=1): return ((a))", "def f(*, a: int, b: str = 1) -> None: return a"),
    ]
    other = [
        ("x = a + b", "x = a - b"),
        ("x = f(1)", "x = f(2)"),
        ("def f(a=1): return a", "def f(a=2): return a"),
        ("@a\ndef f(): return 1", "@b\ndef f(): return 1"),
        ("x = 1\ny = 2", "y = 2\nx = 1"),
        ("x = 1", "x = 1.0"),
        ("x = 1", "x = True"),
        ("x = 'a'", "x = b'a'"),
        ("x = '1'", "x = 1"),
        ("x = -0.0", "x = 0.0"),
        ("class A:\n  x: int = 1", "class A:\n  x = 1"),
        ("class A:\n  x: int = 1", "class A:\n  x: str = 1"),
        ("f(a, b)", "f(b, a)"),
        ("f(*a)", "f(a)"),
        ("def f(*, a, b=1): 1", "def f(*, a=1, b): 1"),
        ("def f(a, *, b): 1", "def f(a, b): 1"),
        ("f'{x!r}'", "f'{x!s}'"),
        ("f'{x:2}'", "f'{x:3}'"),
        ("if x: y()\nz()", "if x:\n  y()\n  z()"),
        ("if x: pass\nelse: y()", "if x: y()"),
        ("from a import b", "from .a import b"),
        ("from a import b as c", "from a import b"),
        ("x = {**a, 'b': 1}", "x = {'b': 1, **a}"),
        ("def f(): return x", "async def f(): return x"),
    ]
    for one, two in same:
        assert meaning_of(one).digest == meaning_of(two).digest, (one, two)
    for one, two in other:
        assert meaning_of(one).digest != meaning_of(two).digest, (one, two)
    same_c = [
        (b"a = b + c;\nd", b" a  = b /* c */ + c; // e \\\n f\n\n\t d"),
        (b"#define f(x) x\ny", b" #define  f(x) /* a\n b */ x // z\n\n y"),
        (b"#define f \\\n 1\n", b"#define f 1\n"),
    ]
    other_c = [
        (b"a += 1;", b"a -= 1;"),
        (b"a = 0;", b"a = 1;"),
        (b"a + +b", b"a ++ b"),
        (b"a - -1", b"a --1"),
        (b"a >> b", b"a > > b"),
        (b'"a b"', b'"a  b"'),
        (b'"/* a */"', b'""'),
        (b"'\"' /* ' */", b"'\"' '"),
        (b"#define f(x) x\n", b"#define f (x) x\n"),
        (b"#define f\nx", b"#define f x\n"),
        (b"int a", b"inta"),
        (b"1e-3", b"1e - 3"),
    ]
    for first, second in same_c:
        assert digest_of_c(first) == digest_of_c(second), (first, second)
    for first, second in other_c:
        assert digest_of_c(first) != digest_of_c(second), (first, second)


#: Of every kind of syntax that a version of Python could show otherwise.
SNIPPET = '''
"""Words."""
from __future__ import annotations
import a.b as c, d
from . import e
@decorated(x=1, *[2], **{"k": b"\\x00\\xff", **other})
class A(B, metaclass=M):
    """Words."""
    x: int = 1
    y: "list[str]"
async def f(a, /, b=1, *args, k, l=None, **kw) -> int:
    async with g() as (h, i), j:
        async for n in m:
            await n
    return [z async for z in q if z] or (yield)
def pattern(v):
    match v:
        case [1, -2.5, *rest] if (n := len(rest)) > 3:
            return f"{n!r:>{width}} {{}} {n=}" "tail" f"{v['k']:%H:%M}{v:}"
        case {"a": True, **more} | Point(x=0, y=None):
            global G
            G += lambda t, *, u=...: t @ u if not t else ~t
        case 1 + 2j | "\\U0001fae8é" | None as other:
            del v[1:, ::2, *rest]
        case _:
            raise E from None
try:
    x = 1_000 < y <= 1e999 is not z not in (1j, 10**400)
except* (E, F) as error:
    assert error, "words"
else:
    while True: break
finally:
    x, *y = {1, 2}, {k: v for k, v in i}, (g for g in h)
    nonzero = "\\N{DIGIT ONE}\\0" 'b' if x else +1
'''


def test_the_digest_of_a_source_does_not_depend_on_the_version_of_python():
    """The literal holds on 3.11, 3.12 and 3.13; their trees differ in fields that are empty."""
    digest = "795e7f725baeae2e1d4407c29a1b8612b91bb0c0cf58a069b33ab7185f5ea404"
    assert meaning_of(SNIPPET).digest == digest
