# Two commands: `make demo` and `make test`. Each sets up all it needs; a second run starts at once.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PEOPLE ?= 50

.PHONY: demo test
.DELETE_ON_ERROR:

demo: $(VENV)/ready
	@$(BIN)/thenar models fetch
	@$(BIN)/python -m mobile_api.page_build
	@$(BIN)/thenar models draw --people $(PEOPLE) --shots 4 --jobs 2 --out demo-palms
	@$(BIN)/thenar demo --palms demo-palms

test: $(VENV)/ready
	@$(BIN)/thenar models fetch
	@$(BIN)/python -m mobile_api.page_build
	@$(BIN)/python tests/system_packages.py
	@$(BIN)/python tests/milvus_server.py
	@$(BIN)/python tests/relying_parties/node_packages.py
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/thenar models verify
	@$(BIN)/coverage erase
	$(BIN)/python tests/halves.py
	@$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

$(VENV)/ready: requirements.lock pyproject.toml
	@echo "Making $(VENV) from requirements.lock (about a minute and 1 GB, once)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Thenar needs Python 3.11 or later")'
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable .
	@touch $@
