#!/usr/bin/env bash
# Installs packages, builds everything and runs all tests: lit, units, numerics, runtime, end to end.
#   tools/test.sh [-D<variable>=<value>...] [ctest options, e.g. -R e2e]
# Folders that are not part of the project turn on more tests (docs/testing.md):
#   -DDLC_ONNX_BACKEND_DIR=  -DDLC_MODELS_DIR=  -DDLC_MALFORMED_DIR=
#
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

variables=() options=()
for argument in "$@"; do
  case $argument in
    --help | -h) sed -n '2,/^$/s/^# \{0,1\}//p' "$0" | head -4; exit 0 ;;
    -D*=*) variables+=("$argument") ;;
    *) options+=("$argument") ;;
  esac
done

SECONDS=0
# What compiles the same kernels shares them, and none with what was compiled before (docs/installing.md).
export DLC_CACHE=$PWD/build/kernels
rm -rf "$DLC_CACHE"
tools/build.sh "${variables[@]}"
echo "Built after $((SECONDS / 60)) min $((SECONDS % 60)) s; testing."
results=$PWD/build/Testing/results.xml status=0
rm -f "$results"
ctest --test-dir build --output-on-failure --no-tests=error -j "$(nproc)" --output-junit "$results" \
      --test-output-size-passed 1000000 "${options[@]}" || status=$?
if [[ $status -ne 0 ]]; then
  echo "Tests failed; one of them again: ctest --test-dir build --output-on-failure -R <name>" >&2
fi
echo "$((SECONDS / 60)) min $((SECONDS % 60)) s in all."
# Options such as -N run nothing.
[[ ! -f $results ]] || tools/summarize-tests "$results"
exit "$status"
