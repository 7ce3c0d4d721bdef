"""Own tables: which features differ between the classes, and can the class be predicted?

Only :mod:`experiments.run` imports this room; the replication reads without it.
"""

from experiments.table.run import outputs, validate

__all__ = ["outputs", "validate"]
