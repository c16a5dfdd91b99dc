# make demo        the demo edition from nothing to its drift report, a few minutes
# make quick       the tests of units, within 40 seconds
# make test        the tests of the library, within three minutes (BUDGET=SECONDS of processor time)
# make check       make demo, then all tests, also runs of the workflow and those of documents and results
# make faults      damaged files and killed runs, for hours (RECEVAL_FAULTS=1000: fewer damages)
# make mutants     see whether the tests notice 400 small mistakes, for hours (MUTANTS=40 SEED=2 JOBS=2)
# make floors      the library's tests with the lowest and the newest versions of what it needs, minutes
# make reproduce   the full edition: everything from the real datasets
# make statements  check on what `make reproduce` has made what the pages say of the accepted results
# make lint        style, types, workflow
# make drift       compare fresh artifacts with results/ (EDITION=full for the full edition)
# make report      all artifacts on one page, of the edition that was run last (or EDITION=...)
# make site      the pages of the edition that was run last (or EDITION=...), served on PORT=8000
# make browser   the tests that look at pages with Chromium, and what drives it
# make accept      make the fresh artifacts the accepted ones
# make slurm       what runs on a cluster with Slurm need besides (docs/cluster.md)
# make clean       remove everything that the workflow made (downloads in work/raw stay)

PYTHON ?= python3
EDITION ?= demo
MUTANTS ?= 400
SEED ?= 1
JOBS ?= 1
PORT ?= 8000
FLOORS ?=
VENV := .venv
BIN := $(VENV)/bin
SNAKEMAKE := $(BIN)/snakemake --cores all
INSTALL := $(BIN)/python -I -m pip install --disable-pip-version-check --progress-bar off --require-hashes
$(if $(filter-out demo full,$(EDITION)),$(error EDITION is demo or full, and not $(EDITION)))
# The edition whose run ended last: its drift report is the last thing that a run makes.
RUN_LAST = $(patsubst work/%/drift.md,%,$(firstword $(shell ls -t work/demo/drift.md work/full/drift.md 2>/dev/null)))
REPORTED = $(if $(filter file,$(origin EDITION)),$(or $(RUN_LAST),$(EDITION)),$(EDITION))

# The library of this folder, and nothing that the machine adds to what Python finds; pip installs into VENV.
export PYTHONPATH := $(CURDIR)/src
unexport PYTHONHOME PIP_PREFIX PIP_ROOT PIP_TARGET PIP_USER

# Programs of an environment name its folder, and its libraries are for one Python: made-for says which.
# Where it says something else (moved, copied, Python upgraded), or another Python is asked for, it is made
# anew. The library may run with other versions of Python: these are those that all of the lock has wheels for.
SUPPORTED := (3, 11) <= sys.version_info[:2] <= (3, 13) or sys.exit(1)
VERSION := -I -c 'import sys; print(*sys.version_info[:2])'
MADE_FOR := -I -c 'import os, pip, sys; $(SUPPORTED); \
  print(os.fsencode(os.path.realpath(sys.prefix)), *sys.version_info[:2])'
ASKED := $(if $(filter-out file,$(origin PYTHON)),$(PYTHON))
ENVIRONMENT := $(shell made_for=`$(BIN)/python $(MADE_FOR) 2>/dev/null` \
  && { ! [ -e $(VENV)/made-for ] || [ "$$made_for" = "`cat $(VENV)/made-for`" ]; } \
  $(if $(ASKED),&& [ "`$(ASKED) $(VERSION) 2>/dev/null`" = "`$(BIN)/python $(VERSION)`" ]) || echo environment)

.PHONY: environment demo quick test check faults mutants floors reproduce statements lint types style drift report site browser accept slurm clean

demo: $(VENV)/ready
	$(SNAKEMAKE) all site --config edition=demo
	$(BIN)/receval repo drift --edition demo

# What the suites may take of the processor, in seconds; tests/processor_budget.py holds them to it.
quick: BUDGET = 70
test: BUDGET = 340
# With the tests of the whole repository, and what the first run in a checkout compiles.
check: BUDGET = 500

PYTEST = $(BIN)/python -m pytest --numprocesses auto --dist loadgroup --no-loadscope-reorder --budget $(BUDGET)

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

# FLOORS="--versions lowest --folders adapters": a part of it.
floors: $(VENV)/ready-to-test
	PYTHONPATH=tests $(BIN)/python -m floors $(FLOORS)

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

drift: $(VENV)/ready
	$(BIN)/receval repo drift --edition $(EDITION)

