# The commands of Galapost. `make run` and `make test` need Python 3.11 or later and nothing else of ours.

# What the person who calls has set up for other projects must not reach this one.
unexport PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONSAFEPATH PYTHONOPTIMIZE PYTHONWARNINGS PYTHONUSERBASE VIRTUAL_ENV CONDA_PREFIX
unexport PIP_USER PIP_TARGET PIP_PREFIX PIP_ROOT PIP_PYTHON PIP_DRY_RUN PIP_NO_DEPS PIP_NO_BINARY PIP_CONSTRAINT PIP_REQUIREMENT PIP_REPORT
unexport PYTEST_ADDOPTS PYTEST_PLUGINS FLASK_APP FLASK_DEBUG CELERY_CONFIG_MODULE CELERY_BROKER_URL GUNICORN_CMD_ARGS
export PYTHONNOUSERSITE = 1

PY = .venv/bin/python
# The first Python on this machine that is new enough; PYTHON=… chooses another.
CANDIDATES = $(PYTHON) python3 python3.13 python3.12 python3.11 python3.14 python
NEW_ENOUGH = import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))

# make test ARGS="tests/launch -k demo" JOBS=0 runs a part of it in one process. Three on two cores, since many tests wait.
JOBS = 3
ARGS =

.DEFAULT_GOAL = help
.PHONY: help run demo test fuzz faults sabotage lint lock document compile bench waits latency clean

help: ## this list
	@sed -n 's/^\([a-z]*\):[^#]*## /\1	/p' Makefile | expand -t 12

run: .venv/runtime.stamp ## set up and start everything; Ctrl-C ends it
	@exec $(PY) -m launch run --end-with-parent

demo: .venv/runtime.stamp ## two bots play a whole game on a server of its own; prints what was delivered
	@exec $(PY) -m launch demo --end-with-parent

test: .venv/test.stamp ## the whole suite
	@exec $(PY) -m pytest -n $(JOBS) $(ARGS)

fuzz: .venv/test.stamp ## input that nobody thought of, for ten minutes a subject; ARGS="api --seconds 60 --seed 7"
	@exec $(PY) -m tests.fuzz $(ARGS)

faults: .venv/test.stamp ## what fails, and that nothing is lost by it: every case on both databases; ARGS="--case NAME --seed N"
	@exec $(PY) -m tests.faults $(ARGS)

sabotage: .venv/test.stamp ## breaks a copy of the server in known ways, and demands that the faults notice
	@exec $(PY) -m tests.faults.sabotage $(ARGS)

lint: .venv/test.stamp ## ruff, and mypy over the engine
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy --strict engine

document: .venv/test.stamp ## write openapi/openapi.json anew from the code
	$(PY) -m server.document

compile: .venv/test.stamp ## the engine through mypyc, into build/compiled/
	$(PY) -m launch compile

bench: .venv/bench.stamp ## the engine beside its peers, as ratios of one run; ARGS=waits: moves beside a thousand waiting requests
	@exec $(PY) -m bench $(ARGS)

latency: .venv/test.stamp ## from the commit of a move until its receiver has the notice, at 100 moves a second
	@exec $(PY) -m bench.delivery $(ARGS)

waits: .venv/runtime.stamp ## how often a game waits for a person, with standing orders and without
	@exec $(PY) -m bench.orders $(ARGS)

# --universal: one file for every system and every Python from 3.11 on.
COMPILE = UV_CUSTOM_COMPILE_COMMAND="make lock" $(PY) -m uv pip compile --no-config --quiet --universal --generate-hashes --python-version 3.11
lock: ## make the lock files anew from pyproject.toml
	$(ENVIRONMENT)
	$(PY) -m pip install --quiet --disable-pip-version-check uv
	$(COMPILE) $(UPGRADE) pyproject.toml --output-file requirements.lock
	$(COMPILE) $(UPGRADE) pyproject.toml --group test --constraints requirements.lock --output-file requirements-dev.lock
	$(COMPILE) $(UPGRADE) pyproject.toml --group test --group bench --constraints requirements-dev.lock --output-file requirements-bench.lock

clean: ## remove the environment and what tools leave behind; never the games in var/
	rm -rf .venv build .pytest_cache .mypy_cache .ruff_cache .hypothesis

# An environment whose Python is gone, or that another Python of this machine has replaced, is made anew.
define ENVIRONMENT
@set -e; \
if ! $(PY) -c '$(NEW_ENOUGH)' 2>/dev/null; then \
	for python in $(CANDIDATES) none; do \
		if "$$python" -c '$(NEW_ENOUGH)' 2>/dev/null; then break; fi; \
	done; \
	if [ "$$python" = none ]; then echo "Galapost needs Python 3.11 or later with venv (on Debian: apt install python3-venv)" >&2; exit 1; fi; \
	echo "setting up .venv with $$("$$python" --version)"; \
	rm -rf .venv; \
	"$$python" -m venv .venv; \
fi
endef

define INSTALL
@echo "installing from $<"
@$(PY) -m pip install --quiet --disable-pip-version-check --no-input --require-hashes --requirement $<
@touch $@
endef

.venv/runtime.stamp: requirements.lock
	$(ENVIRONMENT)
	$(INSTALL)

.venv/test.stamp: requirements-dev.lock
	$(ENVIRONMENT)
	$(INSTALL)
	@touch .venv/runtime.stamp

.venv/bench.stamp: requirements-bench.lock
	$(ENVIRONMENT)
	$(INSTALL)
	@touch .venv/runtime.stamp .venv/test.stamp
