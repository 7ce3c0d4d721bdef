"""The meaning of a source, whatever it looks like: digests of syntax, equal on every Python.

Two sources of a Python module that differ in comments, blank lines, docstrings or annotations
compute the same numbers, so their digests are equal; so are those of two sources of a C file that
differ in comments and white space. Not part of a Python module's digest are positions, bare
constants, ``pass``, ``if TYPE_CHECKING:``, names from `typing` and its like that are not used
otherwise, and annotations, unless they stand in the body of a class, where dataclasses read them.

The tree is written down here, and not by :func:`ast.dump`, whose text depends on the version.
"""

import ast
import hashlib
import re
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple, cast

#: The constant by which a module says that it decides no numbers, or only those of units whose
#: parameter of a name is not None: see :mod:`experiments.engine.code`.
MARK = "DECIDES_NUMBERS"

#: Imports from these are no part of a digest where only annotations use them.
_FOR_ANNOTATIONS = frozenset({"typing", "collections.abc", "numpy.typing"})
#: Fields of nodes that tell nothing, or that only some versions of Python have where nothing is.
_SILENT = frozenset({"ctx", "kind", "returns", "type_comment"})
_BLOCKS = frozenset({"body", "orelse", "finalbody"})


class Meaning(NamedTuple):
    """The parts of a Python module that matter.

    Attributes
    ----------
    digest : str
        64 hexadecimal digits.
    imports : tuple of ast.Import and ast.ImportFrom
        Wherever they stand, but for those that only a type checker sees.
    mark : bool or str
        The value of the module's `DECIDES_NUMBERS`: True where it has none.
    takes : frozenset of str
        The names of the parameters of its functions.
    gives : frozenset of str
        The names to which a call, a default or a dictionary gives a value other than None.
    """

    digest: str
    imports: tuple[ast.Import | ast.ImportFrom, ...]
    mark: bool | str
    takes: frozenset[str]
    gives: frozenset[str]


def meaning_of(source: bytes | str) -> Meaning:
    """Read the source of a Python module."""
    tree = ast.parse(source)
    writer = _Writer()
    writer.visit(tree)
    return Meaning(
        hashlib.sha256(writer.text().encode("utf-8", "surrogatepass")).hexdigest(),
        tuple(writer.imports),
        _mark(tree),
        frozenset(writer.takes),
        frozenset(writer.gives),
    )


def _mark(tree):
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            value = node.value.value
            named = any(isinstance(t, ast.Name) and t.id == MARK for t in node.targets)
            if named and (value is False or isinstance(value, str)):
                return value
    return True


@cache
def _fields(kind):
    """The fields of a kind of node that are written."""
    return sorted(name for name in kind._fields if name not in _SILENT)


