"""Compile the C solver: ``python -m experiments.evaluation.svm.build``, which `make` runs.

The library is written beside its source. Its name has a digest of the source and of the processor's
instructions, so that a library of another source or machine is not loaded.
"""

import hashlib
import os
import platform
import shlex
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("smo.c")
# Contraction would round a product and a sum together; the wheels of libsvm round twice.
FLAGS = "-std=c11 -shared -fPIC -fopenmp-simd -ffp-contract=off -fno-math-errno -fno-trapping-math"
# The first option that the compiler knows is used. Native instructions bring half of the speed-up.
LEVELS = ("-O3 -march=native", "-O3")


def library() -> Path:
    """Return the path of the library for this source and this processor."""
    known = [SOURCE.read_bytes(), FLAGS, LEVELS, platform.system(), processor("flags", "Features")]
    digest = hashlib.sha256(repr(known).encode()).hexdigest()
    return SOURCE.with_name(f"smo.{digest[:16]}.so")


def processor(*keys: str) -> list[str]:
    """Return what Linux says of the processor below some keys; elsewhere the name of it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    found = set()
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() in keys:
            found.add(value.strip())
    return sorted(found) or [platform.processor()]


def compile_library() -> str:
    """Compile the library if it does not exist; return a sentence about it."""
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
    if message := compile_library():
        print(message)
