#!/usr/bin/env bash
# Solves random linear programs, and those of machines with several routes a pair, with our solver and
# with an independent one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/venv.sh
mkdir -p target
oracle_venv "linear programs against an independent solver" || exit 0

programs=$PWD/target/ci/programs
rm -rf "$programs"
mkdir -p "$programs"
VARIOPATH_PROGRAMS=$programs cargo test --locked --quiet --test linear_programs --test t_star
"$oracles/bin/python" tests/lp_oracle.py "$programs"
