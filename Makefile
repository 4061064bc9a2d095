# `make test` is what the README and CI run; every target installs what it needs first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: test lint types contract unit coverage compare bench golden tables clean

test: lint types contract unit coverage

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,train,cluster]'
	touch $@

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

contract: $(STAMP)
	$(BIN)/lint-imports

# Machine code is made once before the tests share it.
unit: $(STAMP)
	$(BIN)/python -m tests.warming
	$(BIN)/python -m pytest -n 2 --dist worksteal

# The same tests once more as plain Python, so that coverage sees inside the rules.
coverage: $(STAMP)
	rm -f .coverage .coverage.*
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run -m pytest -q -m "not compiled"
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report

# The engine against the reference implementation, many more games than `make test` compares.
compare: $(STAMP)
	$(BIN)/python -m tests.comparing --games 100000

bench: $(STAMP)
	$(BIN)/olb bench

# Write the golden games and the tables of the documentation anew, after a change that is meant.
golden: $(STAMP)
	$(BIN)/python -m tests.golden_games

tables: $(STAMP)
	$(BIN)/python -m tests.tables

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage .coverage.* .import_linter_cache
