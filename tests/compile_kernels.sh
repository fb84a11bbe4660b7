#!/bin/sh
# Compiles kernel texts for the GPU without one: PTX and cubin for every supported architecture, with
# the pinned CUDA 13.0 compilers from PyPI, and looks at what came out.
# Usage: compile_kernels.sh FILE.cu...
# The compilers are kept in target/cuda-13.0. Exit 0: all is well (or skipped, with a line in
# target/skipped.txt); 1: something does not compile or must not be in it.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
venv=$root/target/cuda-13.0
mkdir -p "$root/target"

skip() {
  echo "SKIPPED compile_kernels: $1" | tee -a "$root/target/skipped.txt" >&2
  exit 0
}

if [ ! -e "$venv/complete" ]; then
  rm -rf "$venv"
  python3 -m venv "$venv" || skip "no python3 with venv"
  "$venv/bin/pip" install -q 'nvidia-cuda-nvcc==13.0.*' 'nvidia-nvvm==13.0.*' \
    'nvidia-cuda-crt==13.0.*' 'nvidia-cuda-runtime==13.0.*' || skip "the CUDA 13.0 compilers cannot be had"
  touch "$venv/complete"
fi
nvcc=$(echo "$venv"/lib/python3*/site-packages/nvidia/cu13/bin/nvcc)
[ -x "$nvcc" ] || skip "$nvcc is missing"
command -v g++ >/dev/null || skip "nvcc needs g++"

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
compiled=0
fail() {
  echo "$1" >&2
  exit 1
}
for file in "$@"; do
  for arch in 80 86 89 90 100 120; do
    "$nvcc" -arch=sm_$arch -std=c++17 -Werror all-warnings -ptx -o "$out/k.ptx" "$file" \
      || fail "$file: no PTX for sm_$arch"
    "$nvcc" -arch=sm_$arch -std=c++17 -cubin -Xptxas -v -o "$out/k.cubin" "$file" 2>"$out/said" \
      || fail "$file: no cubin for sm_$arch"
    grep -q '0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads' "$out/said" \
      || fail "$file: sm_$arch uses local memory: $(grep 'stack frame' "$out/said")"
    ! grep -E '^[[:space:]]*(@%p[0-9]+ )?(atom|red)\.[a-z_.0-9]*\.?sys' "$out/k.ptx" \
      || fail "$file: a system-scope atomic for sm_$arch"
    ! grep -F '.nc.' "$out/k.ptx" || fail "$file: a read-only load for sm_$arch"
    grep -q 'st\.release\.sys' "$out/k.ptx" && grep -q 'ld\.acquire\.sys' "$out/k.ptx" \
      || fail "$file: no system-scope signals for sm_$arch"
    grep -q 'ld\.global\.L1::no_allocate\.v4' "$out/k.ptx" || fail "$file: no 16-byte loads for sm_$arch"
    compiled=$((compiled + 1))
  done
done
echo "compile_kernels: $# texts, $compiled compilations to PTX and cubin, no spills"
