#!/usr/bin/env bash
# Runs the tests of stores in objects against versitygw, which speaks the protocol of S3 over a folder. Skipped where there is no Go.
set -euo pipefail
cd "$(dirname "$0")/.."

version=v1.8.0
if ! command -v go >/dev/null; then
    echo "skipped: versitygw $version is built with Go, which is not installed"
    exit 0
fi

folder=$(mktemp -d)
gateway=
cleanup() {
    [ -z "$gateway" ] || kill "$gateway" 2>/dev/null || true
    rm -rf "$folder"
}
trap cleanup EXIT

# Kept between runs: building it takes minutes.
tools=${CARGO_TARGET_DIR:-target}/tools
mkdir -p "$tools"
if [ ! -x "$tools/versitygw" ]; then
    GOFLAGS=-buildvcs=false GOBIN=$(cd "$tools" && pwd) \
        go install "github.com/versity/versitygw/cmd/versitygw@$version"
fi

mkdir -p "$folder/data/bucket"
port=${OBJECT_STORE_PORT:-17070}
ROOT_ACCESS_KEY=test ROOT_SECRET_KEY=testsecret \
    "$tools/versitygw" --port "127.0.0.1:$port" posix "$folder/data" >"$folder/log" 2>&1 &
gateway=$!
for _ in $(seq 100); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
    kill -0 "$gateway" 2>/dev/null || { cat "$folder/log"; exit 1; }
    sleep 0.1
done

AWS_ENDPOINT="http://127.0.0.1:$port" AWS_ALLOW_HTTP=true AWS_REGION=us-east-1 \
    AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=testsecret PAD_OBJECTS=s3://bucket/tests \
    cargo test -p authdict --features s3 --locked --test it object
echo "versitygw $version: every test passed"
