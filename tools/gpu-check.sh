#!/usr/bin/env bash
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiled models on a real GPU, in two steps, because the machine with the GPU needs no dlc:
#
#   tools/gpu-check.sh prepare DLC FOLDER [options of dlc compile for GPUs]
#       compiles some models for the CPU and for GPUs (default options: --gpu=sm_80), where dlc is
#   tools/gpu-check.sh run FOLDER OUT [MODEL ...]
#       on a machine with an NVIDIA driver, a C++ compiler and this repository's sources: builds the runtime and one
#       program a model, and runs them. Lines of JSON go to OUT/gpu-check.jsonl, each as soon as it is known.
#
# Each section has its own time limit; what a machine does not have (compute-sanitizer, PyTorch) is skipped by name.
# Exit status 1 where a section was not as it should be. Variables: CXX (g++), DEVICE (gpu), STEPS (50), TIMED (300).
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
trajectories=$root/tests/e2e/trajectories

usage() {
  sed -n '4,13p' "$0" | cut -c3- >&2
  exit 2
}

# One model: its name, file, batch and training. Those of the file - are written by generated.py.
models() {
  cat <<END
circle $trajectories/circle.onnx 500 --loss=bce --optimizer=adamw --lr=1e-2 --weight-decay=0.01
regression $trajectories/regression.onnx 64 --loss=mse --optimizer=sgd --lr=0.02 --momentum=0.9
mlp $root/docs/examples/mlp/mlp.onnx 64 --loss=softmax-cross-entropy --optimizer=adam --lr=1e-3
lenet - 64 --loss=softmax-cross-entropy --optimizer=sgd --lr=0.003 --momentum=0.9
gpt_narrow - 6 --loss=softmax-cross-entropy --class-axis=-1 --optimizer=adamw --lr=1e-3 --weight-decay=0.1
END
}

prepare() {
  local dlc=$1 folder=$2
  shift 2
  [ $# -gt 0 ] || set -- --gpu=sm_80
  mkdir -p "$folder" || exit 1
  models | while read -r name file batch options; do
    if [ "$file" = - ]; then
      file=$folder/$name.onnx
      python3 "$trajectories/generated.py" "$name" "$file" || exit 1
    fi
    # shellcheck disable=SC2086 # options are words
    "$dlc" compile "$file" -o "$folder/$name" --name="$name" --batch="$batch" --embed-weights --cpu=x86-64-v3 $options \
      --target=cpu,nvptx "$@" || exit 1
  done
}

# line SECTION OK FIELDS: one line of JSON of this script itself.
line() {
  printf '{"section": "%s", "ok": %s%s}\n' "$1" "$2" "${3:+, $3}" | tee -a "$results"
}

facts() {
  local names=name,driver_version,memory.total,clocks.max.sm found
  if found=$(nvidia-smi --query-gpu=$names --format=csv,noheader 2>/dev/null | head -1) && [ -n "$found" ]; then
    line facts true "\"gpu\": \"$found\", \"fields\": \"$names\", \"date\": \"$(date -u +%F)\""
  else
    line facts true "\"gpu\": \"unknown: no nvidia-smi\", \"date\": \"$(date -u +%F)\""
  fi
}

# The runtime's sources alone, without zlib; then a program for each model.
build() {
  local work=$1 folder=$2 flags="-std=c++17 -O2 -I$root -I$root/runtime/include"
  mkdir -p "$work/runtime"
  # shellcheck disable=SC2086
  (cd "$root" && find runtime -name '*.cpp' | xargs -P "$(nproc)" -I{} sh -c \
    "${CXX:-g++} $flags -fno-exceptions -fno-rtti -fno-threadsafe-statics -c {} -o $work/runtime/\$(echo {} | tr / _).o") &&
    ar rcs "$work/libruntime.a" "$work"/runtime/*.o || return 1
  for name in $chosen; do
    # shellcheck disable=SC2086
    ${CXX:-g++} $flags -DMODEL="\"$name.model\"" "$root/tools/gpu-check/check.cpp" "$root/tools/gpu-check/Training.cpp" \
      "$folder/$name/lib$name.a" "$work/libruntime.a" -lpthread -lm -ldl -o "$work/check-$name" || return 1
  done
}

# section NAME SECONDS COMMAND...: its output goes to the results; a line of its own where it failed or took too long.
section() {
  local name=$1 limit=$2 status
  shift 2
  timeout "$limit" "$@" >"$work/$name.out" 2>"$work/$name.err"
  status=$?
  grep '^{' "$work/$name.out" | tee -a "$results"
  if [ $status -ne 0 ]; then
    failures=$((failures + 1))
    line "$name" false "\"status\": $status, \"stderr\": \"$(tail -c 600 "$work/$name.err" | tr -d '"\\' | tr '\n' ' ')\""
  fi
}

run() {
  local folder=$1 out=$2
  shift 2
  chosen=${*:-$(models | cut -d' ' -f1)}
  failures=0
  mkdir -p "$out" || exit 1
  results=$out/gpu-check.jsonl
  : >"$results"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  facts
  if ! build "$work" "$folder" 2>"$work/build.err"; then
    line build false "\"stderr\": \"$(tail -c 600 "$work/build.err" | tr -d '"\\' | tr '\n' ' ')\""
    exit 1
  fi
  for name in $chosen; do
    section "model_$name" 90 "$work/check-$name" "$name" "${DEVICE:-gpu}" "${STEPS:-50}" "${TIMED:-300}"
  done
  if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck; do
      for name in $chosen; do
        section "${tool}_$name" 60 compute-sanitizer --error-exitcode 9 --tool "$tool" "$work/check-$name" "$name" \
          "${DEVICE:-gpu}" 2 0
      done
    done
  else
    line sanitizer true '"skipped": "no compute-sanitizer"'
  fi
  if python3 -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
    section peers 90 python3 "$root/tools/gpu-check/peers.py"
  else
    line peers true '"skipped": "no PyTorch that sees a GPU"'
  fi
  echo
  echo "$(grep -c '"ok": true' "$results") sections good, $(grep -c '"ok": false' "$results") not; $results"
  [ $failures -eq 0 ]
}

case "${1-}" in
prepare) [ $# -ge 3 ] || usage; shift; prepare "$@" ;;
run) [ $# -ge 3 ] || usage; shift; run "$@" ;;
*) usage ;;
esac
