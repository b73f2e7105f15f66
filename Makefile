# Two commands on a fresh machine: `make solve` and `make test`. All that they need beyond
# Python >= 3.11 (with venv) goes into $(VENV).

PYTHON ?= python3
VENV ?= .venv
BOARD ?= instances/seeds/fifteen.puz
BIN := $(VENV)/bin

.PHONY: solve test test-slow check benchmark clean

solve: $(VENV)/installed
	@$(BIN)/plansolve "$(BOARD)" --optimal

test: check
	$(BIN)/python -m pytest -n auto

test-slow: check
	$(BIN)/python -m pytest -n auto -m "slow or not slow"

check: $(VENV)/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

benchmark: $(VENV)/installed
	$(BIN)/python benchmarks/kernel.py
	$(BIN)/python benchmarks/search.py
	$(BIN)/python benchmarks/sat.py

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "plansolve needs Python 3.11 or later; name one: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/installed-dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
