# Two commands do everything: `make demo` and `make test`. Both set up `.venv` first.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --constraint constraints.txt

.PHONY: help setup demo test lint catalogue bench-overhead bench-detection bench-remedies bench-doctor bench-repair bench-hpo bench-show bench-run bench-ecosystem bench-reliability stress-live fuzz docs screenshots clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

setup: $(VENV)/.installed $(VENV)/.kernel  ## make .venv with the extras `all` and `test`

$(VENV)/.installed: pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is needed; set PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[all,test]'
	@touch $@

# Installing has built the kernel; this builds it again when its source has changed.
$(VENV)/.kernel: src/paramedic/probe/native/kernel.c hatch_build.py | $(VENV)/.installed
	$(BIN)/python hatch_build.py
	@touch $@

$(VENV)/.libraries: $(VENV)/.installed
	$(PIP) --editable '.[libraries]'
	@touch $@

$(VENV)/.bench: $(VENV)/.installed $(VENV)/.kernel
	$(PIP) --editable '.[bench]'
	@touch $@

demo: setup  ## run a script that does not learn: why, a patch that works, a page; then heal a plan
	$(BIN)/paramedic demo --out demo-out
	$(BIN)/paramedic heal examples/sick_plan.py --out demo-out/heal --html demo-out/heal.html

lint: setup  ## format, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

test: lint $(VENV)/.libraries $(VENV)/.docs  ## lint, then all tests: of the manual and of libraries whose scripts are run, too
	$(BIN)/python -m pytest

catalogue: setup  ## write docs/catalogue from the detectors, docs/remedies.md from the cures
	$(BIN)/python -m paramedic.report.catalogue docs/catalogue
	$(BIN)/python -m paramedic.report.remedies docs/remedies.md

bench-overhead: $(VENV)/.bench  ## what watching costs: docs/benchmarks/overhead.md
	$(BIN)/python benchmarks/overhead.py

bench-detection: $(VENV)/.bench  ## how well sick runs are recognised: docs/benchmarks/detection.md
	$(BIN)/python benchmarks/detection.py

bench-remedies: $(VENV)/.bench  ## how often remedies help: docs/benchmarks/remedies.md
	$(BIN)/python benchmarks/remedies.py

bench-doctor: $(VENV)/.bench  ## injected faults found and treated: docs/benchmarks/doctor.md
	$(BIN)/python benchmarks/doctor.py

bench-repair: $(VENV)/.bench  ## what is repaired, and what it costs: docs/benchmarks/repair.md
	$(BIN)/python benchmarks/repair.py

bench-hpo: $(VENV)/.bench  ## what ending trials early saves and loses: docs/benchmarks/hpo.md
	$(BIN)/python benchmarks/hpo.py

bench-show: $(VENV)/.bench  ## what the report and the live page cost: docs/benchmarks/show.md
	$(BIN)/python benchmarks/show.py

bench-run: $(VENV)/.installed  ## what `paramedic run` costs, and what its patches do: docs/benchmarks/run.md
	$(BIN)/python benchmarks/run.py

bench-reliability: $(VENV)/.bench  ## kills, hiccups of the disk, mutants, load: docs/benchmarks/reliability.md
	$(BIN)/python benchmarks/reliability.py

stress-live: setup  ## the live page under 1,024 half-open connections, 500 listeners, 1,000 runs
	PARAMEDIC_STRESS=whole $(BIN)/python -m pytest -s tests/report/live/test_load.py

MUTANTS ?= 10000
fuzz: setup  ## mutants of all files that are read from strangers; MUTANTS=10000
	$(BIN)/python -m tests.fuzz.fuzzing $(MUTANTS)

$(VENV)-ecosystem/.installed: benchmarks/ecosystem/requirements.txt constraints.txt
	$(PYTHON) -m venv $(VENV)-ecosystem
	$(VENV)-ecosystem/bin/pip install --quiet --constraint constraints.txt --editable '.[torch,fix]' --requirement benchmarks/ecosystem/requirements.txt
	$(VENV)-ecosystem/bin/pip uninstall --quiet --yes torchvision
	$(VENV)-ecosystem/bin/pip install --quiet --no-deps --target $(VENV)-ecosystem/torchvision torchvision==0.28.0
	@touch $@

bench-ecosystem: $(VENV)-ecosystem/.installed  ## verdicts on other packages' trainings: docs/benchmarks/ecosystem.md
	ECOSYSTEM_TORCHVISION=$(CURDIR)/$(VENV)-ecosystem/torchvision $(VENV)-ecosystem/bin/python benchmarks/ecosystem.py

$(VENV)/.docs: $(VENV)/.installed
	$(PIP) --editable '.[docs]'
	@touch $@

docs: $(VENV)/.docs  ## the manual as a site: build/site
	$(BIN)/mkdocs build

screenshots: $(VENV)/.bench  ## the pictures of the manual, of the real pages: docs/screenshots
	$(BIN)/python benchmarks/screenshots.py

clean:  ## remove what the other targets made
	rm -rf $(VENV) demo-out .pytest_cache .mypy_cache .ruff_cache