class _Writer(ast.NodeVisitor):
    """Writes a tree down, node by node, and collects what `Meaning` has besides the digest."""

    def __init__(self):
        self.parts: list[str] = []
        self.imports: list[ast.Import | ast.ImportFrom] = []
        self.takes: set[str] = set()
        self.gives: set[str] = set()
        self._names: set[str] = set()
        self._for_annotations: list[tuple[int, ast.ImportFrom]] = []
        self._in_class = False

    def text(self) -> str:
        """The whole text; of imports for annotations, the names that are used otherwise."""
        for place, node in self._for_annotations:
            used = [name for name in node.names if (name.asname or name.name) in self._names]
            names = ", ".join(f"{name.name} as {name.asname}" for name in used)
            self.parts[place] = f"{node.module}: {names}" if used else ""
        return "\0".join(filter(None, self.parts))

    def generic_visit(self, node):
        """Write a node: its kind, and its fields that say something."""
        put, kind = self.parts.append, cast(Any, type(node))
        put(kind.__name__)
        for name in _fields(kind):
            value = getattr(node, name, None)
            if value is None or value == []:
                continue
            put(name)
            if type(value) is list:
                self._list(name, value)
            elif isinstance(value, ast.AST):
                self.visit(value)
            else:
                put(_constant(value))
        put(")")

    def _list(self, name, values):
        start = len(self.parts)
        for value in values:
            if isinstance(value, ast.stmt):
                self._statement(value)
            elif isinstance(value, ast.AST):
                self.visit(value)
            else:  # a name, or None where a parameter has no default
                self.parts.append(_constant(value))
        if len(self.parts) > start:
            self.parts.append("]")
        elif name in _BLOCKS:  # nothing of the block was left
            self.parts.pop()

    def _statement(self, node):
        kind = type(node)
        if kind is ast.Pass or (kind is ast.Expr and type(node.value) is ast.Constant):
            return
        if kind is ast.If and (block := _block_at_run_time(node)) is not None:
            for inner in block:
                self._statement(inner)
        elif kind is ast.AnnAssign and not self._in_class:
            if node.value is not None:
                self.visit(ast.Assign([node.target], node.value))
        else:
            self.visit(node)

    def visit_Name(self, node):
        self._names.add(node.id)
        self.parts += ("Name", node.id)

    def visit_Constant(self, node):
        self.parts.append(_constant(node.value))

    def visit_Attribute(self, node):
        self.visit(node.value)
        self.parts += ("Attribute", node.attr)

    def visit_Import(self, node):
        self.imports.append(node)
        self.generic_visit(node)

    def visit_ImportFrom(self, node):
        if node.module not in _FOR_ANNOTATIONS or node.level:
            return self.visit_Import(node)
        self.imports.append(node)
        self._for_annotations.append((len(self.parts), node))
        self.parts.append("")

    def visit_FunctionDef(self, node):
        outer, self._in_class = self._in_class, type(node) is ast.ClassDef
        self.generic_visit(node)
        self._in_class = outer

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def visit_arg(self, node):
        self.takes.add(node.arg)
        self.parts += ("arg", node.arg)

    def visit_arguments(self, node):
        listed = [*node.posonlyargs, *node.args]
        with_default = [*listed[len(listed) - len(node.defaults) :], *node.kwonlyargs]
        for arg, value in zip(with_default, [*node.defaults, *node.kw_defaults], strict=True):
            self._give(arg.arg, value)
        self.generic_visit(node)

    def visit_keyword(self, node):
        self._give(node.arg, node.value)
        self.generic_visit(node)

    def visit_Dict(self, node):
        for key, value in zip(node.keys, node.values, strict=True):
            self._give(getattr(key, "value", None), value)
        self.generic_visit(node)

    def _give(self, name, value):
        is_none = value is None or (isinstance(value, ast.Constant) and value.value is None)
        if isinstance(name, str) and not is_none:
            self.gives.add(name)

    def visit_FormattedValue(self, node):
        if isinstance(node.format_spec, ast.JoinedStr) and not any(
            getattr(part, "value", None) for part in node.format_spec.values
        ):
            node.format_spec = None  # as if no colon were there
        self.generic_visit(node)

    def visit_JoinedStr(self, node):
        """An f-string: versions of Python part its constant texts at other places."""
        self.parts.append("JoinedStr")
        for is_text, values in groupby(node.values, lambda v: isinstance(v, ast.Constant)):
            if not is_text:
                for value in values:
                    self.visit(value)
            elif text := "".join(str(value.value) for value in values):
                self.parts.append(_constant(text))
        self.parts.append(")")


def _constant(value) -> str:
    """A constant with its type; texts with their length, so that nothing in them can mislead."""
    if isinstance(value, str):
        return f"{len(value)}:{value}"
    if isinstance(value, bytes):
        return f"bytes {value.hex()}"
    if type(value) is int:
        return f"int {value:x}"
    return f"{type(value).__name__} {value!r}"


def _block_at_run_time(node: ast.If):
    """The statements that run of an ``if`` that asks for a type checker; None of another one."""
    test, negated = node.test, False
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, negated = test.operand, True
    name = test.id if isinstance(test, ast.Name) else getattr(test, "attr", None)
    if name != "TYPE_CHECKING":
        return None
    return node.body if negated else node.orelse


_TOKEN = re.compile(
    rb"""
      (?P<space> (?: [ \t\f\v\r] | //[^\n]* | /\*.*?\*/ )+ )
    | (?P<end> \n )
    | (?P<token>
          (?: u8 | [uUL] )? " (?: \\. | [^"\\\n] )* "
        | [uUL]? ' (?: \\. | [^'\\\n] )* '
        | \.?[0-9] (?: [eEpP][+-] | [\w.] )*
        | \w+
        | %:%: | \.\.\. | <<= | >>= | << | >> | <= | >= | == | != | \#\# | && | \|\|
        | -> | \+\+ | --
        | [-+*/%&^|]= | <: | :> | <% | %> | %:
        | .
      )
    """,
    re.VERBOSE | re.DOTALL,
)


def tokens_of(source: bytes) -> list[bytes]:
    """The tokens of a C source; an empty one ends each directive of the preprocessor.

    Comments and white space are left out, but for the one place where white space has a meaning:
    behind a macro's name, where it tells a value in parentheses from parameters.
    """
    tokens: list[bytes] = []
    directive: list[bytes] | None = []  # the tokens of the line so far; None if it is no directive
    after_space = False
    for match in _TOKEN.finditer(re.sub(rb"\\\r?\n", b"", source)):
        kind, token = match.lastgroup, match.group()
        if kind == "end":
            if directive:
                tokens.append(b"")
            directive = []
        elif kind == "token":
            if directive == [] and token not in (b"#", b"%:"):
                directive = None
            if directive is not None:
                is_name = len(directive) == 3 and directive[1] == b"define" and not after_space
                token = b"parameters(" if is_name and token == b"(" else token
                directive.append(token)
            tokens.append(token)
            after_space = False
        after_space |= kind == "space"
    return tokens


def digest_of_c(source: bytes) -> str:
    """64 hexadecimal digits: the digest of the tokens of a C source."""
    return hashlib.sha256(b"\n".join(tokens_of(source))).hexdigest()
