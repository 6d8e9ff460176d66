#!/bin/sh
# Kills imports and compactions of a stored tree at random moments, so many times, and checks after each that nothing acknowledged is lost:
#   scripts/kill.sh 10000
# PAD_KILL_TRACE=ca-roots.csv.zst takes a smaller trace, and more moments of each import are hit.
set -eu
cd "$(dirname "$0")/.."
PAD_KILL_ROUNDS=${1:-1000}
export PAD_KILL_ROUNDS
exec cargo test --release --locked -p pad-cli --test it -- --exact kill::acknowledged_versions_of_stored_trees_survive --nocapture
