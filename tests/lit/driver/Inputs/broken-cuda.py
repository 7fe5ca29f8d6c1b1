"""Breaks the example's CUDA source in one place after the other and prints what dlc compile says.

usage: broken-cuda.py EXAMPLE FOLDER
"""
import json
import os
import shutil
import subprocess
import sys

example, folder = sys.argv[1:]
shutil.copytree(example, folder)
ops, cuda = os.path.join(folder, "custom-ops.json"), os.path.join(folder, "bias_swish.cu")
with open(cuda) as file:
    source = file.read()


def compile(name, old, new, *options):
    assert old in source
    with open(cuda, "w") as out:
        out.write(source.replace(old, new))
    ran = subprocess.run(["dlc", "compile", os.path.join(folder, "swish.onnx"), "--batch=4", "--custom-ops=" + ops, "-q",
                          "--loss=softmax-cross-entropy", "--target=nvptx", "-o", os.path.join(folder, "out"), *options],
                         capture_output=True, text=True)
    print(f"{name}: {ran.returncode} {ran.stderr.replace(folder + '/', '').strip()}")
    if ran.returncode == 0:
        shutil.rmtree(os.path.join(folder, "out"))


def in_kernel(name, text, *options, before=""):
    """`text` is what the kernel of the example begins with."""
    compile(name, FIRST, FIRST.replace("__global__", before + " __global__") + text, *options)


FIRST = """__global__ void bias_swish(const float *x, const float *bias, const float *beta, float *y, int64_t rows,
                           int64_t channels) {
"""
SIMT = "--gpu-code=simt"

compile("syntax", "beta[i % channels] * z);", "beta[i % channels] * z)")
compile("signature", FIRST, FIRST.replace("int64_t channels", "int channels"))
compile("host", "static __device__ float sigmoid", "static float sigmoid")
in_kernel("unknown", "atomicAdd(y, 1.0f);")
in_kernel("nowhere", "elsewhere(y);", before="__device__ void elsewhere(float *);")
in_kernel("kept", "++count;", before="__device__ int count;")
in_kernel("no size", "some[threadIdx.x] = 0; __syncthreads(); if (some[0] != 0) return;", before="extern __shared__ float some[];")
in_kernel("shared", "__shared__ float some[12500]; some[threadIdx.x] = beta[0]; __syncthreads(); if (some[channels % 7] > 100) return;")
with open(ops) as file:
    right = file.read()
file = json.loads(right)
file["ops"][0]["cuda"]["threads"] = [2**62, 2**62, "rows"]
file["ops"][0]["cuda"]["block"] = 1
with open(ops, "w") as out:
    json.dump(file, out)
compile("many", FIRST, FIRST)
with open(ops, "w") as out:
    out.write(right)
for options in ([], [SIMT]):
    in_kernel("assembly" + ", watched" * len(options), 'asm volatile("");', *options)
in_kernel("atomic, watched", "__atomic_fetch_add((int *)y, 1, __ATOMIC_RELAXED);", SIMT)
for options in ([], [SIMT]):
    in_kernel("itself" + ", watched" * len(options), "if (itself(x, int(rows)) > 100) return;", *options,
              before="__device__ int itself(const float *x, int n) { return n < 2 || x[n] > 9 ? n : itself(x, n - 1) + "
                     "itself(x, n - 2); }")
for name, gpus in ("architecture", "sm_90,sm_100"), ("other architecture", "sm_80,sm_90"):
    compile(name, FIRST, '#if __CUDA_ARCH__ < 900\n#error "sm_90 or newer"\n#endif\n' + FIRST, "--gpu=" + gpus)
print("nothing left behind" if not os.path.exists(os.path.join(folder, "out")) else "files left behind")
