#!/usr/bin/env bash
# Every check of the project: formatting, lints, documentation, tests, the CUDA compilers, generated
# files. The last line is `N passed, N failed, N skipped`; the exit code is 0 only without failures.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mkdir -p target/ci
rm -f target/skipped.txt target/ci/*.log
: >target/ci/checks.txt

for tool in cargo g++ python3; do
  command -v "$tool" >/dev/null || { echo "tests/run.sh needs $tool" >&2; exit 1; }
done

# Runs one check: `check NAME COMMAND...`. Its result is a line of target/ci/checks.txt.
check() {
  local name=$1
  shift
  echo "== $name"
  if "$@"; then
    echo "passed $name" >>target/ci/checks.txt
  else
    echo "failed $name" >>target/ci/checks.txt
    echo "FAILED $name"
  fi
}

# Cargo's tests print their own counts, which are read from the log. The result of the command is
# counted only when no test did fail, so that a build that breaks is not counted as nothing.
cargo_tests() {
  local status=0
  # Hostile input is for the binary that users have; the unoptimised one takes a minute over it.
  VARIOPATH_BINARY="$PWD/target/release/variopath" cargo test --locked --no-fail-fast 2>&1 | tee target/ci/cargo-test.log || status=$?
  if [ "$status" -ne 0 ] && ! grep -q '^test result: FAILED' target/ci/cargo-test.log; then
    return 1
  fi
  grep -q '^test result:' target/ci/cargo-test.log
}

check "formatting" cargo fmt --check
check "lints" cargo clippy --locked --all-targets -- -D warnings
check "documentation" env RUSTDOCFLAGS=-Dwarnings cargo doc --locked --no-deps
check "release build" cargo build --locked --release
check "tests ran" cargo_tests
check "same bytes from two folders and thread counts" bash tests/same_bytes.sh
check "generated files" bash tests/generated.sh
check "linear programs against an independent solver" bash tests/linear_programs.sh
check "symmetry against an independent program" bash tests/symmetry.sh
check "CUDA compilers" bash tests/cuda.sh

# Sums the numbers before the word $1 in the closing lines of cargo's test programs.
sum() {
  { grep '^test result:' target/ci/cargo-test.log || true; } |
    sed -nE "s/.* ([0-9]+) $1.*/\1/p" | awk '{ total += $1 } END { print total + 0 }'
}
passed=$(($(sum passed) + $(grep -c '^passed' target/ci/checks.txt || true)))
failed=$(($(sum failed) + $(grep -c '^failed' target/ci/checks.txt || true)))
ignored=$(sum ignored)
skipped=$ignored
echo
grep '^failed' target/ci/checks.txt || true
grep -E '^test .* \.\.\. FAILED$' target/ci/cargo-test.log || true
grep -E '^test .* \.\.\. ignored' target/ci/cargo-test.log || true
if [ -s target/skipped.txt ]; then
  # Tests run in any order, and a test may skip for the same reason several times.
  sort -u target/skipped.txt -o target/skipped.txt
  sed 's/^SKIPPED //; s/^/skipped: /' target/skipped.txt
  # A test that skips itself returns early, so cargo has counted it as passed.
  itself=$(wc -l <target/skipped.txt)
  skipped=$((skipped + itself))
  passed=$((passed - itself))
  if [ "${CI:-}" = true ]; then
    # Without a GPU or the collected machine descriptions their tests cannot run; all else must.
    unexcused=$(grep -viE 'gpu|cuda driver' target/skipped.txt |
      { if [ -d ../shared/corpus ]; then cat; else grep -vi corpus || true; fi; } | wc -l)
    failed=$((failed + unexcused))
    skipped=$((skipped - unexcused))
    [ "$unexcused" -eq 0 ] || echo "FAILED: $unexcused of them may not be skipped here"
  fi
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
