#!/usr/bin/env bash
# Installs the packages dlc needs, configures the preset "release" in build/ and builds. Calling it again
# continues where it was. Used by quickstart.sh and test.sh.
#   tools/build.sh [--without-tests] [-D<variable>=<value>...] [target...]     default target: everything
# --without-tests builds no tests, and installs nothing that only they need.
# DLC_SKIP_INSTALL=1 in the environment leaves the system's packages alone.
#
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

variables=(-DDLC_BUILD_TESTS=ON) targets=() packages=(--with-tests)
for argument in "$@"; do
  case $argument in
    --without-tests) variables[0]=-DDLC_BUILD_TESTS=OFF packages=() ;;
    -D*) variables+=("$argument") ;;
    -*) echo "tools/build.sh: unknown option $argument" >&2; exit 2 ;;
    *) targets+=("$argument") ;;
  esac
done

[[ -n ${DLC_SKIP_INSTALL:-} ]] || tools/install-packages.sh "${packages[@]}"
# Tests make packages, which without these have no runtime for musl on ARM.
[[ ${#packages[@]} -eq 0 ]] || tools/package/fetch-musl.sh build || echo "Going on without musl's headers for ARM." >&2
# Ranks are tested where there is an MPI.
[[ ${#packages[@]} -eq 0 ]] || ! command -v mpicc >/dev/null || variables=(-DDLC_MPI=ON "${variables[@]}")
# A first build compiles sources together, which takes half the time. Who edits switches it off, and it stays off:
#   cmake build -DDLC_COMPILE_TOGETHER=OFF
[[ -e build/CMakeCache.txt ]] || variables=(-DDLC_COMPILE_TOGETHER=ON "${variables[@]}")
cmake --preset release "${variables[@]}" --log-level=WARNING
# A compiler process takes up to 1 GB: no more of them than memory allows.
jobs=$(nproc)
gigabytes=$(awk '/MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo 2>/dev/null || echo "$jobs")
[[ $gigabytes -ge $jobs ]] || jobs=$((gigabytes > 0 ? gigabytes : 1))
echo "Building with $jobs processes in $PWD/build; the first time this takes some minutes."
if ! cmake --build build -j "$jobs" ${targets[@]+--target "${targets[@]}"}; then
  echo "The build failed. Where memory ran out ('Killed'): cmake --build build -j 1" >&2
  exit 1
fi
