# The commands of the workspace; `make` alone lists them.

CARGO ?= cargo
# Seconds of fuzzing, split evenly over all targets.
FUZZ_SECONDS ?= 60
# Handed on to the program that a target runs, e.g. make report ARGS="--keys 10000".
ARGS ?=

# Where `make install` puts the program, its manual and what shells complete with.
PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: help demo install test soak bench report peers fuzz style check package prerequisites

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: prerequisites ## publish, query and attack real dictionaries
	$(CARGO) run --profile demo --locked -p demo -- $(ARGS)

install: prerequisites ## build the command pad and install it with its manual and completions under PREFIX=/usr/local
	$(CARGO) build --release --locked -p pad-cli
	scripts/install.sh "$(DESTDIR)$(PREFIX)"

# Tests that wait leave a core to others.
test: export RUST_TEST_THREADS ?= $(shell expr 2 \* $$(getconf _NPROCESSORS_ONLN))
test: prerequisites ## run every test, build the examples, and run every benchmark once
	$(CARGO) test --workspace --locked
	$(CARGO) test --workspace --locked --bench criterion

soak: export RUSTFLAGS += --cfg soak
soak: prerequisites ## run every test with its expensive cases: kills, long random traces, large sizes (SOAK=3/10: part 3 of 10)
	SOAK=$${SOAK:-all} $(CARGO) test --workspace --locked --target-dir target/soak $(ARGS)

bench: prerequisites ## run the criterion benchmarks: less than 15 minutes on two cores (ARGS="-- server/prove": those of that name)
	$(CARGO) bench --locked $(ARGS)

report: prerequisites ## measure everything and draw the page in target/report (ARGS=--quick: within ten minutes, in target/report-quick)
	$(CARGO) run --release -p bench -- report $(ARGS)

peers: prerequisites ## build other people's dictionaries, test them, and measure them beside ours
	$(CARGO) test --manifest-path peers/Cargo.toml --locked
	$(CARGO) run --release -p bench -- peers $(ARGS)

fuzz: ## fuzz every target for FUZZ_SECONDS=60 seconds in all
	scripts/install-prerequisites.sh fuzz
	scripts/fuzz.sh $(FUZZ_SECONDS)

style: ## formatting, and what takes seconds to check
	$(CARGO) fmt --all --check
	! LC_ALL=C.UTF-8 grep -rnP '^(?=.{101})(?!.*\S{60}).*//!? ' $$(git ls-files '*.rs') # comments of more than 100 columns
	scripts/messages.py --check

check: prerequisites style ## formatting, lints, documentation, public interfaces (docs/api), messages (docs/messages.md); dependencies with cargo-deny
	$(CARGO) clippy --workspace --all-targets --all-features --locked -- -D warnings
	$(CARGO) check -p pad-cli --no-default-features --locked
	$(CARGO) check -p pad-cli --no-default-features --features file --locked
	$(CARGO) check -p pad-accumulators --no-default-features --features rsa --locked
	scripts/verifiers.sh
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --all-features --locked
	scripts/public-api.py --check
	scripts/audit.sh

package: prerequisites ## pack the crates that can be published, and check a program against the packed files alone
	scripts/package.sh

prerequisites:
	@scripts/install-prerequisites.sh
