# Two commands do everything: `make report` and `make test`. Each may be the first one.
SHELL := /bin/bash
VENV ?= .venv
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := $(VENV)/bin
export PATH := $(abspath $(BIN)):$(PATH)
export PREFECT_SERVER_ANALYTICS_ENABLED = false
export DO_NOT_TRACK = 1
export GX_ANALYTICS_ENABLED = false
# images of containers set it: every process would compile all that it imports, for seconds
unexport PYTHONDONTWRITEBYTECODE

# exact versions with hashes; no byte code of what is never imported
PIP := $(BIN)/python -m pip install --disable-pip-version-check --no-compile
TORCH ?= cpu
# what it says of a package that is built in an old way, which nobody here can mend
BEARABLE := 2> >(grep -v DEPRECATION >&2)
# one live line in a terminal, nothing elsewhere
WATCHED := $(shell [ -t 2 ] || echo --quiet)
LIVE := if [ -t 2 ]; then awk '/^(Collecting|Obtaining) / {printf "\r\033[K%d: %s", ++n, $$2 > "/dev/stderr"} /^Installing/ {printf "\r\033[Kunpacking" > "/dev/stderr"} END {printf "\r\033[K" > "/dev/stderr"}'; else cat > /dev/null; fi

# What is given by name is text: neither make nor the shell looks inside, whatever a file is called.
GIVEN := TABLE LABELS COST DATASET NAME PUBLISHED CELLS
$(foreach name,$(GIVEN),$(eval override $(name) := $$(value $(name))))
export $(GIVEN)

# what DVC advises and is of no use here: there is no remote, and nobody has to commit after a run
ADVICE := Use `dvc push`|^To (track the changes|enable auto staging)|git add .*dvc.lock|dvc config core.autostage

# tests that share servers and clones stay on one process (tests/conftest.py); the slow ones start first.
# Six processes for two cores: tests of flows, kills and networks wait for others most of the time
SPREAD := -n 6 --dist loadfile --no-loadscope-reorder

.PHONY: help own model report test test-fast test-wheel coverage lint docs plan profile deployments publish verify keep picture benchmark torture sbom environment tools lock asked-own asked-model asked-keep asked-profile

help: ## what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

report: environment ## run the pipeline and say where the report is
	@set -o pipefail; dvc repro | { grep --line-buffered -vE '$(ADVICE)' || true; }
	@python -m stages.report --where

test: tools ## lint, types and the whole test suite
	@ruff check . && ruff format --check .
	@python -m pytest $(SPREAD) -m "not wheel"

test-fast: tools ## the common loop: everything but the slow tests
	@python -m pytest $(SPREAD) -m "not slow and not wheel"

test-wheel: tools ## the library's tests with the lowest and the newest versions (10 GB, half an hour)
	@python -m pytest -m wheel tests/test_wheel.py $(OPTIONS)

coverage: tools ## which lines the common loop misses; takes half as long again
	@coverage erase
	@coverage run -m pytest $(SPREAD) -m "not slow and not wheel"
	@coverage combine --quiet && coverage report

lint: tools ## mend what can be mended, and check types
	@ruff check --fix . && ruff format . && mypy

own: asked-own environment ## compare models on your own table: make own TABLE=tickets.csv LABELS="tag_*" COST=asymmetric-5-1
	@set -f; python -m stages.own "$$TABLE" --labels $$LABELS $${COST:+--cost "$$COST"} $(OPTIONS)

model: asked-model environment ## train and save what the report recommends: make model DATASET=tickets COST=asymmetric-5-1
	@python -m stages.export --dataset "$$DATASET" --cost "$$COST" $(OPTIONS)

docs: tools ## build the documentation into site/, without a network
	@NO_MKDOCS_2_WARNING=1 mkdocs build --strict --quiet
	@echo "the documentation is at site/index.html"

plan: environment ## what would run: cells, cached, CPU hours; make plan NAME=paper for another profile
	@python -m stages.outlook $${NAME:+--profile "$$NAME"}

profile: asked-profile environment ## make profile NAME=paper (or quick, wide, smoke, images)
	@python -m stages.common.profile "$$NAME" $(OPTIONS)

deployments: environment ## the pool and deployments, on the server that PREFECT_API_URL names
	@python -c 'from flows.rethink import check_server; from stages.common.errors import run_command; run_command(check_server)'
	@prefect work-pool create rethink --type process --overwrite > /dev/null
	@prefect --no-prompt deploy --all

