# `make demo` shows it; `make test` is for every change; `make check` tests the rest.
# `make demo LAN=1` serves https to the phones in your network.
# `make demo CHALLENGE=1` asks new palms for a moving hand, as a service does by default.
# `make demo STATION=1` shows signing in at a screen of the operator's, without a phone.
# `make demo PORT=8090` runs beside another one, with the next port and its own data.
# Each sets up all it needs; a second run starts at once.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PEOPLE ?= 20
PORT   ?= 8080
SHOP_PORT ?= $(shell expr $(PORT) + 1)
BESIDE := $(if $(filter-out 8080 8081,$(PORT) $(SHOP_PORT)),--port $(PORT) --shop-port $(SHOP_PORT) --data data/demo-$(PORT))
JOBS   ?= 2
# Its tests wait for browsers and services most of the time.
CHECK_JOBS ?= 3
# One worker runs a whole file: it starts the file's service or browser once.
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder
# A lock file names every package: pip must not look for newer ones than it pins.
INSTALL  = $(BIN)/pip install --disable-pip-version-check --quiet --no-deps
COUNTED := --cov --cov-report= --cov-fail-under=0

WHOLLY_COVERED := oidc/accounts/pseudonym.py,oidc/authorization/checks.py,engine/decision/decide.py,engine/template_codec.py,mobile_api/account/rules.py

# What is released: its name is that of the tag, v0.3.0, on a checkout without changes.
VERSION  = $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' engine/__init__.py)
RELEASE  = dist/thenar-$(VERSION)
SCHEMA   = ls $(1)/storage/migrations/versions | sed -n 's/^\([0-9]\{4\}\)_.*\.py/\1/p' | tail -1

.PHONY: demo demo-ports test quick-tests check coverage lint release test-setup check-setup
.DELETE_ON_ERROR:

demo: demo-ports $(VENV)/service
	@$(BIN)/python -m mobile_api.page_build
	@$(BIN)/thenar demo --people $(PEOPLE) $(BESIDE) $(if $(LAN),--lan) $(if $(CHALLENGE),--challenge) $(if $(STATION),--station)

# Before minutes of setting up. In a network the demo looks at its own address.
demo-ports:
	@$(if $(LAN),true,$(PYTHON) -c "import socket; [socket.create_server(('127.0.0.1', port)) for port in ($(PORT), $(SHOP_PORT))]" 2>/dev/null) \
	  || [ $$? = 127 ] || { echo "Port $(PORT) or $(SHOP_PORT) is taken. Choose another: make demo PORT=8090"; exit 1; }

# Linters and tests beside each other. Its last lines name what it leaves to `make check`.
test: test-setup
	@$(MAKE) --no-print-directory --jobs=2 lint quick-tests

quick-tests: $(VENV)/ready
	$(PYTEST) $(if $(COVERAGE),$(COUNTED)) -m "not check"

# What `make test` has left out: 16 minutes on two cores.
# `make test check COVERAGE=1` counts the branch coverage of both together, and limits it.
check: check-setup
	$(PYTEST) -n $(CHECK_JOBS) --durations=50 $(if $(COVERAGE),$(COUNTED) --cov-append) -m "check and not milvus"
	# The Milvus server does not stay up under a parallel worker.
	$(BIN)/python -m pytest -m milvus $(if $(COVERAGE),$(COUNTED) --cov-append)
	@$(if $(COVERAGE),$(MAKE) --no-print-directory coverage)
	@echo "Left out of make check, as they take hours: thenar bench, models/training."

coverage:
	@for package in engine oidc mobile_api; do \
	  echo "Branch coverage of $$package in per cent, at least 95:"; \
	  $(BIN)/coverage report --include="$$package/*" --format=total --fail-under=95 || exit 1; \
	done
	@echo "Of what decides whose account it is, all of it:"
	@$(BIN)/coverage report --include="$(WHOLLY_COVERED)" --format=total --fail-under=100

lint: $(VENV)/ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.documentation --check
	$(BIN)/python -m tests.words
	$(BIN)/thenar engine verify

# `make release KEY=~/.ssh/release` makes wheel, lock, description, SBOM of what the two install,
# and checksums signed by an OpenSSH key, in dist. Before it: the version in engine/__init__.py, the
# head of CHANGELOG.md, a commit, the tag. A version with .dev needs no tag: it is for trying.
release: $(VENV)/ready
	@test -f "$(KEY)" || { echo "Name the key that signs: make release KEY=~/.ssh/release"; exit 1; }
	@test -z "$$(git status --porcelain)" || { echo "Commit first: a release is a commit."; exit 1; }
	@case $(VERSION) in (*.dev*) ;; (*) git tag --points-at HEAD | grep -qx "v$(VERSION)" \
	  || { echo "Tag this commit first: git tag --sign v$(VERSION)"; exit 1; } ;; esac
	$(BIN)/python -m tests.documentation --check
	$(BIN)/python -m mobile_api.page_build
	rm -rf $(RELEASE) && mkdir -p $(RELEASE) && cp requirements-service.lock $(RELEASE)
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/pip wheel --disable-pip-version-check --quiet \
	  --no-deps --no-build-isolation --wheel-dir $(RELEASE) .
	{ echo "Thenar $(VERSION), commit $$(git rev-parse HEAD)."; \
	  echo "Databases: protocol $$($(call SCHEMA,oidc)), biometric $$($(call SCHEMA,mobile_api))."; \
	  echo "Check: ssh-keygen -Y verify -f KEYS -I NAME -n thenar -s SHA256SUMS.sig < SHA256SUMS"; echo; \
	  sed -n "/^## $(if $(findstring .dev,$(VERSION)),Unreleased,$(VERSION) )/,/^## [0-9]/p" CHANGELOG.md | sed '$$d'; \
	} > $(RELEASE)/RELEASE.md
	rm -rf dist/try && $(PYTHON) -m venv --without-pip dist/try
	$(subst pip install,pip --python dist/try/bin/python install,$(INSTALL)) --require-hashes -r $(RELEASE)/requirements-service.lock
	$(subst pip install,pip --python dist/try/bin/python install,$(INSTALL)) $(RELEASE)/*.whl
	cd dist && env -u PYTHONPATH try/bin/thenar sbom > thenar-$(VERSION)/sbom.cdx.json && rm -rf try
	cd $(RELEASE) && sha256sum * > SHA256SUMS && ssh-keygen -q -Y sign -f "$(KEY)" -n thenar SHA256SUMS

test-setup: $(VENV)/ready
	@$(BIN)/python -m mobile_api.page_build
	@$(BIN)/python tests/system_packages.py

check-setup: test-setup
	@$(BIN)/python tests/milvus_server.py
	@$(BIN)/python tests/node_packages.py

$(VENV)/ready: requirements.lock $(VENV)/service
	@echo "Adding what tests need from requirements.lock (half a minute and 600 MB, once)"
	@$(INSTALL) --require-hashes -r requirements.lock
	@touch $@

$(VENV)/service: requirements-service.lock pyproject.toml
	@echo "Making $(VENV) from requirements-service.lock (half a minute and 850 MB, once)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Thenar needs Python 3.11 or later")'
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@$(INSTALL) --require-hashes -r requirements-service.lock
	@$(INSTALL) --no-build-isolation --editable .
	@touch $@
