# Everything runs inside .venv, which the first target that needs it creates.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PEERS := .venv-peers
# Compiled modules are kept: tests start many processes.
unexport PYTHONDONTWRITEBYTECODE
# How long `make fuzz` and `make soak` take, and the seed of the former, which is drawn if absent.
SECONDS ?= 3600
SEED ?=
SOURCES := Cargo.toml Cargo.lock pyproject.toml $(shell find src -name '*.rs')

.PHONY: demo test test-rust test-python test-docstrings test-quick lint lint-rust lint-python fmt \
	fuzz fuzz-python fuzz-rust soak bench compare growth options wheel docs build compile tools clean

# Builds, boosts noisy and real problems, prints a table.
demo: build
	$(BIN)/python examples/demo.py

# All tests, Rust and Python. The Python tests go beside what compiles; both need what is made
# before, one after the other, because two runs of pip in one environment get in each other's way.
test: build tools
	$(MAKE) --jobs=2 test-rust test-docstrings test-python

test-rust:
	cargo test --quiet

# A process for each core; BLAS, which would take all cores in each of them, gets one.
test-python: build tools
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal

# Examples in docstrings.
test-docstrings: build tools
	$(BIN)/python -m pytest --doctest-modules python/weakforce

# Less than three minutes of tests: the Rust tests of single modules, and the Python tests that are
# not marked as slow, with only so many cases that every parameter has all its values.
test-quick: build tools
	cargo test --quiet -- --skip tests_of_the_whole
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

# Random calls and damaged files, for an hour by default: `make fuzz SECONDS=60`. What was ever found
# is in tests/fuzz/corpus and is tried first.
fuzz: fuzz-python fuzz-rust

fuzz-python: build tools
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

# The targets in fuzz/, a quarter of the time each.
FUZZ_TARGETS := model_file settings parquet arrow_columns
fuzz-rust: build tools
	@if ! cargo +nightly fuzz --version >/dev/null 2>&1; then \
		echo "fuzz-rust is skipped: it needs a nightly toolchain and cargo-fuzz" \
			"(rustup toolchain install nightly; cargo install cargo-fuzz)"; \
	else \
		$(BIN)/python -m tests.fuzz.seeds fuzz/corpus && \
		for target in $(FUZZ_TARGETS); do \
			cargo +nightly fuzz run $$target -- -max_total_time=$$(($(SECONDS) / 4)) \
				-timeout=30 -rss_limit_mb=4096 || exit 1; \
		done; \
	fi

# The same work over and over, for an hour by default; fails if memory or file handles grow.
soak: build tools
	$(BIN)/python -m tests.soak --seconds $(SECONDS)

# Formatting, clippy (warnings are errors), ruff, mypy, and whether the stub says what the compiled
# module has.
lint: build tools
	$(MAKE) --jobs=2 lint-rust lint-python

lint-rust:
	cargo fmt --check
	cargo clippy --quiet --all-targets --features python -- -D warnings
	cargo clippy --quiet --no-default-features -- -D warnings

lint-python: build tools
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest weakforce._core

fmt: tools
	cargo fmt
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Criterion benchmarks of the kernels.
bench:
	cargo bench

# Side by side with LightGBM, XGBoost and scikit-learn, in a venv of its own.
compare: $(PEERS)/built
	$(PEERS)/bin/python benches/peers/compare.py

# How time grows with rows and columns: docs/growth.json and docs/growth.png.
growth: build tools
	cd benches/peers && $(CURDIR)/$(BIN)/python growth.py

# Writes the command line's table of options anew, after parameters of estimators have changed.
options: build
	$(BIN)/python -m weakforce.command_line.class_options

wheel: build
	$(BIN)/maturin build --release --out dist

docs: build
	$(BIN)/python -m pip install --quiet "pdoc>=15"
	$(BIN)/pdoc --output-directory docs/build weakforce
	cargo doc --no-deps --quiet

build: $(VENV)/built

compile: $(VENV)/compiled

tools: $(VENV)/tools

# The demo needs only what builds the extension and what the library itself depends on. The profile
# `dev` is optimised less than that of the wheel. pip is brought up to date here and nowhere later:
# maturin calls it, and would not find it while it is replaced. Packages are not compiled when they
# are installed: Python compiles the modules that are used when they are.
$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1" "maturin>=1.8,<2"
	touch $@

$(VENV)/compiled: $(VENV)/ready $(SOURCES)
	$(BIN)/maturin develop --quiet --skip-install
	touch $@

# The large dependencies are fetched while the extension compiles, unless both are there already.
$(VENV)/built: $(VENV)/ready $(SOURCES)
	$(BIN)/python -m pip install --quiet --no-compile numpy polars scikit-learn & $(MAKE) compile; wait
	$(BIN)/maturin develop --quiet
	touch $@

# Test runners, linters and the libraries that tests compare with.
$(VENV)/tools: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --no-compile --group test
	touch $@

$(PEERS)/ready: pyproject.toml
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(PEERS)/bin/python -m pip install --quiet --group peers
	touch $@

$(PEERS)/built: $(PEERS)/ready $(SOURCES) $(shell find python -name '*.py')
	$(PEERS)/bin/python -m pip install --quiet .
	touch $@

clean:
	rm -rf $(VENV) $(PEERS) target dist docs/build
