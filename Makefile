# Every target does its own set-up: it needs Linux with git, make and Python 3.11 or newer, nothing
# else. What it installs goes into .venv. `make PYTHON=python3.12 test` takes another Python.

SHELL := /bin/sh
PYTHON ?= python3
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help demo test fast cover check fix acceptance bench bench-long prove docs lock clean

# Sets $py to an interpreter that has what the target needs: "runtime" or "dev".
environment = \
	command -v $(PYTHON) >/dev/null || { echo "make: there is no $(PYTHON) here; install Python 3.11 or newer (Debian, Ubuntu: apt install python3 python3-venv)" >&2; exit 1; }; \
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make: $$($(PYTHON) -V) is too old, Tidegate needs 3.11 or newer; name one: make $@ PYTHON=python3.12" >&2; exit 1; }; \
	py=$$($(PYTHON) scripts/environment.py $(1)) || exit 1

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

demo: ## watch the product work on a made-up repository, in seconds
	@$(call environment,runtime); PYTHONPATH="$(CURDIR)/src" "$$py" -m tidegate demo

test: ## run all tests
	@$(call environment,dev); "$$py" -m pytest -n $(WORKERS)

fast: ## run the tests that take milliseconds; under 20 s in all
	@$(call environment,dev); "$$py" -m pytest -n $(WORKERS) -m "not slow" --ignore tests/cli --ignore tests/git --durations=3 --durations-min=1

cover: ## run all tests and show which lines and branches no test reaches
	@$(call environment,dev); "$$py" -m coverage erase; "$$py" -m coverage run -m pytest; status=$$?; \
	"$$py" -m coverage combine -q; "$$py" -m coverage report; exit $$status

check: ## lint, format, types, floors, sizes, pages, changelog
	@$(call environment,dev); "$$py" scripts/check.py

fix: ## let the linter and the formatter repair what they can
	@$(call environment,dev); "$$py" -m ruff check --fix; "$$py" -m ruff format

acceptance: ## run the product on three published packages, and judge what came of it (minutes)
	@$(call environment,dev); "$$py" -m acceptance $(PACKAGES)

bench: ## measure, and compare with what the documentation says (minutes)
	@$(call environment,dev); "$$py" -m bench

bench-long: ## measure with the sample sizes behind the published figures (twenty minutes)
	@$(call environment,dev); "$$py" -m bench --long

prove: ## run the long proofs and write their figures down (hours); ONLY=kills KILLS=50 for one part
	@$(call environment,dev); "$$py" -m scripts.prove $(if $(ONLY),--only $(ONLY)) $(if $(KILLS),--kills $(KILLS)) $(if $(SEEDS),--seeds $(SEEDS)) --workers $(WORKERS)

docs: ## write anew the parts of the pages that are derived from the code
	@$(call environment,dev); "$$py" scripts/docs.py || exit 1; for page in docs_configuration docs_commands docs_states docs_events; do "$$py" -m scripts.$$page || exit 1; done

lock: ## pin the newest versions of all packages in constraints.txt
	@$(call environment,dev); "$$py" scripts/lock.py

clean: ## remove .venv and everything else that was made here
	@rm -rf .venv .venv.lock .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist src/*.egg-info
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
