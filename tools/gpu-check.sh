#!/usr/bin/env bash
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiled models on a real GPU, in two steps, because the machine with the GPU needs no dlc:
#
#   tools/gpu-check.sh prepare DLC FOLDER [--quick] [options of dlc compile for GPUs]
#       compiles models, matrix products and kernels that memory limits (default options: --gpu=sm_80), where dlc is
#   tools/gpu-check.sh run FOLDER OUT [--quick] [NAME ...]
#       on a machine with an NVIDIA driver, a C++ compiler and this repository's sources: builds the runtime and the
#       check's programs, and runs them for all that was prepared, or for what is named. Lines of JSON go to
#       OUT/gpu-check.jsonl, each as soon as it is known, and a table to OUT/summary.txt.
#
# --quick is for trying the check out: a few small models, each kernel once. Each section has its own time limit, and
# all of them LIMIT seconds; what a machine does not have (compute-sanitizer, PyTorch), and what there is no time for, is
# skipped by name. Exit status 1 where a section was not as it should be. Variables: CXX (g++), PYTHON (python3), DEVICE
# (gpu), STEPS (50), LIMIT (600), BUILD (a folder for the programs, which stay there for another run).
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-python3}
device=${DEVICE:-gpu}

usage() {
  sed -n '4,16p' "$0" | cut -c3- >&2
  exit 2
}

# line SECTION OK FIELDS: one line of JSON of this script itself.
line() {
  printf '{"model": "", "section": "%s", "ok": %s%s}\n' "$1" "$2" "${3:+, $3}" | tee -a "$results"
}

# The end of a file as a JSON text.
tail_of() { tail -c 600 "$1" | tr -d '"\\' | tr '\n\t' '  '; }

facts() {
  local names=name,driver_version,memory.total,clocks.max.sm found
  if found=$(nvidia-smi --query-gpu=$names --format=csv,noheader 2>/dev/null | head -1) && [ -n "$found" ]; then
    line facts true "\"gpu\": \"$found\", \"fields\": \"$names\", \"date\": \"$(date -u +%F)\""
  else
    line facts true "\"gpu\": \"unknown: no nvidia-smi\", \"date\": \"$(date -u +%F)\""
  fi
}

