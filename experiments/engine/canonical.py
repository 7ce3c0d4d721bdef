"""The text of nested values, for keys and for the names of random streams."""

import json


def canonical_json(value) -> str:
    """The JSON text of nested values, the same for equal ones."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
