#!/usr/bin/env bash
# Compiles the kernels of every preset with a pinned CUDA compiler, to PTX and to machine code, and
# holds the results against what the protocol promises. Needs no GPU. With arguments, compiles those
# .cu files in place of the presets'.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/venv.sh
command -v g++ >/dev/null || { echo "nvcc needs g++" >&2; exit 1; }

# 13.0, since drivers of that line take PTX up to its version; nvcc does not bound the versions of
# its own parts, so all four are pinned.
pins=(nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88
  nvidia-cuda-runtime==13.0.96)
venv=target/cuda-venv
venv "$venv" "${pins[@]}"
nvcc=$(echo "$PWD/$venv"/lib/python3*/site-packages/nvidia/cu13/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc at $nvcc" >&2; exit 1; }

out=target/ci/cuda
rm -rf "$out"
mkdir -p "$out"
faults=0
fault() {
  echo "FAULT $1"
  faults=$((faults + 1))
}

# `never FILE PATTERN WHAT` and `always FILE PATTERN WHAT`, on lines of PTX.
never() { if grep -m3 -nE "$2" "$1"; then fault "$1: $3"; fi; }
always() { grep -qE "$2" "$1" || fault "$1: no $3"; }

check_ptx() {
  local ptx=$1
  always "$ptx" 'st\.release\.sys\.global\.u64' "release at system scope"
  always "$ptx" 'ld\.acquire\.sys\.global\.u64' "acquire at system scope"
  always "$ptx" 'ld\.global[.A-Za-z0-9_:]*\.v4\.u32' "load of 16 bytes"
  always "$ptx" 'st\.global[.A-Za-z0-9_:]*\.v4\.u32' "store of 16 bytes"
  # Signals between ranks are plain loads and stores that acquire and release; those stay at system
  # scope, and whatever counts locally must not claim it, since no atomic crosses PCIe.
  never "$ptx" '\b(ld\.acquire|st\.release)\.(cta|cluster|gpu)\b' "a signal below system scope"
  never "$ptx" '\b(atom|red)\b[.A-Za-z0-9_:]*\.sys\b' "an atomic at system scope"
  # Buffers change while the kernel runs, so the read-only cache must not serve them.
  never "$ptx" '\bld\.[.A-Za-z0-9_:]*\bnc\b' "a load through the read-only cache"
  never "$ptx" '(\.local\b|\bld\.local|\bst\.local)' "local memory"
  never "$ptx" '\b(membar|fence)\.(cta|gl)\b' "a fence of the old kind"
}

check_resources() {
  local log=$1
  always "$log" 'bytes stack frame' "report of the assembler"
  if grep -nE 'stack frame|spill' "$log" | grep -vE '\b0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads'; then
    fault "$log: stack or spills"
  fi
}

declare -A kernels
if [ "$#" -gt 0 ]; then
  for file in "$@"; do kernels[$(basename "$file" .cu)]=$file; done
else
  tool=target/release/variopath
  [ -x "$tool" ] || { echo "no $tool; cargo build --release makes it" >&2; exit 1; }
  for file in dsl/platforms/*.topo; do
    preset=$(basename "$file" .topo)
    status=0
    refusal=$("$tool" build "$preset" -o "target/ci/$preset" --force 2>&1 >/dev/null) || status=$?
    case $status in
      0) kernels[$preset]=target/ci/$preset/kernels.cu ;;
      # Such a preset is described, but nothing plans with it yet; any other failure is one.
      3) echo "CUDA: no kernels of $preset: ${refusal%%$'\n'*}" ;;
      *) fault "$preset: ${refusal%%$'\n'*}" ;;
    esac
  done
fi

compiled=0
for name in $(printf '%s\n' "${!kernels[@]}" | sort); do
  for arch in 80 86 89 90 100 120; do
    to=$out/$name.sm_$arch
    if "$nvcc" -arch="compute_$arch" -std=c++17 -ptx -o "$to.ptx" "${kernels[$name]}" &&
      "$nvcc" -arch="sm_$arch" -std=c++17 -cubin -Xptxas -v -o "$to.cubin" "${kernels[$name]}" \
        2>"$to.log"; then
      check_ptx "$to.ptx"
      check_resources "$to.log"
      compiled=$((compiled + 1))
    else
      cat "$to.log" 2>/dev/null || true
      fault "$name does not compile for sm_$arch"
    fi
  done
done
echo "CUDA: $compiled compilations to PTX and cubin, $faults faults"
[ "$faults" -eq 0 ] && [ "$compiled" -gt 0 ]
