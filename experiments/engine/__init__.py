"""How work is done, whatever the work is: units, their store, workers, progress and seeds."""

from experiments.engine import code

code.record_imports()
