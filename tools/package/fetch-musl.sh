#!/usr/bin/env bash
# The headers of musl for 64-bit ARM: Debian has them for machines of that kind only, in the same archives. They are
# fetched into a folder of the build, and the system stays as it is.
#   tools/package/fetch-musl.sh BUILD
#
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
build=$1
[[ ! -d /usr/include/aarch64-linux-musl && ! -d $build/musl/usr/include/aarch64-linux-musl ]] || exit 0
mkdir -p "$build/musl"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
apt() {
  apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::lists="$work/lists" \
          -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@"
}
(cd "$work" && apt update && apt download musl-dev:arm64)
dpkg-deb --extract "$work"/musl-dev_*_arm64.deb "$build/musl"
