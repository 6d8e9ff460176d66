#!/usr/bin/env bash
# Checks licences, sources and duplicates of every dependency against deny.toml with cargo-deny, without the network.
#
# Skipped where cargo-deny is not installed. Security advisories need a current database, so they are not part of it.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo deny --version >/dev/null 2>&1; then
    echo "audit: skipped: cargo-deny is not installed (cargo install cargo-deny)" >&2
    exit 0
fi
for manifest in Cargo.toml fuzz/Cargo.toml; do
    cargo deny --manifest-path "$manifest" --config deny.toml --locked check licenses bans sources
done
