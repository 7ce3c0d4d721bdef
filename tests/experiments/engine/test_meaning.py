"""A digest is of what a source says: it changes with the numbers, and not with looks."""

import ast
from itertools import pairwise
from pathlib import Path

from experiments.engine.meaning import digest_of_c, meaning_of

ROOT = Path(__file__).resolve().parents[3]

# Edits of a source: its bytes from a place to another are replaced.


def places(source):
    """A function that gives the first and last byte of a node."""
    lines = [0]
    for line in source.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    return lambda node: (
        lines[node.lineno - 1] + node.col_offset,
        lines[node.end_lineno - 1] + node.end_col_offset,
    )


def edited(source, edits):
    for begin, end, text in sorted(edits, reverse=True):
        source = source[:begin] + text + source[end:]
    return source


def nodes(tree, in_class=False):
    """All nodes but those of f-strings, whose places are not exact, each with its kind of scope."""
    for node in ast.iter_child_nodes(tree):
        yield node, in_class
        if not isinstance(node, ast.JoinedStr):
            scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
            inside = isinstance(node, ast.ClassDef) if isinstance(node, scopes) else in_class
            yield from nodes(node, inside)


def is_text(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def other_looks(source, at, found):
    """Edits that put comments and blank lines everywhere, and change docstrings."""
    for node, _ in found:
        if is_text(node):
            yield (*at(node), b'"other words"')
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not is_text(node.body[0]):
            begin = at(node.body[0])[0]
            indent = source[source.rfind(b"\n", 0, begin) + 1 : begin]
            decorated = getattr(node.body[0], "decorator_list", None)
            if not indent.strip() and not decorated:
                yield begin, begin, b'"new words"\n\n' + indent
        if isinstance(node, ast.stmt) and not getattr(node, "decorator_list", None):
            begin = at(node)[0]
            start = source.rfind(b"\n", 0, begin) + 1
            indent = source[start:begin]
            if not indent.strip() and source[start - 2 : start] != b"\\\n":
                yield start, start, indent + b"# a comment: 'x' = 1\n\n   \n"


def annotations(source, at, found, text):
    """Edits that replace all annotations that nothing evaluates, or remove them."""
    for node, in_class in found:
        if isinstance(node, ast.arg) and node.annotation:
            begin = at(node)[0] + len(node.arg.encode())
            yield begin, at(node.annotation)[1], text and b": " + text
        if isinstance(node, ast.FunctionDef) and node.returns:
            begin, end = at(node.returns)
            yield source.rfind(b"->", 0, begin), end, text and b"-> " + text
        if isinstance(node, ast.AnnAssign) and not in_class:
            begin, end = at(node.target)[1], at(node.annotation)[1]
            if text or node.value:
                yield begin, end, text and b": " + text
            else:
                yield (*at(node), b"pass")


#: What stands for an operator, and for another one.
OTHER: dict[type, tuple[bytes, bytes]] = {
    ast.Add: (b"+", b"-"),
    ast.Sub: (b"-", b"+"),
    ast.Mult: (b"*", b"-"),
    ast.Div: (b"/", b"*"),
    ast.MatMult: (b"@", b"*"),
}

SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)


def other_meanings(source, at, found):
    """Edits that change what is computed: the name of a kind -> edits, one of each kind."""
    edits = {}
    for node, _ in found:
        if isinstance(node, ast.BinOp) and type(node.op) in OTHER and "operator" not in edits:
            before, after = OTHER[type(node.op)]
            begin, end = at(node.left)[1], at(node.right)[0]
            edits["operator"] = [(begin, end, source[begin:end].replace(before, after, 1))]
        if isinstance(node, ast.Return | ast.Assign) and "constant" not in edits:
            constants = [n for n, _ in nodes(node) if isinstance(n, ast.Constant)]
            if constants:
                edits["constant"] = [(*at(constants[0]), b"(98765)")]
        if isinstance(node, ast.arguments) and node.defaults and "default" not in edits:
            edits["default"] = [(*at(node.defaults[0]), b"98765")]
        if isinstance(node, ast.FunctionDef) and node.decorator_list and "decorator" not in edits:
            edits["decorator"] = [(*at(node.decorator_list[0]), b"another")]
        body = getattr(node, "body", None)
        for one, two in pairwise(body if isinstance(body, list) else []):
            kinds = isinstance(one, SIMPLE) and isinstance(two, SIMPLE)
            texts = [source[slice(*at(each))] for each in (one, two)]
            if kinds and not is_text(one) and texts[0] != texts[1]:
                edits["order"] = [(*at(one), texts[1]), (*at(two), texts[0])]
    return edits


def test_only_edits_of_what_a_module_says_change_its_digest():
    count: dict[str, int] = {}
    for path in (
        p for f in ("manifest", "baselines", "experiments") for p in ROOT.glob(f"{f}/**/*")
    ):
        if path.suffix not in (".py", ".c"):
            continue
        source = path.read_bytes()
        if path.suffix == ".c":
            digest = digest_of_c(source)
            assert digest_of_c(source.replace(b"{\n", b"{ /* ' */\n\n\t// \"\n")) == digest, path
            assert digest_of_c(source.replace(b"\n    ", b"\n  ")) == digest, path
            assert digest_of_c(source.replace(b" += ", b" -= ", 1)) != digest, path
            assert digest_of_c(source.replace(b" = 0;", b" = 1;", 1)) != digest, path
            continue
        before = meaning_of(source).digest
        known = (source, places(source), list(nodes(ast.parse(source))))
        assert meaning_of(edited(source, other_looks(*known))).digest == before, path
        for text in (b"", b'object | "quoted"'):
            other = edited(source, annotations(*known, text))
            assert meaning_of(other).digest == before, (path, text)
        for kind, edits in other_meanings(*known).items():
            count[kind] = count.get(kind, 0) + 1
            assert meaning_of(edited(source, edits)).digest != before, (path, kind)
    assert min(count.values()) > 20, count
    assert len(count) == 5


def test_sources_that_say_the_same_and_sources_that_do_not():
    same = [
        ("x: int = 1", "x = 1"),
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
