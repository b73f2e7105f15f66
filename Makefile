# Two commands on a fresh machine: `make solve` and `make test`. All that they need beyond
# Python >= 3.11 (with venv) goes into $(VENV).

PYTHON ?= python3
VENV ?= .venv
BOARD ?= instances/seeds/fifteen.puz
BIN := $(VENV)/bin
# Tests that follow one another share tables and compiled code, so each process begins with a run of
# them, and takes from others' when it is done. The command starts more than a thousand times, each
# of which would compile its modules anew where byte code may not be kept.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n auto --dist worksteal --durations 15

.PHONY: solve smoke test test-slow check check-format check-lint check-types check-imports benchmark docs package clean

solve: $(VENV)/warm
	@$(BIN)/plansolve "$(BOARD)" --optimal

# Less than a minute, for the loop of change and test.
smoke: $(VENV)/installed-dev
	$(PYTEST) tests/smoke tests/unit/model tests/unit/formats tests/unit/puzzles

test: check
	$(PYTEST)

test-slow: check
	$(PYTEST) -m "slow or not slow"

check: $(VENV)/installed-dev
	@$(MAKE) --no-print-directory --jobs 4 --output-sync check-format check-lint check-types check-imports

check-format: $(VENV)/installed-dev
	$(BIN)/ruff format --check .

check-lint: $(VENV)/installed-dev
	$(BIN)/ruff check .

check-types: $(VENV)/installed-dev
	$(BIN)/mypy

check-imports: $(VENV)/installed-dev
	$(BIN)/lint-imports --no-logo

# A quarter of an hour; benchmark.html is the page, benchmark.json the figures for a later --against.
benchmark: $(VENV)/installed
	$(BIN)/python benchmarks/page.py

# The pages are in build/docs. A warning is an error, and so is a reference that leads nowhere.
docs: $(VENV)/installed-docs
	$(BIN)/sphinx-build --quiet --fail-on-warning --nitpicky --keep-going docs build/docs
	@echo "build/docs/index.html"

# Wheel and source distribution, tried where nothing else of the repository is.
package: $(VENV)/installed-dev
	$(BIN)/python .ci/check_package.py dist

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "plansolve needs Python 3.11 or later; name one: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

# Once: what is made is kept in the user's cache folder.
$(VENV)/warm: | $(VENV)/installed
	@$(BIN)/plansolve tables warm "$(BOARD)"
	@touch $@

$(VENV)/installed-dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@ $(VENV)/installed

$(VENV)/installed-docs: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	@touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