report: $(VENV)/ready
	$(BIN)/snakemake --report work/report.zip --config edition=$(REPORTED)

site: $(VENV)/ready
	$(SNAKEMAKE) site --config edition=$(REPORTED)
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory work/$(REPORTED)/site $(PORT)

# Chromium itself comes with the system: apt-get install chromium. Without it these tests fail here, and
# are skipped in make test.
browser: $(VENV)/ready-to-test
	$(INSTALL) -r requirements.lock -r requirements-test.lock -r requirements-browser.lock
	RECEVAL_BROWSER=required $(BIN)/python -m pytest --numprocesses auto --dist loadgroup \
	  tests/publishing/test_site_in_a_browser.py tests/comparison/test_report_in_a_browser.py

accept: $(VENV)/ready
	$(BIN)/receval repo accept --edition $(EDITION)

# Not for everybody: Snakemake loads its executors, and pandas with this one, whenever it starts.
slurm: $(VENV)/ready
	$(INSTALL) -r requirements.lock -r requirements-slurm.lock

clean:
	rm -rf work/demo work/full .snakemake .pytest_cache .mypy_cache .ruff_cache .hypothesis

environment:
	@$(PYTHON) -I -c 'import sys; $(SUPPORTED)' || { \
	  echo "This needs Python 3.11, 3.12 or 3.13 (for others, libraries of requirements.lock have no wheels)."; \
	  echo "$(PYTHON) --version says: `$(PYTHON) --version 2>&1`. Name another with make PYTHON=python3.x"; exit 1; }
	@case "`pwd -P`" in *[{}]*) echo "There are braces in the name of this folder, or of one that it is in:"; \
	  echo "what builds libraries for pip takes them for variables. Rename the folder."; exit 1;; esac
	@if [ -e $(VENV) ] && ! [ -e $(VENV)/made-for ] && ! [ -e $(VENV)/ready ]; then \
	  echo "$(VENV) is there already. make has not made it, and cannot use it: it is of another Python, or has"; \
	  echo "no pip. Move it away (mv $(VENV) $(VENV)-before) and run make again, which makes its own."; exit 1; fi
	@! [ -e $(VENV) ] || echo "$(VENV) is of another folder or another Python: it is made anew."
	@echo "From nothing, make demo takes about three minutes on two cores. First, once: 280 MB from PyPI into $(VENV)."
	@echo "1 of 5: an environment in $(VENV)"
	@rm -rf $(VENV) && mkdir $(VENV) && touch $(VENV)/made-for
	@$(PYTHON) -I -m venv $(VENV)

# The mark is written last, so an interrupted installation is done again.
$(VENV)/ready: requirements.lock pyproject.toml $(ENVIRONMENT)
	@$(BIN)/python $(MADE_FOR) > $(VENV)/made-for
	@echo "2 of 5: the libraries of requirements.lock, in two halves side by side"
	@# All that any library needs is in the lock, so no half has to know the other.
	@awk '/^[^ #]/ { half = !half } { print > ("$(VENV)/half." half) }' requirements.lock
	@$(INSTALL) --no-deps --no-compile -r $(VENV)/half.0 & other=$$!; \
	  $(INSTALL) --no-deps --no-compile -r $(VENV)/half.1; status=$$?; \
	  wait $$other && (exit $$status) || { echo "Not all could be installed: above, pip says why."; exit 1; }
	@echo "3 of 5: receval itself"
	@LC_ALL=C.UTF-8 $(BIN)/python -I -m pip install --disable-pip-version-check --no-deps --no-build-isolation -e .
	@# Python reads these paths in the encoding of each user's locale, which may lack letters of this folder's.
	@for link in $(VENV)/lib/python3*/site-packages/__editable__.receval-*.pth; do echo ../../../../src > "$$link"; done
	@# Python and numba compile now what many processes would compile side by side later. Some libraries have
	@# files that are no Python of this version.
	@echo "4 of 5: Python compiles all modules but tests of libraries"
	@$(BIN)/python -m compileall -q -j 0 -x /tests/ src $(VENV)/lib/python3*/site-packages || true
	@echo "5 of 5: numba compiles what computes"
	@$(BIN)/receval repo kernels
	@touch $@

# What tests, style and types need besides. On some machines pip has to compile a part of it.
$(VENV)/ready-to-test: $(VENV)/ready requirements-test.lock
	@echo "The libraries of requirements-test.lock"
	@$(INSTALL) --no-deps -r requirements-test.lock || { echo \
	  "Tests lack a library: above, pip says why. make demo, reproduce, site and report need none of them."; exit 1; }
	@touch $@
