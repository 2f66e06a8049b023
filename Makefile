# `make demo` renders the campfire and `make test` runs the tests, from a fresh checkout:
# .ci/setup makes the virtual environment in .venv, and installs system packages through
# apt where they are missing. Another Python: `make demo PYTHON=python3.13`.

export PYTHON ?= python3
BIN := .venv/bin

.PHONY: help demo docs test golden bench lint types format clean

help: ## Show what there is to make
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; \
		do printf 'make %-8s%s\n' "$$name" "$$text"; done

demo: .venv/package ## Render the campfire to out/campfire.gif
	@bash .ci/setup driver
	@mkdir -p out
	$(BIN)/gpuparticles render examples/effects/campfire.json -o out/campfire.gif \
		--start 2.5 --duration 3 --size 480x480 --background "#0a0b10" \
		--eye 0,1.3,6 --target 0,1.25,0 --fov 36

docs: .venv/package ## Write the pages of docs/kinds and render all pictures
	@bash .ci/setup driver
	$(BIN)/python docs/make_pages.py
	$(BIN)/python docs/make_pictures.py

test: .venv/test ## Run all tests
	@bash .ci/setup driver display
	$(BIN)/python -m pytest -n auto --dist worksteal

golden: .venv/test ## Draw the kept pictures anew, to be looked at
	@bash .ci/setup driver
	$(BIN)/python -m tests.draw.golden_pictures

bench: .venv/test ## Measure speed and memory, as ratios
	@bash .ci/setup driver
	$(BIN)/python tests/benchmarks/bench.py

lint: .venv/lint ## Check style and formatting
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: .venv/lint ## Check types
	$(BIN)/mypy

format: .venv/lint ## Put the code into its format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean: ## Remove all that was made, .venv too
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist out
	find gpuparticles tests examples -name __pycache__ -prune -exec rm -rf {} +

# What is installed in .venv, one stamp file each, renewed when what it says has changed.

.venv/package: pyproject.toml .ci/setup
	@bash .ci/setup package
	@touch $@

.venv/test: .venv/package
	@bash .ci/setup group test
	@touch $@

.venv/lint: .venv/test # mypy reads the types of what the tests and examples import
	@bash .ci/setup group lint
	@touch $@
