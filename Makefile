# Needs git, make and Python 3.11 or newer; everything else comes from the two locks.
PYTHON ?= python3
UV ?= uv
VENV := .venv
BIN := $(VENV)/bin
# An environment is made anew whenever its copy of a lock differs from the lock. CORE runs experiments;
# ALL adds every extra, the tests and the checks.
CORE := $(VENV)/requirements-run.lock
ALL := $(VENV)/requirements.lock
WORKERS ?= 2

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run extras test test-slow cases reproduce compare lint platforms lock docs bench clean

help: ## say what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /make \1\t/' | expand -t 17

$(CORE): requirements-run.lock
	@if cmp -s $< $@; then touch $@; else $(MAKE) --no-print-directory .install; fi

$(ALL): requirements.lock $(CORE)
	@if cmp -s $< $@; then touch $@; else $(PIP) -r $< && { $(PRECOMPILE); } && cp $< $@; fi

# Two dependencies have no wheel. They are built with the setuptools of the lock, which is installed first:
# an isolated build would fetch the newest, whatever its hash.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-compile \
	--no-build-isolation
# As pip would, but on all cores and without the tests of other packages. A file that this Python cannot
# read is one that nothing imports.
PRECOMPILE := $(BIN)/python -m compileall -qq -j 0 -x '/tests?/' $(VENV)/lib || true

.PHONY: .install
.install:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is \
	needed, and $(PYTHON) is `$(PYTHON) --version 2>&1`; name another: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' || { echo "$(PYTHON) cannot make virtual environments; \
	install its venv package (Debian: python3-venv) or name another: make PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	sed -n '/^setuptools==/,/[^\\]$$/p' requirements-run.lock | $(PIP) -r /dev/stdin
	$(PIP) -r requirements-run.lock
	@$(PRECOMPILE)
	@# `from manifest import ManiFeSt` works in this environment, whatever folder it is called from.
	@echo '$(CURDIR)' > "`$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))'`/manifest-fs.pth"
	@cp requirements-run.lock $(CORE)

# The C solver of the SVM, compiled where there is a compiler; without it runs are slower, and right.
.PHONY: .solver
.solver: $(CORE)
	@$(BIN)/python -m experiments.evaluation.svm.build

run: $(CORE) .solver ## the XOR-100 experiment of the paper: table and figure
	$(BIN)/python run.py experiment=xor100 profile=paper

extras: $(ALL) .solver ## the environment with every extra: XGBoost, jax, clusters

# A worker keeps the tests of a module, which share what they prepare. A worker that is done takes
# some of the other's.
test: $(ALL) .solver ## the tests of a contributor, in minutes
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m 'not slow'

test-slow: $(ALL) .solver ## a cluster, a browser, a sweep of all experiments; TESTS=FOLDER for a part
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m slow $(TESTS)

cases: CASES ?= ../shared/cases
cases: $(ALL) .solver ## tables from public reports of bugs, by whole runs; CASES=FOLDER
	@test -f $(CASES)/run_all.sh || { echo "make cases: the tables are no part of this repository; ask its maintainers for their folder, and give it as CASES=FOLDER" >&2; exit 2; }
	PY=$(abspath $(BIN))/python REPO=$(CURDIR) bash $(CASES)/run_all.sh
	PY=$(abspath $(BIN))/python REPO=$(CURDIR) bash $(CASES)/follow_all.sh

reproduce: $(CORE) .solver ## compute rows of results/ again, and compare; NAMES="colon arena" DATA=FOLDER SEED=1
	$(BIN)/python scripts/reproduce.py $(NAMES) $(if $(DATA),--data $(DATA)) $(if $(SEED),--seed $(SEED))

compare: $(CORE) ## the paper's claims beside results/: a table, and results/index.html
	$(BIN)/python scripts/compare.py

lint: $(ALL) ## style, format and types
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy

platforms: $(ALL) ## the types of the code on Linux, macOS and Windows
	@set -e; for platform in linux darwin win32; do echo "== $$platform"; \
	  $(BIN)/python -m mypy --platform $$platform manifest baselines experiments scripts run.py; done

COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	--group build
lock: ## resolve both locks anew from pyproject.toml (needs uv)
	$(COMPILE) --upgrade --all-extras --output-file requirements.lock pyproject.toml
	$(COMPILE) --extra experiments --constraint requirements.lock --output-file requirements-run.lock pyproject.toml

docs: $(ALL) ## the documentation as a site in outputs/site; a dead link fails
	$(BIN)/python -m mkdocs build --quiet --strict

bench: $(ALL) .solver ## speed and memory, as ratios against a reference in the same run
	@set -e; for script in $(sort $(basename $(notdir $(wildcard benchmarks/bench_*.py)))); do \
	  echo "== $$script"; $(BIN)/python -m benchmarks.$$script; done

clean: ## remove the environment and the caches, never results
	rm -f experiments/evaluation/svm/smo.*.so
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
