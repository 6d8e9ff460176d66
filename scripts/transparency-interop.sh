#!/usr/bin/env bash
# Holds the formats of transparency logs against what others wrote in Go: golang.org/x/mod (notes, tiles, proofs),
# github.com/transparency-dev/formats (checkpoints, cosignatures, proofs as text), and Tessera (its fsck, and a log of
# its own that `pad witness` cosigns over HTTP).
#
#   scripts/transparency-interop.sh [entries]
#
# PAD names the pad program, which is built otherwise.
# Without Go, or without its modules, it says what it skips and succeeds.
set -euo pipefail
cd "$(dirname "$0")/.."

entries=${1:-70000}
fsck_version=v1.0.4

skip() {
    echo "transparency-interop: SKIPPED, $*: nothing was held against other implementations"
    exit 0
}
command -v go >/dev/null || skip "Go is not installed"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
target=${CARGO_TARGET_DIR:-target}

(cd scripts/transparency-interop && go build -mod=readonly -o "$work/peer" .) 2>"$work/go.log" || {
    # Only modules that cannot be fetched are a reason to skip; sources that do not compile are not.
    if grep -qE 'dial tcp|no such host|i/o timeout|proxy' "$work/go.log"; then
        skip "the Go modules cannot be fetched"
    fi
    cat "$work/go.log" >&2
    exit 1
}
cargo build --locked -q -p transparency-log --features disk --example interop
ours=$target/debug/examples/interop
[ -n "${PAD:-}" ] || cargo build --locked -q -p pad-cli
pad=$(realpath "${PAD:-$target/debug/pad}")

echo "== ours, checked by x/mod and formats"
"$ours" make "$work/ours" "$entries"
"$work/peer" check "$work/ours"

echo "== the vectors of our tests, checked by x/mod and formats"
"$work/peer" texts crates/transparency-log/tests/it/vectors

echo "== ours, checked by Tessera's fsck"
if GOBIN="$work" go install "github.com/transparency-dev/tessera/cmd/fsck@$fsck_version" 2>"$work/fsck.log"; then
    # It exits with 0 whatever it finds, and may not end at all where it finds something wrong.
    fsck() {
        timeout "$1" "$work/fsck" --storage_url="file://$2/public" --public_key="$2/log.pub" --ui=false -v=1 2>&1
    }
    fsck 600 "$work/ours" >"$work/fsck.out" || true
    if ! grep 'Successfully' "$work/fsck.out"; then
        cat "$work/fsck.out" >&2
        echo "transparency-interop: fsck does not find the log whole" >&2
        exit 1
    fi
    # What it finds has to depend on what is there.
    "$ours" make "$work/damaged" 300
    fsck 60 "$work/damaged" | grep -q 'Successfully'
    printf 'x' | dd of="$work/damaged/public/tile/entries/000" bs=1 seek=5 conv=notrunc status=none
    if fsck 20 "$work/damaged" | grep -q 'Successfully'; then
        echo "transparency-interop: fsck finds a damaged log whole, so it shows nothing" >&2
        exit 1
    fi
    echo "and it does not find one with a changed entry whole"
else
    echo "SKIPPED: fsck cannot be installed; the other steps run"
fi

echo "== theirs (x/mod, formats), checked by ours"
"$work/peer" make "$work/theirs" 1500
"$ours" check "$work/theirs"

echo "== a log of Tessera's, cosigned by our witness, checked by ours"
"$pad" witness keygen --name witness.example/pad --out "$work/witness.key" >/dev/null
"$work/peer" tessera "$work/tessera" 300 "$work/witness.key" "$pad" 2>"$work/tessera.log" || {
    cat "$work/tessera.log" >&2
    exit 1
}
"$ours" check "$work/tessera"
echo "transparency-interop: all steps passed"
