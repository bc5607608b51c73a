# Two commands do everything: `make report` and `make test`. Each may be the first one.
SHELL := /bin/bash
VENV ?= .venv
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := $(VENV)/bin
export PATH := $(abspath $(BIN)):$(PATH)
export PREFECT_SERVER_ANALYTICS_ENABLED = false
export DO_NOT_TRACK = 1
export GX_ANALYTICS_ENABLED = false

# a file's tests share its servers and clones, so they stay on one worker; the slow ones start first
TWO_WORKERS := -n 2 --dist loadfile --no-loadscope-reorder

.PHONY: help report test test-fast lint plan profile deployments publish verify keep benchmark environment

help: ## what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

report: environment ## run the pipeline and say where the report is
	@dvc repro
	@python -m stages.report --where

test: environment ## lint, types and the whole test suite
	@ruff check . && ruff format --check . && mypy
	@python -m pytest $(TWO_WORKERS)

test-fast: environment ## the common loop: everything but the slow tests
	@python -m pytest $(TWO_WORKERS) -m "not slow"

lint: environment ## mend what can be mended, and check types
	@ruff check --fix . && ruff format . && mypy

plan: environment ## what would run: cells, cached, CPU hours; make plan NAME=paper for another profile
	@python -m stages.train --plan $(if $(NAME),--profile $(NAME))

profile: environment ## make profile NAME=paper (or quick, small, smoke, images)
	@python -m stages.common.profile $(NAME)

deployments: environment ## the pool and deployments, on the server that PREFECT_API_URL names
	@prefect work-pool create rethink --type process --overwrite > /dev/null
	@prefect --no-prompt deploy --all

publish: environment ## merge what was computed here into results/<profile>, to commit it
	@python -m stages.publish

verify: environment ## compute a random sample of published cells again: make verify CELLS=50
	@python -m stages.verify --cells $(or $(CELLS),20)

keep: environment ## copy this run's report, metrics and scores to reports/<profile>, to commit them
	@profile=$$(python -c 'from stages.common.params import load_params; print(load_params().profile)') && \
	mkdir -p reports/$$profile && cp reports/report.html reports/metrics.json data/scores.parquet reports/$$profile/ && \
	echo "kept in reports/$$profile"

benchmark: environment ## speed, side by side with peers
	@for part in arff costs rules splits chains nets ordering features orchestration; do echo; OMP_NUM_THREADS=1 python -m benchmarks.$$part; done

environment: $(VENV)/.installed ## install into .venv, once

$(VENV)/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(v != (3, 11) and "Python 3.11 is needed, $(PYTHON) is %d.%d; run: make PYTHON=/path/to/python3.11 ..." % v)'
	@echo "installing the environment into $(VENV) (once, a few minutes)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[pipeline,dev]'
	@touch $@
