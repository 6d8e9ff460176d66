#!/bin/sh
# Kills processes at random moments, so many times, and checks after each that nothing acknowledged is lost:
#   scripts/kill.sh 10000              imports and compactions of a stored tree
#   scripts/kill.sh 200 processes      in turn author, servers, mirror, router, witness and clients, under load
#   scripts/kill.sh 3600 soak          the same for 3600 seconds, with hostile peers and full disks
# PAD_KILL_TRACE=prices.csv.zst takes few large versions for the imports, in the place of many small ones. PAD_SEED=2 takes other
# moments for the processes. PAD names the program that is killed; unless it does, that and the test are built for release.
set -eu
cd "$(dirname "$0")/.."
PAD_KILL_ROUNDS=${1:-1000}
PAD_KILL_TRACE=${PAD_KILL_TRACE:-small-versions}
PAD_SOAK_SECONDS=$PAD_KILL_ROUNDS
export PAD_KILL_ROUNDS PAD_KILL_TRACE PAD_SOAK_SECONDS
case ${2:-imports} in
imports) test=kill::acknowledged_versions_of_trees_survive ;;
processes) test=service::killed::whoever_is_killed_nothing_that_was_acknowledged_is_lost_and_no_view_goes_back ;;
soak) test=service::killed::honest_clients_lose_nothing_to_hostile_peers_kills_and_full_disks ;;
*)
    echo "usage: scripts/kill.sh [ROUNDS|SECONDS] [imports|processes|soak]" >&2
    exit 2
    ;;
esac
if [ -n "${PAD:-}" ]; then
    PAD=$(realpath "$PAD")
    export PAD
    exec cargo test --locked -p pad-cli --test it -- --exact "$test" --nocapture
fi
exec cargo test --release --locked -p pad-cli --test it -- --exact "$test" --nocapture
