#!/usr/bin/env bash
# Holds the symmetry of random machines, and of those of real dumps, against an independent program.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/venv.sh
mkdir -p target
oracle_venv "symmetry against an independent program" || exit 0

machines=$PWD/target/ci/symmetries
rm -rf "$machines"
mkdir -p "$machines"
VARIOPATH_SYMMETRIES=$machines cargo test --locked --quiet --test symmetry
"$oracles/bin/python" tests/symmetry_oracle.py "$machines"
