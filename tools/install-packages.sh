#!/usr/bin/env bash
# Installs what dlc is built with, from the archives of Debian 12 (main and security). Does nothing where all
# of it is there already; needs root or sudo otherwise.
#   tools/install-packages.sh [--with-tests | --with-packages]     with what tests, or packages, need besides
#
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail

packages=(
  clang-22 lld-22 g++                          # compilers (g++: the C++ library, and an alternative to clang)
  liblld-22-dev zlib1g-dev libzstd-dev         # the linker inside dlc, and what it compresses with
  libmlir-22-dev mlir-22-tools llvm-22-dev     # what the compiler is made of
  libonnx-dev libprotobuf-dev protobuf-compiler # reading ONNX files
  nlohmann-json3-dev libcli11-dev              # manifests, command lines
  libpng-dev libjpeg62-turbo-dev               # images to train with
  cmake ninja-build ccache pkg-config git ca-certificates python3
)
test_packages=(
  libgtest-dev llvm-22-tools                   # llvm-22-tools: lit and FileCheck
  libclang-rt-22-dev                           # sanitizers
  python3-numpy python3-pip                    # the Python package dlc, and its wheel
  qemu-user musl-tools                         # code for 64-bit ARM, and for musl
  chromium                                     # pages of dlc report and of the documentation, looked at
  mkdocs-material                              # the documentation as a site
  libopenmpi-dev openmpi-bin                   # training in several processes
  rustc golang-go mono-mcs mono-runtime gfortran openjdk-17-jdk-headless libjna-java # languages of --bindings
)
# The C libraries of the other machines that a package has runtimes for.
package_packages=(gcc-aarch64-linux-gnu g++-aarch64-linux-gnu musl-dev)

say() { printf '%s\n' "$*" >&2; }

case ${1:-} in
  '') megabytes=370 gigabytes=2.3 ;;
  --with-tests) packages+=("${test_packages[@]}" "${package_packages[@]}") megabytes=860 gigabytes=4.3 ;;
  --with-packages) packages+=("${package_packages[@]}") megabytes=400 gigabytes=2.5 ;;
  *) say "tools/install-packages.sh: unknown option $1"; exit 2 ;;
esac

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  say "This system has no apt-get: install the equivalents of these Debian 12 packages yourself, then call the"
  say "script again with DLC_SKIP_INSTALL=1 in the environment (LLVM and MLIR must be version 22):"
  say "  ${packages[*]}"
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [[ $status == "install ok installed" ]] || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  say "All packages are installed."
  exit 0
fi

say "Installing ${#missing[@]} packages with what they need: up to $megabytes MB to download, $gigabytes GB on disk."
root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    say "Installing needs root and there is no sudo. As root: apt-get install ${missing[*]}"
    exit 1
  fi
  root=(sudo)
fi

# Archives and networks fail now and then; apt-get continues where it was.
retry() {
  local attempt
  for attempt in 1 2 3 4 5; do
    "$@" && return 0
    say "'$*' failed (attempt $attempt of 5)."
    sleep $((attempt * 5))
  done
  return 1
}
apt() { "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3 "$@"; }

retry apt update
if ! apt-cache show llvm-22-dev >/dev/null 2>&1; then
  say "None of this system's package sources has LLVM 22. In Debian 12 it comes with the security archive; as root:"
  say "  echo 'deb http://deb.debian.org/debian-security bookworm-security main' > /etc/apt/sources.list.d/security.list"
  exit 1
fi
if ! retry apt install -y --no-install-recommends "${missing[@]}" >/dev/null; then
  say "Could not install: ${missing[*]}"
  say "Look at apt-get's message above; this was made for Debian 12 (bookworm)."
  exit 1
fi
say "Installed."
