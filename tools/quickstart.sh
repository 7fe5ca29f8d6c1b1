#!/usr/bin/env bash
# From a clean machine (Debian 12) to a trained network: installs packages, builds the compiler, compiles
# docs/examples/mlp/mlp.onnx to a training-step library, and trains it on the shipped part of Fashion-MNIST.
# Ends with the line "test accuracy ...".
#   tools/quickstart.sh [options of the example, e.g. --epochs 10 --threads 2]
#
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ ${1:-} != --help && ${1:-} != -h ]] || { sed -n '2,/^$/s/^# \{0,1\}//p' "$0" | head -5; exit 0; }
SECONDS=0
step() { printf '\n== %s (%d:%02d)\n' "$*" $((SECONDS / 60)) $((SECONDS % 60)); }

step "1/3 Packages and build: the compiler, the runtime and the example"
tools/build.sh --without-tests mlp dlc
step "2/3 What dlc compile made of docs/examples/mlp/mlp.onnx"
ls -l build/docs/examples/mlp/mlp-model
step "3/3 Training on 10,000 images, testing on 2,000"
if [[ $# -eq 0 ]]; then set -- --epochs 5; fi
build/docs/examples/mlp/mlp "$@"
