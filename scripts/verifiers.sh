#!/bin/sh
# Lints all that a verifier needs as it is compiled for WebAssembly: no operating system, no threads, no C.
set -eu
cd "$(dirname "$0")/.."
target=wasm32-unknown-unknown
# The final program chooses the source of random numbers there.
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS='--cfg getrandom_backend="custom"'

installed() { rustc --print target-libdir --target "$target" 2>/dev/null | xargs ls 2>/dev/null | grep -q '^libcore-'; }
if ! installed; then
    rustup target add "$target" || true
fi
if installed; then
    set -- --target "$target"
else
    echo "for this system alone: the standard library for $target is not installed (rustup target add $target)"
fi
lint() { "${CARGO:-cargo}" clippy --locked --no-default-features "$@" -- -D warnings; }
# Each one alone: another crate in the same build may switch on what it lacks.
lint "$@" -p pad-tree
lint "$@" -p pad-tuple
lint "$@" -p pad-log
lint "$@" -p pad-accumulators --features bilinear
lint "$@" -p pad-log -p pad-accumulators -p block-directory -p flexlist -p pad-core -p pad-tree -p pad-tuple -p transparency-log \
    --features pad-accumulators/bilinear,pad-tuple/bilinear,pad-tuple/bls
