"""The work of a run, whatever it is: units, their store, workers, progress and seeds."""

from experiments.engine import code

code.record_imports()
