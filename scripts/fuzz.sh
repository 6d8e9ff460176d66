#!/usr/bin/env bash
# Fuzzes every target of fuzz/ for an equal share of the given seconds (60 if none are given).
#
#   scripts/fuzz.sh [seconds] [target...]
#
# New inputs are kept in fuzz/target/corpus; the committed seeds in fuzz/corpus are only read.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
targets=("${@:2}")
# The sanitizer flags are nightly options; this lets the pinned stable toolchain take them.
export RUSTC_BOOTSTRAP=1

if ! cargo fuzz --version >/dev/null 2>&1; then
    echo "fuzz: cargo-fuzz is missing; running: cargo install cargo-fuzz --version 0.13.2 --locked"
    cargo install cargo-fuzz --version 0.13.2 --locked --quiet
fi
if [ ${#targets[@]} -eq 0 ]; then
    mapfile -t targets < <(cargo fuzz list)
fi
[ ${#targets[@]} -gt 0 ] || { echo "fuzz: there are no targets in fuzz/" >&2; exit 1; }

echo "fuzz: building ${#targets[@]} targets"
# The profile `dev` of fuzz/Cargo.toml: cargo-fuzz adds debug information to `release`. No sanitizer:
# there is no unsafe code here, and without one targets build and run faster.
options=(--dev --sanitizer none)
cargo fuzz build "${options[@]}"

share=$((seconds / ${#targets[@]}))
share=$((share > 0 ? share : 1))
failed=0
for target in "${targets[@]}"; do
    grown=fuzz/target/corpus/$target seeds=fuzz/corpus/$target
    mkdir -p "$grown"
    corpora=("$grown")
    if [ -d "$seeds" ]; then corpora+=("$seeds"); fi
    # -timeout is for one input; it makes a verifier that loops a failure.
    if cargo fuzz run "${options[@]}" "$target" "${corpora[@]}" -- \
        -max_total_time="$share" -timeout=10 -seed="${FUZZ_SEED:-1}" >"$grown.log" 2>&1; then
        echo "fuzz: $target: $(grep '^Done' "$grown.log")"
    else
        echo "fuzz: $target: FAILED (all of it in $grown.log; to reproduce, set RUSTC_BOOTSTRAP=1)" >&2
        grep -m 1 -A 1 'panicked at\|ERROR: ' "$grown.log" >&2 || true
        grep -A 2 'Reproduce with\|^error' "$grown.log" >&2 || tail -n 40 "$grown.log" >&2
        failed=1
    fi
done
exit $failed
