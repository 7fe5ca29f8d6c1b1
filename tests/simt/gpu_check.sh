#!/usr/bin/env bash
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tools/gpu-check.sh from end to end, on the stand-in driver: each kind of model is there, and each section good.
#
# usage: gpu_check.sh ROOT DLC FOLDER-OF-THE-STAND-IN FOLDER
set -eu
root=$1 dlc=$2 driver=$3 folder=$4
rm -rf "$folder"
export LD_LIBRARY_PATH=$driver BUILD=$folder/build
"$root/tools/gpu-check.sh" prepare "$dlc" "$folder/carried" --quick --gpu-code=simt
"$root/tools/gpu-check.sh" run "$folder/carried" "$folder/results" --quick
results=$folder/results/gpu-check.jsonl
for expected in '"section": "copy", "ok": true' '"model": "circle", "section": "trajectory", "ok": true' \
  '"model": "circle", "section": "checkpoint", "ok": true' '"model": "qkv_weight", "section": "kernel", "ok": true' \
  '"model": "layer_norm", "section": "kernels", "ok": true' '"model": "gpt_bf16", "section": "step", "ok": true' \
  '"section": "peers", "ok": true, "skipped": "--quick"'; do
  grep -qF -- "$expected" "$results" || { echo "no line has $expected"; exit 1; }
done
for expected in '^limits of this GPU: copies' '^qkv_forward ' '^adamw: ' '^gpt_tf32 ' '^  gpt_'; do
  grep -q -- "$expected" "$folder/results/summary.txt" || { echo "the summary has no $expected"; exit 1; }
done
# What is not right must show: no such GPU, and no time.
if DEVICE=gpu:7 "$root/tools/gpu-check.sh" run "$folder/carried" "$folder/none" --quick circle; then exit 1; fi
grep -qF '"section": "error", "ok": false' "$folder/none/gpu-check.jsonl"
LIMIT=1 "$root/tools/gpu-check.sh" run "$folder/carried" "$folder/late" --quick circle
grep -qF '"section": "check_circle", "ok": true, "skipped": "no time left"' "$folder/late/gpu-check.jsonl"
