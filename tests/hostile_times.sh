#!/usr/bin/env bash
# What a release build takes for each case of hostile input: milliseconds, peak memory, exit code.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cargo build --release --quiet
VARIOPATH_BINARY="$PWD/target/release/variopath" \
  cargo test --quiet --test hostile -- --nocapture --test-threads 1 | grep -E '^ *[0-9]+ ms' | sort -rn
