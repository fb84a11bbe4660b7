#!/usr/bin/env bash
# The same bundle and the same plan from two working folders, with one thread and with two.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tool=$PWD/target/release/variopath
[ -x "$tool" ] || { echo "no $tool; cargo build --release makes it" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/one" "$work/two"

for preset in l20-8 l40s-8; do
  (cd "$work/one" && "$tool" build "$preset" -o "$preset" --threads 1 >"$preset.out")
  (cd "$work/two" && "$tool" build "$preset" -o "$preset" --threads 2 >"$preset.out")
  for demand in uniform:1MiB zipf:1.2 random; do
    name="$preset-${demand//[:.]/-}.json"
    (cd "$work/one" && "$tool" plan "$preset" --demand "$demand" --json --threads 1 >"$name")
    (cd "$work/two" && "$tool" plan "$preset" --demand "$demand" --json --threads 2 >"$name")
  done
done
diff -r "$work/one" "$work/two"
