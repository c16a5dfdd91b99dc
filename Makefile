# make demo        the demo edition: synthetic data, figures, tables and verdicts, in minutes
# make reproduce   the full edition: the same from the real datasets
# make site        show the pages of the edition that ran last (or EDITION=...) on PORT=8000
# make report      write Snakemake's report on the edition that ran last (or EDITION=...)
# make drift       compare new results with results/ (EDITION=full for the full edition)
# make accept      accept the new results: copy them to results/
# make clean       delete everything that the workflow made, except downloads in work/raw
#
# make quick       unit tests, in less than a minute
# make test        tests of the library, in three minutes (BUDGET=SECONDS of processor time)
# make check       make demo, then all tests, including those of workflow runs, documents and results
# make lint        check style, types, imports and the workflow
# make browser     tests of pages in Chromium, and the packages that they need
# make statements  check that the pages agree with the results of make reproduce
# make faults      tests with damaged files and killed runs, for hours (RECEVAL_FAULTS=1000: fewer)
# make mutants     check whether tests detect 400 small mistakes, for hours (MUTANTS=40 SEED=2 JOBS=2)
# make minimum-versions  the library's tests with the lowest and the newest versions of its dependencies
# make bench       measure speed beside other libraries (ML_1M=FOLDER with MovieLens 1M), in 15 minutes
# make bench-short the same in half a minute, compared with the accepted ratios (ACCEPT=--accept)
# make slurm       install what runs on a Slurm cluster need (docs/cluster.md)
# make help        print this list

PYTHON ?= python3
EDITION ?= demo
MUTANTS ?= 400
SEED ?= 1
JOBS ?= 1
PORT ?= 8000
VERSIONS ?=
VENV := .venv
BIN := $(VENV)/bin
SNAKEMAKE := $(BIN)/snakemake --cores all
INSTALL := $(BIN)/python -I -m pip install --disable-pip-version-check --progress-bar off --require-hashes
$(if $(filter-out demo full,$(EDITION)),$(error EDITION is $(EDITION), but it must be demo or full))
# The edition whose run ended last: its drift report is the last thing that a run makes.
RUN_LAST = $(patsubst work/%/drift.md,%,$(firstword $(shell ls -t work/demo/drift.md work/full/drift.md 2>/dev/null)))
REPORTED = $(if $(filter file,$(origin EDITION)),$(or $(RUN_LAST),$(EDITION)),$(EDITION))

# The library of this folder, and nothing that the machine adds to what Python finds; pip installs into VENV.
export PYTHONPATH := $(CURDIR)/src
unexport PYTHONHOME PIP_PREFIX PIP_ROOT PIP_TARGET PIP_USER

# Programs of an environment name its folder, and its libraries are for one Python: made-for says which.
# Where it says something else (moved, copied, Python upgraded), or another Python is asked for, it is made
# anew. The library may run with other versions of Python: these are those that all of the lock can be installed for.
SUPPORTED := (3, 11) <= sys.version_info[:2] <= (3, 14) or sys.exit(1)
VERSION := -I -c 'import sys; print(*sys.version_info[:2])'
MADE_FOR := -I -c 'import os, pip, sys; $(SUPPORTED); \
  print(os.fsencode(os.path.realpath(sys.prefix)), *sys.version_info[:2])'
ASKED := $(if $(filter-out file,$(origin PYTHON)),$(PYTHON))
ENVIRONMENT := $(shell made_for=`$(BIN)/python $(MADE_FOR) 2>/dev/null` \
  && { ! [ -e $(VENV)/made-for ] || [ "$$made_for" = "`cat $(VENV)/made-for`" ]; } \
  $(if $(ASKED),&& [ "`$(ASKED) $(VERSION) 2>/dev/null`" = "`$(BIN)/python $(VERSION)`" ]) || echo environment)

.PHONY: environment demo quick test check faults mutants minimum-versions bench bench-short reproduce statements lint types style drift report site browser browser-packages accept slurm clean help

demo: $(VENV)/ready
	@echo "The demo takes about 1 min on two cores."
	$(SNAKEMAKE) all site --config edition=demo
	$(BIN)/receval repo drift --edition demo

