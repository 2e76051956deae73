# Set-up and all chores. Needs git, make and python3 (3.11 or later, with venv and pip).
# Versions are those of constraints.txt.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore $(BIN)/python -m pip
INSTALL := $(PIP) install --quiet -c constraints.txt
WORKERS ?= 2

DEMO_POLICIES := append,recent-first,required-first,prune,clear-tool-results,auto
DEMO_BUDGETS := 100%,70%,50%,25%
DEMO_LONGEST := examples/sessions/ledger-fix.anthropic.json
DEMO_FILES = $(sort $(filter-out %.md,$(wildcard examples/sessions/*)))

.PHONY: help demo test test-slow test-all conformance bench lint format format-check types docs lock clean

help: ## what there is
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# -- the environment: one stamp file for each set of packages ---------------------------------

$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed") if sys.version_info < (3, 11) else None'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# The build backend is installed first, so that it is pinned too.
$(VENV)/core: $(VENV)/made pyproject.toml constraints.txt
	@$(INSTALL) hatchling editables
	@$(INSTALL) --no-build-isolation -e .
	@touch $@

$(VENV)/test: $(VENV)/core
	@$(INSTALL) --no-build-isolation -e '.[test]'
	@touch $@

$(VENV)/bench: $(VENV)/test
	@$(INSTALL) --no-build-isolation -e '.[test,bench]'
	@touch $@

# -- what people run --------------------------------------------------------------------------

demo: $(VENV)/core ## install, and compare policies on the bundled sessions
	@mkdir -p demo-out
	@$(BIN)/trimtab compare $(DEMO_FILES) --policies $(DEMO_POLICIES) --budgets $(DEMO_BUDGETS) \
		--svg demo-out/compare.svg --html demo-out/compare.html
	@$(BIN)/trimtab inspect $(DEMO_LONGEST) --html demo-out/inspect.html >/dev/null
	@printf '\nWritten:\n  demo-out/compare.svg   the chart\n  demo-out/compare.html  the same as a page\n'
	@printf '  demo-out/inspect.html  what fills the window of %s\n' '$(DEMO_LONGEST)'

test: $(VENV)/test ## every test but the long ones
	@$(BIN)/python -m pytest -n $(WORKERS) -m 'not slow'

test-slow: $(VENV)/test ## the long tests alone
	@$(BIN)/python -m pytest -n $(WORKERS) -m slow
	@TRIMTAB_THOROUGH=1 $(BIN)/python -m pytest -n $(WORKERS) tests/test_policies_valid.py \
		tests/test_turnwise.py tests/test_repair.py

test-all: $(VENV)/test ## every test, the long ones too
	@TRIMTAB_THOROUGH=1 $(BIN)/python -m pytest -n $(WORKERS)

conformance: $(VENV)/test ## the public compaction suite, and our own variant, on `compact`
	@$(BIN)/python -m bench.conformance

bench: $(VENV)/bench ## measure what it costs; writes bench/results.json and bench/RESULTS.md
	@$(BIN)/python -m bench

lint: $(VENV)/test ## the linter
	@$(BIN)/ruff check .

format: $(VENV)/test ## format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix --quiet .

format-check: $(VENV)/test ## is the code formatted?
	@$(BIN)/ruff format --check .

types: $(VENV)/test ## the type checker
	@$(BIN)/mypy

docs: $(VENV)/core ## write the generated parts of docs/ anew
	@$(BIN)/python -m docs

lock: ## write constraints.txt anew, with the newest versions that pyproject.toml allows
	@rm -rf build/lock && mkdir -p build
	@$(PYTHON) -m venv build/lock
	@build/lock/bin/python -m pip install --quiet --upgrade hatchling editables
	@build/lock/bin/python -m pip install --quiet --no-build-isolation -e '.[test,bench,all]'
	@{ echo '# Exact versions of all that trimtab, its tests and its benchmark need: make lock'; \
		build/lock/bin/python -m pip freeze --exclude-editable; } > constraints.txt
	@rm -rf build/lock

clean: ## remove all that is generated and not committed
	@rm -rf $(VENV) build dist demo-out .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
