#!/usr/bin/env bash
# Makes dlc's packages: a .tar.gz, a .deb and a wheel, which need glibc and nothing else of the system (docs/installing.md).
# Builds dlc first where it is not built.
#   tools/package.sh [--output=FOLDER]          default: build/packages
# DLC_SKIP_INSTALL=1 in the environment leaves the system's packages alone.
#
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

output=build/packages
for argument in "$@"; do
  case $argument in
    --output=*) output=${argument#--output=} ;;
    --help | -h) sed -n '2,/^$/s/^# \{0,1\}//p' "$0" | head -5; exit 0 ;;
    *) echo "tools/package.sh: unknown option $argument" >&2; exit 2 ;;
  esac
done

[[ -n ${DLC_SKIP_INSTALL:-} ]] || tools/install-packages.sh --with-packages
tools/package/fetch-musl.sh build
tools/build.sh --without-tests package-programs
python3 tools/package/packages.py build "$output"