# What the suites may take of the processor, in seconds; tests/processor_budget.py holds them to it.
quick: BUDGET = 70
test: BUDGET = 340
# With the tests of the whole repository, what the first run in a checkout compiles and, where there is
# something that drives a browser, the tests of pages.
check: BUDGET = $(if $(wildcard $(VENV)/lib/*/site-packages/playwright),740,600)

# The tests and their plug-ins are compiled once, whatever the environment says.
PYTEST = PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses auto --dist loadgroup --no-loadscope-reorder --budget $(BUDGET)

quick: $(VENV)/ready-to-test
	$(PYTEST) -m quick --hypothesis-profile=quick

test: $(VENV)/ready-to-test
	$(PYTEST) -m "not slow and not repository"

check: demo $(VENV)/ready-to-test
	RECEVAL_DEMO=work/demo $(PYTEST)

faults: $(VENV)/ready-to-test
	$(BIN)/python -m pytest -m "slow or hypothesis" --hypothesis-profile=faults -o faulthandler_timeout=0 \
	  --numprocesses auto --dist load

# Goes on where it was stopped.
mutants: $(VENV)/ready-to-test
	PYTHONPATH=tests $(BIN)/python -m mutants --mutants $(MUTANTS) --seed $(SEED) --jobs $(JOBS)

# VERSIONS="--versions lowest --folders data": a part of it.
minimum-versions: $(VENV)/ready-to-test
	PYTHONPATH=tests $(BIN)/python -m minimum_versions $(VERSIONS)

# Peers that are not in the lock: some beside its packages, those with other versions on their own.
PEERS := work/bench/peers
PEER_INSTALL = $(1)/bin/python -I -m pip install --disable-pip-version-check --progress-bar off

$(PEERS)/ready: benchmarks/peers.txt | $(VENV)/ready-to-test
	$(call PEER_INSTALL,$(VENV)) --no-deps --upgrade --target $(PEERS) -r benchmarks/peers.txt
	touch $@

work/bench/%/ready: | $(VENV)/ready-to-test
	$(BIN)/python -m venv work/bench/$*
	$(call PEER_INSTALL,work/bench/$*) $(PEER_$*)
	touch $@

PEER_ranx = ranx==0.3.21
PEER_lenskit = lenskit==2025.8.1

bench: $(PEERS)/ready work/bench/ranx/ready $(if $(ML_1M),work/bench/lenskit/ready)
	PYTHONPATH=$(PYTHONPATH):$(PEERS) $(BIN)/python benchmarks/bench.py --ranx work/bench/ranx/bin/python \
	  $(if $(ML_1M),--ml-1m $(ML_1M) --lenskit work/bench/lenskit/bin/python)

bench-short: $(VENV)/ready-to-test
	$(BIN)/python benchmarks/bench.py --short $(ACCEPT)

reproduce: $(VENV)/ready
	$(SNAKEMAKE) all site
	$(BIN)/receval repo drift --edition full

statements: $(VENV)/ready-to-test
	RECEVAL_ARTIFACTS="$$PWD/work/full/artifacts" $(BIN)/python -m pytest tests/studies/test_accepted_*.py

# Types take as long as all the rest.
lint: $(VENV)/ready-to-test
	$(MAKE) --no-print-directory --jobs 2 types style

types: $(VENV)/ready-to-test
	$(BIN)/mypy

style: $(VENV)/ready-to-test
	$(BIN)/ruff check .
	$(BIN)/ruff check --preview --select PLW1514 .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint
	$(BIN)/python docs/architecture/count_sizes.py

drift: $(VENV)/ready
	$(BIN)/receval repo drift --edition $(EDITION)

report: $(VENV)/ready
	$(BIN)/snakemake --report work/report.zip --config edition=$(REPORTED)

site: $(VENV)/ready
	$(SNAKEMAKE) site --config edition=$(REPORTED)
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory work/$(REPORTED)/site $(PORT)

# Chromium itself comes with the system: apt-get install chromium. Without it these tests fail here, and
# are skipped in make check.
browser-packages: $(VENV)/ready-to-test
	$(INSTALL) --quiet -r requirements.lock -r requirements-test.lock -r requirements-browser.lock

browser: browser-packages $(VENV)/ready-to-test
	RECEVAL_BROWSER=required $(BIN)/python -m pytest --numprocesses auto --dist loadgroup \
	  tests/publishing/test_site_in_a_browser.py tests/evaluation/test_report_in_a_browser.py

accept: $(VENV)/ready
	$(BIN)/receval repo accept --edition $(EDITION)

# Not for everybody: Snakemake loads its executors, and pandas with this one, whenever it starts.
slurm: $(VENV)/ready
	$(INSTALL) -r requirements.lock -r requirements-slurm.lock

help:
	@sed -n '/^$$/q; s/^#//; s/^ //; p' Makefile

clean:
	rm -rf work/demo work/full .snakemake .pytest_cache .mypy_cache .ruff_cache .hypothesis

environment:
	@$(PYTHON) -I -c 'import sys; $(SUPPORTED)' || { \
	  echo "receval needs Python 3.11 to 3.14; for other versions some dependencies cannot be installed."; \
	  echo "$(PYTHON) --version says: `$(PYTHON) --version 2>&1`. Choose another one: make PYTHON=python3.x"; exit 1; }
	@$(PYTHON) -I -c 'import ctypes, sys; sys.platform == "linux" and ctypes.CDLL("libgomp.so.1")' 2>/dev/null || { \
	  echo "This machine lacks libgomp.so.1, the library of OpenMP that the package implicit needs. Install it"; \
	  echo "(Debian, Ubuntu: apt-get install libgomp1; Fedora: dnf install libgomp), and run make again."; exit 1; }
	@# immutables, which Snakemake needs, has no wheel for 3.14.
	@$(PYTHON) -I -c 'import os, shutil, sys, sysconfig; sys.version_info < (3, 14) or ( \
	  shutil.which((os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]) and \
	  os.path.exists(sysconfig.get_path("include") + "/Python.h") \
	  ) or sys.exit(1)' || { \
	  echo "With Python 3.14, one dependency is compiled. Install a C compiler and the headers of Python (Debian, Ubuntu:"; \
	  echo "apt-get install gcc python3-dev), or choose another Python: make PYTHON=python3.13"; exit 1; }
	@case "`pwd -P`" in *[{}]*) echo "The path of this folder contains braces, which pip's build tools"; \
	  echo "treat as variables. Rename the folder."; exit 1;; esac
	@if [ -e $(VENV) ] && ! [ -e $(VENV)/made-for ] && ! [ -e $(VENV)/ready ]; then \
	  echo "$(VENV) exists, but make did not create it and cannot use it: it belongs to another Python, or has"; \
	  echo "no pip. Move it away (mv $(VENV) $(VENV)-before) and run make again, which creates a new one."; exit 1; fi
	@! [ -e $(VENV) ] || echo "$(VENV) belongs to another folder or another Python. It is created again."
	@echo "Installing all dependencies into $(VENV) (once; 280 MB from PyPI). With this, make demo takes about three minutes on two cores."
	@echo "1 of 4: creating the environment $(VENV)"
	@rm -rf $(VENV) && mkdir $(VENV) && touch $(VENV)/made-for
	@$(PYTHON) -I -m venv $(VENV)

# What the kernels import is installed first: they are compiled beside the installation of the rest, each once
# for all processes of all runs.
OF_KERNELS := cloudpickle|llvmlite|numba|numpy|pyarrow|pyyaml|scipy|threadpoolctl
COMPILE_KERNELS := $(BIN)/python -c \
  'import sys; from reproduction.workflow.jobs.kernels import compile_all; sys.exit(bool(compile_all()))'
INSTALL_RECEVAL = echo "3 of 4: installing receval" && \
  LC_ALL=C.UTF-8 $(BIN)/python -I -m pip install --disable-pip-version-check --no-deps --no-build-isolation -e .

# The mark is written last, so an interrupted installation is done again.
$(VENV)/ready: requirements.lock pyproject.toml $(ENVIRONMENT)
	@$(BIN)/python $(MADE_FOR) > $(VENV)/made-for
	@echo "2 of 4: installing requirements.lock, in two parts at the same time, and compiling numba kernels after the first"
	@# All that any library needs is in the lock, so no part has to know the other.
	@rm -f $(VENV)/outdated
	@awk '/^[^ #]/ { part = $$1 !~ /^($(OF_KERNELS))==/ } { print > ("$(VENV)/part." part) }' requirements.lock
	@# What a shell runs in the background ignores Ctrl-C, so it is ended here.
	@( trap 'kill $$own' TERM; $(INSTALL) --no-deps --no-compile -r $(VENV)/part.0 & own=$$!; \
	  wait $$own && { $(COMPILE_KERNELS) & own=$$!; wait $$own || touch $(VENV)/outdated; } ) & \
	  other=$$!; trap 'kill $$other; exit 130' INT TERM; \
	  $(INSTALL) --no-deps --no-compile -r $(VENV)/part.1 && $(INSTALL_RECEVAL); status=$$?; \
	  [ $$status != 0 ] || echo "Installed. Kernels are still being compiled, which takes a minute at most."; \
	  wait $$other && (exit $$status) || { echo "The installation failed. pip gives the reason above."; exit 1; }
	@# Python reads these paths in the encoding of each user's locale, which may lack letters of this folder's.
	@for link in $(VENV)/lib/python3*/site-packages/__editable__.receval-*.pth; do echo ../../../../src > "$$link"; done
	@# Python compiles now what many processes would compile side by side later. Some libraries have files that
	@# are no Python of this version.
	@echo "4 of 4: compiling Python modules"
	@$(BIN)/python -m compileall -q -j 0 -x /tests/ src $(VENV)/lib/python3*/site-packages || true
	@# Kernels that could not be compiled are named.
	@if [ -e $(VENV)/outdated ]; then $(BIN)/receval repo kernels; fi
	@touch $@

# What tests, style and types need besides. On some machines pip has to compile a part of it.
$(VENV)/ready-to-test: $(VENV)/ready requirements-test.lock
	@echo "Installing requirements-test.lock"
	@$(INSTALL) --no-deps -r requirements-test.lock || { echo \
	  "A dependency of the tests is missing. pip gives the reason above. make demo, reproduce, site and report do not need it."; exit 1; }
	@touch $@