# The runtime's sources alone, then the programs, which all models are linked to.
build() {
  local flags="-std=c++17 -O2 -I$root -I$root/runtime/include" models="" libraries="" name program
  [ "$work/check" -nt "$folder/list" ] && [ "$work/times" -nt "$folder/list" ] && [ -x "$work/summary" ] && return
  mkdir -p "$work/runtime"
  # shellcheck disable=SC2086
  (cd "$root" && find runtime/core runtime/cpu runtime/cuda -name '*.cpp' | xargs -P "$(nproc)" -I{} sh -c \
    "${CXX:-g++} $flags -fno-exceptions -fno-rtti -fno-threadsafe-statics -c {} -o $work/runtime/\$(echo {} | tr / _).o") &&
    ar rcs "$work/libruntime.a" "$work"/runtime/*.o || return 1
  while read -r _ name _; do
    models="$models X($name)"
    libraries="$libraries $folder/$name/lib$name.a"
  done <"$folder/list"
  for program in check times summary; do
    # shellcheck disable=SC2086
    ${CXX:-g++} $flags -DMODELS="$models" "$root/tools/gpu-check/$program.cpp" "$root/tools/gpu-check/Training.cpp" \
      "$root/tools/gpu-check/KernelTimes.cpp" $libraries "$work/libruntime.a" -lpthread -lm -ldl -o "$work/$program" &
  done
  wait
  [ -x "$work/check" ] && [ -x "$work/times" ] && [ -x "$work/summary" ]
}

# section NAME SECONDS COMMAND...: its output goes to the results; a line of its own where it failed, took too long, or
# was not begun because the time is over.
section() {
  local name=$1 limit=$2 left status
  shift 2
  left=$((deadline - SECONDS))
  if [ $left -lt 5 ]; then
    line "$name" true '"skipped": "no time left"'
    return
  fi
  timeout $((limit < left ? limit : left)) "$@" >"$work/out" 2>"$work/err"
  status=$?
  grep '^{' "$work/out" | sed "s/^{/{\"kind\": \"$kind\", /" | tee -a "$results"
  if [ $status -ne 0 ]; then
    failures=$((failures + 1))
    line "$name" false "\"status\": $status, \"stderr\": \"$(tail_of "$work/err")\""
  fi
}

# The names of a kind, with their functions (the tolerances of checks); those that the command line names, if it names some.
of_kind() {
  local kind name function
  while read -r kind name function; do
    [ "$kind" = "$1" ] && { [ -z "$chosen" ] || [[ " $chosen " = *" $name "* ]]; } && echo "$name $function"
  done <"$folder/list"
}

# kernels KIND SECONDS: a section for each of its models.
kernels() {
  local name function
  kind=$1
  while read -r name function; do
    section "kernels_$name" "$2" "$work/times" "$device" kernels "$name" "$folder/$name" "$function" "$milliseconds"
  done < <(of_kind "$kind")
}

run() {
  local folder=$1 out=$2 steps=${STEPS:-50} timed=300 milliseconds=2 copy="536870912 20" kind="" name tolerance mode
  shift 2
  quick=false
  [ "${1-}" = --quick ] && { quick=true; shift; }
  $quick && steps=3 timed=2 milliseconds=0 copy="65536 2"
  chosen=$*
  failures=0
  deadline=$((SECONDS + ${LIMIT:-600}))
  [ -r "$folder/list" ] || { echo "gpu-check.sh: '$folder' has no list: prepare writes it" >&2; exit 2; }
  mkdir -p "$out" || exit 1
  results=$out/gpu-check.jsonl
  : >"$results"
  if [ -n "${BUILD-}" ]; then
    mkdir -p "$BUILD" && work=$(cd "$BUILD" && pwd) || exit 1
  else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
  fi
  facts
  if ! build 2>"$work/build.err"; then
    line build false "\"stderr\": \"$(tail_of "$work/build.err")\""
    exit 1
  fi
  # shellcheck disable=SC2086
  section copy 20 "$work/times" "$device" copy $copy
  kind=check
  while read -r name tolerance; do
    section "check_$name" 60 "$work/check" "$name" "$device" "$steps" "$tolerance"
  done < <(of_kind check)
  kernels product 20
  kernels memory 20
  kind=step
  while read -r name _; do
    section "step_$name" 40 "$work/times" "$device" steps "$name" "$folder/$name" "$timed"
  done < <(of_kind step)
  kernels step 30
  peers
  sanitize
  "$work/summary" "$results" | tee "$out/summary.txt"
  echo
  echo "$(grep -c '"ok": true' "$results") sections good, $(grep -c '"ok": false' "$results") not; $results"
  [ $failures -eq 0 ]
}

# PyTorch on the same GPU: the limits first, then what the models are compared with, the large ones first, because
# compilation may take all the time that is left.
peers() {
  local peer=("$python" "$root/tools/gpu-check/peers.py")
  if $quick || ! "$python" -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
    line peers true "\"skipped\": \"$($quick && echo --quick || echo 'no PyTorch that sees a GPU')\""
    return
  fi
  kind=peer
  section peer_ceilings 30 "${peer[@]}" ceilings
  section peer_products 40 "${peer[@]}" products
  section peer_memory 20 "${peer[@]}" memory
  for one in {eager,compile}_gpt2 eager_{resnet18,gpt,block,lenet,mlp} compile_{resnet18,gpt,block,lenet,mlp}; do
    name=${one#*_}
    { [ -z "$chosen" ] || [[ " $chosen" = *" ${name}_"* ]]; } && section "peer_$one" 60 "${peer[@]}" "${one%%_*}" "$name"
  done
}

# NVIDIA's checks of accesses and races, which take long.
sanitize() {
  local tool name tolerance
  kind=sanitizer
  if ! command -v compute-sanitizer >/dev/null; then
    line sanitizer true '"skipped": "no compute-sanitizer"'
    return
  fi
  for tool in memcheck racecheck; do
    while read -r name tolerance; do
      section "${tool}_$name" 30 compute-sanitizer --error-exitcode 9 --tool "$tool" "$work/check" "$name" "$device" 2 \
        "$tolerance"
    done < <(of_kind check)
  done
}

case "${1-}" in
prepare) [ $# -ge 3 ] || usage; shift; exec "$python" "$root/tools/gpu-check/prepare.py" "$@" ;;
run) [ $# -ge 3 ] || usage; shift; run "$@" ;;
*) usage ;;
esac
