#!/bin/sh
# Checks that all a verifier needs compiles for WebAssembly, as in a browser: no operating system, no threads, no C.
set -eu
cd "$(dirname "$0")/.."
target=wasm32-unknown-unknown

installed() { rustc --print target-libdir --target "$target" 2>/dev/null | xargs ls 2>/dev/null | grep -q '^libcore-'; }
if ! installed; then
    rustup target add "$target" || true
fi
if ! installed; then
    echo "skipped: the standard library for $target is not installed (rustup target add $target)"
    exit 0
fi
# Without designs of tuples under accumulators and without outsourced files, whose crates draw at random; `aad` brings the accumulator of bilinear maps.
exec "${CARGO:-cargo}" check --locked --target "$target" --no-default-features \
    -p pad-core -p pad-tree -p pad-tuple -p aad -p block-directory -p transparency-log --features pad-tuple/bls
