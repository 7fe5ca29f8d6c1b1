# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices."""
from cases import floats, one


def gemm():
    a, b, c = floats(3, 2), floats(4, 3), floats(4)
    product = a.T @ b.T
    both = dict(transA=1, transB=1)
    one("gemm_6", 6, "Gemm", [a, b, c], [0.5 * product + 2 * c], alpha=0.5, beta=2.0, broadcast=1, **both)
    one("gemm_7", 7, "Gemm", [a, b, c], [0.5 * product + 2 * c], alpha=0.5, beta=2.0, **both)
    one("gemm_9_transB", 9, "Gemm", [a.T.copy(), b, c], [product + c], transB=1)
    one("gemm_9_transA", 9, "Gemm", [a, b.T.copy(), c], [product + c], transA=1)
    one("gemm_11", 11, "Gemm", [a, b, c], [0.5 * product + 2 * c], alpha=0.5, beta=2.0, **both)
    one("gemm_13_without_c", 13, "Gemm", [a.T.copy(), b], [product], transB=1)


def make():
    gemm()
