# Runs a command that makes the folder `out` with less and less address space: little-memory.sh COMMAND... Part of dlc, under
# the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
ulimit -c 0
for kilobytes in 600000 550000 520000 490000 460000 430000 400000 380000 360000 356000; do
  rm -rf out
  (ulimit -v $kilobytes && exec "$@") 2>&1
  status=$?
  case $status in
  0) ;;
  1 | 127) [ ! -e out ] || echo "status $status with $kilobytes KiB, and files: $(ls -A out)" ;;
  *) echo "status $status with $kilobytes KiB" ;;
  esac
done
