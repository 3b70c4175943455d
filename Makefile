# The two commands are `make run` and `make test`; `make help` lists the others.
PYTHON ?= python3
PY = .venv/bin/python

.PHONY: help setup run test test-long test-all check qa browsers conformance bench compat reset migration types
.DEFAULT_GOAL := help
# Without kept bytecode each process that starts compiles 900 modules again, which takes a second.
unexport PYTHONDONTWRITEBYTECODE

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' $(MAKEFILE_LIST) | expand -t 18

setup: ## install everything into the checkout
	@$(PYTHON) -m scripts.setup

run: setup ## start the product; Ctrl-C stops it
	@$(PY) -m scripts.run

test: ## set up, then lint, types, all tests but the long ones (some ten minutes)
	@$(PYTHON) -m scripts.setup --tests
	@$(PY) -m scripts.check test

test-long: ## what `make test` leaves out: crashes, fuzzing, clients, all browser tests
	@$(PYTHON) -m scripts.setup --tests
	@$(PY) -m scripts.check long

test-all: test ## both
	@$(PY) -m scripts.check long

check: setup ## lint, types and import contracts only
	@$(PY) -m scripts.check fast

compat: ## every method of the official clients, as a table in supabase/README.md
	@$(PYTHON) -m scripts.setup --tests
	@$(PY) -m scripts.compat

qa: setup ## check the main pages on phones into web/test-results/qa.json; send=1: then to what `make run` runs
	@SOCIO_QA_REPORT=$(CURDIR)/web/test-results/qa.json $(PY) -m scripts.stack -- npm run --silent qa -w web \
		$(if $(send),; $(PY) -m scripts.qa web/test-results/qa.json)

browsers: setup ## open the main pages in Firefox ESR and WebKitGTK into web/test-results/browsers.json; send=1 as above
	@$(PY) -m scripts.stack -- $(PY) -m scripts.browsers $(if $(send),; $(PY) -m scripts.qa web/test-results/browsers.json)

conformance: setup ## an official client's own suite: SOCIO_CONFORMANCE=<checkout> suite=<folder> command="…" door=9999:/auth/v1
	@$(PY) -m scripts.conformance "$(suite)" "$(command)" $(foreach each,$(door),--door=$(each))

bench: setup ## measure the goals of speed into docs/benchmarks.md (only="user storm" measures these)
	@$(PY) -m scripts.bench $(only)

reset: setup ## wipe the data in .socio (asks; yes=1 does not)
	@$(PY) -m scripts.reset $(if $(yes),--yes)

migration: setup ## write a migration from db/schemas: name=add_x (data=1: for rows alone)
	@$(PY) -m scripts.migration $(name) $(if $(data),--data)

types: setup ## write web/src/data/{database.gen.ts,catalog.gen.json} and docs/jobs.md
	@$(PY) -m scripts.gen_types
	@$(PY) -m scripts.gen_jobs
