"""Figures, one module for each: it reads the tables of a run and returns matplotlib figures.

A figure module has ``draw(folder) -> dict of file stem to Figure``. Figures show what the tables
hold; they compute nothing new.
"""

from experiments.report.figures.style import draw, names

__all__ = ["draw", "names"]
