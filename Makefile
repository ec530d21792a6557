# On a machine with Python >= 3.10 (with its headers), a C++17 compiler and make, each of these does everything,
# from making .venv to the last line of the report:
#
#   make test        ruff, clang-format, pytest
#   make validate    the validation cases; the report is report/index.html
#   make bench       speed against LAMMPS's own styles (about 20 minutes on a quiet machine)
#   make manual      the manual as web pages, build/manual/index.html
#   make format      bring all sources into the project's form
#   make clean       remove all that was made here

PYTHON ?= python3
TIER ?= quick
JOBS ?= $(shell nproc)

BIN := $(CURDIR)/.venv/bin
CPP := $(shell find lammps_plugins -name '*.h' -o -name '*.cpp')
PACKAGED := pyproject.toml CMakeLists.txt $(wildcard cmake/*) $(CPP) $(shell find lammps_plugins -name '*.py')

export PATH := $(BIN):$(PATH)
export OMP_NUM_THREADS := 1
unexport PYTHONPATH LAMMPS_PLUGIN_PATH

.PHONY: test lint validate bench manual fuzz test-install format clean

test: lint
	pytest

lint: .venv/installed
	ruff check
	ruff format --check
	@clang-format --dry-run --Werror $(CPP)

validate: .venv/installed
	pysuite validate --tier $(TIER) --report report --jobs $(JOBS)

bench: .venv/installed
	pysuite bench --report report --document docs/performance.md

manual: .venv/installed
	NO_MKDOCS_2_WARNING=1 mkdocs build --config-file docs/site/mkdocs.yml

fuzz: .venv/installed
	python -m tests.fuzz --lines 20000

# as a user installs it, not editable, in an environment of its own
test-install:
	$(PYTHON) -m venv --clear build/venv
	build/venv/bin/pip install --quiet '.[test]'
	build/venv/bin/pytest tests/suite/test_install.py

format: .venv/installed
	ruff check --fix
	ruff format
	@clang-format -i $(CPP)

# Python files are used where they lie; only what is compiled is installed again when it changes
.venv/installed: $(PACKAGED)
	$(PYTHON) -m venv .venv
	@echo "Building granular/plus and installing it with its dependencies into .venv"
	.venv/bin/pip install --quiet --editable '.[test]'
	touch $@

clean:
	rm -rf .venv build report .pytest_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