publish: environment ## merge what was computed here into results/<profile>, to commit it
	@python -m stages.publish

verify: environment ## compute a random sample of published cells again: make verify CELLS=50
	@python -m stages.verify --cells "$${CELLS:-20}"

keep: $(if $(PUBLISHED),,asked-keep) environment ## keep this run's report in reports/<profile>; PUBLISHED=paper makes it from results/ alone
	@python -m stages.keep $${PUBLISHED:+--published "$$PUBLISHED"}

picture: environment ## take docs/report.png anew, of reports/paper/report.html; needs chromium
	@python docs/picture.py

benchmark: tools ## speed, side by side with peers
	@for part in cells memory arff costs rules splits chains nets ordering features orchestration; do echo; OMP_NUM_THREADS=1 python -m benchmarks.$$part; done

# so much of each theme; `make torture SIZE=small` is for a first look
SIZE ?= large
INPUTS_small := 10000
INPUTS_large := 1000000
CELLS_small := 1000
CELLS_large := 1000 10000 100000
CASES_small := 88
CASES_large := 440
KILLS_small := 20
KILLS_large := 1000
HOURS_small := 2
HOURS_large := 24

torture: tools ## the figures of docs/reliability.md: hours; goes on where it was stopped; SIZE=small
	@python -m torture.hostile --inputs $(INPUTS_$(SIZE))
	@python -m torture.load --cells $(CELLS_$(SIZE))
	@python -m torture.soak --hours $(HOURS_$(SIZE))
	@python -m torture.kills --kills $(KILLS_$(SIZE))
	@python -m torture.bits
	@python -m torture.faults --cases $(CASES_$(SIZE))

sbom: ## what the environment consists of, as CycloneDX: dist/sbom.json
	@$(PYTHON) requirements/sbom.py dist/sbom.json
	@echo "the bill of materials is at dist/sbom.json"

# A slip is told before gigabytes are installed.
asked-own:
	@[ -n "$$TABLE" ] && [ -n "$$LABELS" ] || { echo 'which table, and which columns are labels? run: make own TABLE=tickets.csv LABELS="tag_*"'; exit 1; }

asked-model:
	@[ -n "$$DATASET" ] && [ -n "$$COST" ] || { echo 'for which data set and cost of the report? run: make model DATASET=yeast COST=f1'; exit 1; }

asked-keep:
	@[ -f reports/report.html ] || { echo 'there is no report to keep; run: make report'; exit 1; }

asked-profile:
	@[ -n "$$NAME" ] || { echo 'which profile? run: make profile NAME=quick; there are $(sort $(basename $(notdir $(wildcard profiles/*.yaml))))'; exit 1; }

environment: $(VENV)/.installed ## install what `make report` needs into .venv, once; TORCH=cuda for a GPU

tools: $(VENV)/.installed-tools ## and what tests, types and documentation need

lock: tools ## write requirements/ anew from pyproject.toml, with exact versions and hashes
	@$(BIN)/python -m pip install --quiet uv && python requirements/lock.py

$(VENV)/.installed: pyproject.toml requirements/pipeline.txt requirements/torch-$(TORCH).txt
	@"$(PYTHON)" -c '' 2> /dev/null || { echo 'Python 3.11 is needed, "$(PYTHON)" does not run; run: make PYTHON=/path/to/python3.11 ...'; exit 1; }
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(v != (3, 11) and "Python 3.11 is needed, $(PYTHON) is %d.%d; run: make PYTHON=/path/to/python3.11 ..." % v)'
	@echo "installing the environment into $(VENV): 1.5 GB, once, a few minutes"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) $(WATCHED) --no-deps -r requirements/torch-$(TORCH).txt 2> /dev/null || \
		{ echo "your package index has no torch without CUDA (PIP_EXTRA_INDEX_URL can name PyTorch's, which has): taking the one with CUDA, 3 GB more"; \
		$(PIP) $(WATCHED) --no-deps -r requirements/torch-cuda.txt; }
	@set -o pipefail; $(PIP) --require-hashes --no-deps -r requirements/pipeline.txt $(BEARABLE) | $(LIVE)
	@$(PIP) --quiet --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.installed-tools: $(VENV)/.installed requirements/dev.txt
	@echo "installing the tools of developers into $(VENV): 0.5 GB, once"
	@set -o pipefail; $(PIP) --require-hashes --no-deps -r requirements/dev.txt $(BEARABLE) | $(LIVE)
	@touch $@
