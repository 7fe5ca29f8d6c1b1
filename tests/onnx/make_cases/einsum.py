# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Einsum: what its node tests leave out; expected by numpy."""
import numpy as np

from cases import floats, one

equations = {
    "attention_scores": ("bhqd,bhkd->bhqk", (2, 3, 4, 5), (2, 3, 6, 5)),
    "heads": ("bse,ehd->bhsd", (2, 3, 4), (4, 2, 5)),
    "heads_back": ("bhsd,hde->bse", (2, 3, 4, 5), (3, 5, 6)),
    "outer": ("i,j->ji", (3,), (4,)),
    "elementwise": ("ij,ji->ij", (3, 4), (4, 3)),
    "ellipsis": ("...ij,jk->...ik", (2, 3, 4, 5), (5, 6)),
    "ellipsis_broadcast": ("...ij,...jk->i...k", (2, 1, 4, 5), (3, 5, 2)),
    "implicit": ("ba, cb", (2, 3), (4, 2)),
    "diagonal_product": ("iij,jk->ik", (3, 3, 4), (4, 2)),
    "trace": ("ii->", (4, 4)),
    "sum_alone": ("ij,k->k", (2, 3), (4,)),
    "three": ("ab,bc,cd->ad", (2, 3), (3, 4), (4, 5)),
    "three_shared": ("ab,ac,ad->bcd", (2, 3), (2, 4), (2, 2)),
    "two_inner": ("abcd,cdbe->ae", (2, 3, 4, 2), (4, 2, 3, 5)),
}


def make():
    for name, (equation, *shapes) in equations.items():
        operands = [floats(*shape) for shape in shapes]
        expected = np.einsum(equation, *(x.astype(np.float64) for x in operands))
        one(f"einsum_{name}", 12, "Einsum", operands, [np.asarray(expected, np.float32)], equation=equation)
