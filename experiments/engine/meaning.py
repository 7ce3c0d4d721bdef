"""The meaning of a source, whatever it looks like: digests that are equal on every Python.

The digest of a Python module is of its syntax. It leaves out comments, layout, bare constants such
as docstrings, ``pass``, ``if TYPE_CHECKING:``, imports from `typing` and its like, and annotations,
unless they stand in the body of a class, where dataclasses read them. The digest of a C file leaves
out comments and the amount of white space.
"""

import ast
import hashlib
import re
from itertools import groupby
from typing import Any, NamedTuple

#: Modules whose names annotations use.
_FOR_ANNOTATIONS = frozenset({"typing", "collections.abc", "numpy.typing"})
#: Fields of nodes that tell nothing.
_SILENT = frozenset({"ctx", "kind", "returns", "type_comment"})


class Meaning(NamedTuple):
    """The parts of a Python module that matter.

    Attributes
    ----------
    digest : str
        64 hexadecimal digits.
    imports : tuple of ast.Import and ast.ImportFrom
        Wherever they stand, except imports for annotations.
    decides_numbers : bool
        False if the module says ``DECIDES_NUMBERS = False``; see :mod:`experiments.engine.code`.
    """

    digest: str
    imports: tuple[ast.Import | ast.ImportFrom, ...]
    decides_numbers: bool


def meaning_of(source: bytes | str) -> Meaning:
    """Read the source of a Python module."""
    tree = _WithoutLooks().visit(ast.parse(source))
    statements = [_written(statement) for statement in tree.body]
    text = "\n".join(statements).encode("utf-8", "surrogatepass")
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return Meaning(hashlib.sha256(text).hexdigest(), tuple(imports), _MARK not in statements)


class _WithoutLooks(ast.NodeTransformer):
    """Removes from a tree all that does not change the numbers."""

    _in_class = False

    def visit_Pass(self, node):
        return None

    def visit_Expr(self, node):
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_If(self, node):
        negated = isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
        test = node.test.operand if negated else node.test
        if getattr(test, "id", getattr(test, "attr", "")) != "TYPE_CHECKING":
            return self.generic_visit(node)
        block = ast.Module(node.body if negated else node.orelse, [])
        self.generic_visit(block)
        return block.body

    def visit_ImportFrom(self, node):
        return None if node.module in _FOR_ANNOTATIONS and not node.level else node

    def visit_FunctionDef(self, node):
        outer, self._in_class = self._in_class, isinstance(node, ast.ClassDef)
        self.generic_visit(node)
        self._in_class = outer
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def visit_arg(self, node):
        return ast.arg(node.arg)

    def visit_AnnAssign(self, node):
        if self._in_class:
            return self.generic_visit(node)
        return self.visit(ast.Assign([node.target], node.value)) if node.value else None

    def visit_FormattedValue(self, node):
        self.generic_visit(node)
        if not getattr(node.format_spec, "values", True):
            node.format_spec = None  # as if no colon were there
        return node

    def visit_JoinedStr(self, node):
        """Join constant texts, which versions of Python part at other places."""
        self.generic_visit(node)
        values: list[Any] = []
        for is_text, parts in groupby(node.values, lambda part: isinstance(part, ast.Constant)):
            if not is_text:
                values += parts
            elif text := "".join(part.value for part in parts):
                values.append(ast.Constant(text))
        return ast.JoinedStr(values)


def _written(node) -> str:
    """The text of a tree; that of :func:`ast.dump` depends on the version of Python."""
    if isinstance(node, list):
        return f"[{', '.join(map(_written, node))}]"
    if not isinstance(node, ast.AST):
        return ascii(node)
    fields = [(name, getattr(node, name, None)) for name in node._fields if name not in _SILENT]
    said = [f"{name}={_written(value)}" for name, value in fields if value not in (None, [])]
    return f"{type(node).__name__}({', '.join(said)})"


_MARK = _written(ast.parse("DECIDES_NUMBERS = False").body[0])

_C_TEXT = rb"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"


def c_without_looks(source: bytes) -> bytes:
    """A C source without comments, with one space or one end of line for all white space."""

    def replace(pattern, by, text):
        return re.sub(rb"(%b)|%b" % (_C_TEXT, pattern), lambda m: m[1] or by, text, flags=re.DOTALL)

    joined = re.sub(rb"\\\r?\n", b"", source)
    bare = replace(rb"//[^\n]*|/\*.*?\*/", b" ", joined)
    return replace(rb"[^\S\n]+", b" ", replace(rb"\s*\n\s*", b"\n", bare)).strip()


def digest_of_c(source: bytes) -> str:
    """64 hexadecimal digits: the digest of a C source without its looks."""
    return hashlib.sha256(c_without_looks(source)).hexdigest()
