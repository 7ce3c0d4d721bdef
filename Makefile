# Needs git, make and Python 3.11 or newer; everything else comes from requirements.lock.
PYTHON ?= python3
UV ?= uv
VENV := .venv
BIN := $(VENV)/bin
# The environment is made anew whenever this copy differs from requirements.lock.
STAMP := $(VENV)/requirements.lock
# One process per core already: a threaded BLAS beside it would only contend.
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1
WORKERS ?= 2

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test reproduce compare lint lock bench clean

help: ## say what can be made
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /make \1\t/' | expand -t 14

$(STAMP): requirements.lock
	@if cmp -s requirements.lock $@; then touch $@; else $(MAKE) --no-print-directory .install; fi

.PHONY: .install
.install:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is \
	needed, and $(PYTHON) is `$(PYTHON) --version 2>&1`; name another: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' || { echo "$(PYTHON) cannot make virtual environments; \
	install its venv package (Debian: python3-venv) or name another: make PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@# `from manifest import ManiFeSt` works in this environment, whatever folder it is called from.
	@echo '$(CURDIR)' > "`$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'`/manifest-fs.pth"
	@cp requirements.lock $(STAMP)

run: $(STAMP) ## the XOR-100 experiment of the paper: table and figure
	$(BIN)/python run.py experiment=xor100 profile=paper

test: $(STAMP) ## every test
	$(ONE_THREAD) $(BIN)/python -m pytest -q -n $(WORKERS)

reproduce: $(STAMP) ## run again what takes minutes and compare with results/; DATA=FOLDER names the data
	$(BIN)/python scripts/reproduce.py $(if $(DATA),--data $(DATA))

compare: $(STAMP) ## the paper's claims beside results/: a table, and results/index.html
	$(BIN)/python scripts/compare.py

lint: $(STAMP) ## style, format and types
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy

lock: ## resolve requirements.lock anew from pyproject.toml (needs uv)
	$(UV) pip compile --quiet --upgrade --universal --python-version 3.11 --all-extras \
	  --generate-hashes --no-header --no-annotate --output-file requirements.lock pyproject.toml

bench: $(STAMP) ## speed and memory, as ratios against a reference in the same run
	@set -e; for script in $(sort $(wildcard benchmarks/bench_*.py)); do \
	  echo "== $$script"; $(BIN)/python $$script; done

clean: ## remove the environment and the caches, never results
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
