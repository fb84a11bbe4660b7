#!/usr/bin/env bash
# generated/ holds exactly what the tool writes today.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tool=target/release/variopath
[ -x "$tool" ] || { echo "no $tool; cargo build --release makes it" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

presets="l20-8 l40s-8"
for preset in $presets; do
  "$tool" build "$preset" -o "$work/$preset" >/dev/null
done
if ! diff -r "$work" generated; then
  echo "generated/ differs from what the tool writes; if that is meant, update it with"
  for preset in $presets; do
    echo "  cargo run --release -- build $preset -o generated/$preset --force"
  done
  exit 1
fi
