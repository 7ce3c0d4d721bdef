"""What a result came from: config, code, versions, machine, revision and data."""

import platform
import subprocess
from importlib import metadata
from pathlib import Path

from omegaconf import DictConfig, OmegaConf
from threadpoolctl import threadpool_info

from experiments.engine.parallel import available_cores

PACKAGES = ("numpy", "scipy", "scikit-learn", "skfeature-chappers", "pandas", "hydra-core")
#: Packages of extras, which are listed where they are installed.
OPTIONAL = ("xgboost-cpu", "xgboost")


def provenance(config: DictConfig, data: dict, **findings) -> dict:
    """Everything needed to tell two results apart, as JSON values.

    Parameters
    ----------
    config : DictConfig
        The composed config of the run.
    data : dict
        Name, fingerprint and source of the samples.
    **findings
        The digest of the code, the time and memory of the run, and counts of its units.
    """
    return {
        "experiment": config.name,
        "profile": config.profile.name,
        "seed": config.seed,
        "data": without_folders(data),
        **findings,
        "git": revision(),
        "python": platform.python_version(),
        "packages": versions(),
        "blas": [
            {key: library.get(key) for key in ("internal_api", "version", "architecture")}
            for library in threadpool_info()
            if library.get("user_api") == "blas"
        ],
        "machine": {
            "system": f"{platform.system()} {platform.machine()}",
            "processor": processor(),
            "cores": available_cores(),
        },
        "config": without_folders(OmegaConf.to_container(config, resolve=True)),
    }


def without_folders(value):
    """Texts with absolute paths cut to file names: a result is read on other machines."""
    if isinstance(value, dict):
        return {key: without_folders(inner) for key, inner in value.items()}
    if not isinstance(value, str):
        return value
    words = (word.rpartition("/")[2] if word.startswith("/") else word for word in value.split())
    return " ".join(words)


def revision() -> str | None:
    """The git commit of this checkout, marked where files differ from it; None outside git."""
    root = Path(__file__).parents[1]

    def git(*arguments):
        answer = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True
        )
        return answer.stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no")
        return git("rev-parse", "HEAD") + (" with changes" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def processor() -> str:
    """The processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor())


def versions() -> dict[str, str]:
    """The versions of the packages that results rest on."""
    installed = {distribution.name for distribution in metadata.distributions()}
    return {
        name: metadata.version(name)
        for name in (*PACKAGES, *(name for name in OPTIONAL if name in installed))
    }
