"""One module a figure: each reads the tables of a run's folder and returns matplotlib figures.

A figure module has ``draw(folder) -> dict of file stem to Figure``. Nothing is computed here that a
reader of the tables could not see in them.
"""

from experiments.report.figures.style import draw, names

__all__ = ["draw", "names"]
