#!/usr/bin/env bash
# Makes what a version of dlc is released as: its packages and their checksums. Refuses where the version, the changelog
# or a page's figures are those of another version, and where a page's sizes, times or outputs are not what comes out now.
#   tools/release.sh VERSION [--output=FOLDER]          default: build/release
#
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version='' output=build/release
for argument in "$@"; do
  case $argument in
    --output=*) output=${argument#--output=} ;;
    --help | -h) sed -n '2,/^$/s/^# \{0,1\}//p' "$0" | head -3; exit 0 ;;
    -*) echo "tools/release.sh: unknown option $argument" >&2; exit 2 ;;
    *) version=$argument ;;
  esac
done
[[ -n $version ]] || { echo "tools/release.sh: expected a version, such as 0.1.0" >&2; exit 2; }

python3 tools/package/release.py . "$version"
tools/test.sh # the pages' blocks, sizes and times among them
tools/package.sh --output="$output"
(cd "$output" && sha256sum -- *"$version"* > SHA256SUMS)
echo "$output has the packages of $version. To publish them: git tag -s v$version, and push the tag and the files"
