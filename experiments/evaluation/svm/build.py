"""Compile the C solver: ``python -m experiments.evaluation.svm.build``, which `make` runs.

The library lies beside its source. Its name holds a digest of the source and of the processor's
instructions, so that a library of another source, or of another machine, is not loaded.
"""

import hashlib
import os
import platform
import shlex
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("smo.c")
# Contraction would round a product and a sum at once; libsvm's wheels round twice.
FLAGS = "-std=c11 -shared -fPIC -fopenmp-simd -ffp-contract=off -fno-math-errno -fno-trapping-math"
# The first that the compiler knows is taken; the instructions of this processor are half the gain.
LEVELS = ("-O3 -march=native", "-O3")


def library() -> Path:
    """The path of the library of this source and this processor."""
    known = [SOURCE.read_bytes(), FLAGS, LEVELS, platform.system(), _instructions()]
    digest = hashlib.sha256(repr(known).encode()).hexdigest()
    return SOURCE.with_name(f"smo.{digest[:16]}.so")


def _instructions() -> list[str]:
    """What Linux says of the processor's instructions; elsewhere the processor's name."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    parts = (line.partition(":") for line in lines)
    said = {value.strip() for key, _, value in parts if key.strip() in ("flags", "Features")}
    return sorted(said) or [platform.processor()]


def compile_library() -> str:
    """Compile the library if it is not there; the sentence says what was done, if anything."""
    target = library()
    if target.exists():
        return ""
    compiler = shlex.split(os.environ.get("CC") or "cc")
    part = target.with_suffix(f".part-{os.getpid()}")
    reason = ""
    for level in LEVELS:
        command = [*compiler, *level.split(), *FLAGS.split(), str(SOURCE), "-o", str(part), "-lm"]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
        except (OSError, subprocess.SubprocessError) as error:
            reason = str(getattr(error, "stderr", None) or error).strip()[-300:]
        else:
            part.replace(target)
            return f"{SOURCE.name} is compiled: {target}"
    return f"{SOURCE.name} is not compiled, and SVC takes its place, more slowly: {reason}"


if __name__ == "__main__":
    if said := compile_library():
        print(said)
