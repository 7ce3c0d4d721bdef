"""What a source says, whatever it looks like: digests of syntax, the same on every Python.

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
from typing import NamedTuple

#: The constant by which a module says that it decides no numbers, or only those of units whose
#: parameter of a name is not None: see :mod:`experiments.engine.code`.
MARK = "DECIDES_NUMBERS"

#: Imports from these are no part of a digest where only annotations use them.
_FOR_ANNOTATIONS = frozenset({"typing", "collections.abc", "numpy.typing"})
#: Fields of nodes that tell nothing, or that only some versions of Python have where nothing is.
_SILENT = frozenset({"ctx", "kind", "returns", "type_comment"})
_BLOCKS = frozenset({"body", "orelse", "finalbody"})


class Meaning(NamedTuple):
    """What matters of a Python module.

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
    """What matters of the source of a Python module."""
    tree = ast.parse(source)
    writer = _Writer()
    writer.write(tree)
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


class _Writer:
    """Writes a tree down, node by node, and notes what else is to be known on the way."""

    def __init__(self):
        self.parts: list[str] = []
        self.imports: list[ast.Import | ast.ImportFrom] = []
        self.takes: set[str] = set()
        self.gives: set[str] = set()
        self._names: set[str] = set()
        self._for_annotations: list[tuple[int, ast.ImportFrom]] = []
        self._in_class = False

    def text(self) -> str:
        """All that was written."""
        for place, node in self._for_annotations:
            used = [one for one in node.names if (one.asname or one.name) in self._names]
            told = (f"{one.name} as {one.asname}" for one in used)
            self.parts[place] = f"{node.module}: {', '.join(told)}" if used else ""
        return "\0".join(filter(None, self.parts))

    def write(self, node) -> None:
        """Write a node: its kind, and its fields that say something."""
        special = _SPECIAL.get(type(node))
        if special is None or special(self, node):
            self._fields(node)

    def _fields(self, node):
        kind = type(node)
        put = self.parts.append
        put(kind.__name__)
        for name in _NAMES.get(kind) or _names(kind):
            value = getattr(node, name, None)
            if value is None or value == []:
                continue
            put(name)
            if type(value) is list:
                self._list(name, value)
            elif isinstance(value, ast.AST):
                self.write(value)
            else:
                put(_told(value))
        put(")")

    def _list(self, name, values):
        start = len(self.parts)
        for value in values:
            if isinstance(value, ast.stmt):
                self._statement(value)
            elif isinstance(value, ast.AST):
                self.write(value)
            else:  # a name, or None where a parameter has no default
                self.parts.append(_told(value))
        if len(self.parts) > start:
            self.parts.append("]")
        elif name in _BLOCKS:  # nothing of the block was left
            self.parts.pop()

    def _statement(self, node):
        kind = type(node)
        if kind is ast.Pass or (kind is ast.Expr and type(node.value) is ast.Constant):
            return
        if kind is ast.If and (seen := _seen(node)) is not None:
            for inner in seen:
                self._statement(inner)
        elif kind is ast.AnnAssign and not self._in_class:
            if node.value is not None:
                self.write(ast.Assign([node.target], node.value))
        else:
            self.write(node)

    def _name(self, node):
        self._names.add(node.id)
        self.parts += ("Name", node.id)

    def _constant(self, node):
        self.parts.append(_told(node.value))

    def _attribute(self, node):
        self.write(node.value)
        self.parts += ("Attribute", node.attr)

    def _import(self, node):
        self.imports.append(node)
        if isinstance(node, ast.ImportFrom) and node.module in _FOR_ANNOTATIONS and not node.level:
            self._for_annotations.append((len(self.parts), node))
            self.parts.append("")
            return False
        return True

    def _scope(self, node):
        outer, self._in_class = self._in_class, type(node) is ast.ClassDef
        self._fields(node)
        self._in_class = outer

    def _parameter(self, node):
        self.takes.add(node.arg)
        self.parts += ("arg", node.arg)

    def _parameters(self, node):
        listed = [*node.posonlyargs, *node.args]
        values = [*node.defaults, *node.kw_defaults]
        named = [*listed[len(listed) - len(node.defaults) :], *node.kwonlyargs]
        for one, value in zip(named, values, strict=True):
            self._given(one.arg, value)
        return True

    def _keyword(self, node):
        self._given(node.arg, node.value)
        return True

    def _dictionary(self, node):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant):
                self._given(key.value, value)
        return True

    def _given(self, name, value):
        is_none = value is None or (isinstance(value, ast.Constant) and value.value is None)
        if isinstance(name, str) and not is_none:
            self.gives.add(name)

    def _formatted(self, node):
        if isinstance(node.format_spec, ast.JoinedStr) and not any(
            getattr(part, "value", None) for part in node.format_spec.values
        ):
            node.format_spec = None  # as if no colon were there
        return True

    def _joined(self, node):
        """An f-string: versions of Python part its constant texts at other places."""
        self.parts.append("JoinedStr")
        text = ""
        for value in node.values:
            if isinstance(value, ast.Constant):
                text += str(value.value)
                continue
            if text:
                self.parts.append(_told(text))
            text = ""
            self.write(value)
        if text:
            self.parts.append(_told(text))
        self.parts.append(")")


#: What is written otherwise than by its fields, or noted before it is (these return True).
_SPECIAL = {
    ast.Name: _Writer._name,
    ast.Constant: _Writer._constant,
    ast.Attribute: _Writer._attribute,
    ast.Import: _Writer._import,
    ast.ImportFrom: _Writer._import,
    ast.ClassDef: _Writer._scope,
    ast.FunctionDef: _Writer._scope,
    ast.AsyncFunctionDef: _Writer._scope,
    ast.arg: _Writer._parameter,
    ast.arguments: _Writer._parameters,
    ast.keyword: _Writer._keyword,
    ast.Dict: _Writer._dictionary,
    ast.FormattedValue: _Writer._formatted,
    ast.JoinedStr: _Writer._joined,
}

#: The fields of a kind of node that are written.
_NAMES: dict[type, tuple[str, ...]] = {}


def _names(kind):
    _NAMES[kind] = tuple(sorted(name for name in kind._fields if name not in _SILENT))
    return _NAMES[kind]


def _told(value) -> str:
    """A constant with its type; texts with their length, so that nothing in them can mislead."""
    if isinstance(value, str):
        return f"{len(value)}:{value}"
    if isinstance(value, bytes):
        return f"bytes {value.hex()}"
    if type(value) is int:
        return f"int {value:x}"
    return f"{type(value).__name__} {value!r}"


def _seen(node: ast.If):
    """The statements of an ``if`` that run, where it asks for a type checker; else None."""
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
    found: list[bytes] = []
    line: list[bytes] | None = []  # its tokens so far, where it may be a directive
    apart = False
    for match in _TOKEN.finditer(re.sub(rb"\\\r?\n", b"", source)):
        kind, token = match.lastgroup, match.group()
        if kind == "space":
            apart = True
            continue
        if kind == "end":
            if line:
                found.append(b"")
            line = []
            continue
        if line == [] and token not in (b"#", b"%:"):
            line = None
        if line is not None:
            if token == b"(" and not apart and len(line) == 3 and line[1] == b"define":
                token = b"parameters("
            line.append(token)
        found.append(token)
        apart = False
    return found


def digest_of_c(source: bytes) -> str:
    """64 hexadecimal digits: the digest of the tokens of a C source."""
    return hashlib.sha256(b"\n".join(tokens_of(source))).hexdigest()
