"""Get data sets from OpenML, files or generators: verified, cached, in canonical order."""

from experiments.datasets.dataset import DataError, Dataset
from experiments.datasets.generators import GENERATORS, Sample, generate
from experiments.datasets.loading import load

__all__ = ["GENERATORS", "DataError", "Dataset", "Sample", "generate", "load"]
