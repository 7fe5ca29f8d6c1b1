"""Writes arrays of 16 samples of four numbers in several types, and targets. Part of dlc, under the Apache License v2.0
with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import array
import struct


def write(path, kind, values, *shape):
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {(16, *shape)}, }}\n".encode()
    code = {"<f4": "f", "<f8": "d", "<i4": "i"}[kind]
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + array.array(code, values).tobytes())


halves = [(i % 7 - 3) / 2 for i in range(64)]
write("floats.npy", "<f4", halves, 4)
write("halves.npy", "<f8", halves, 4)
write("wholes.npy", "<i4", [i % 5 for i in range(64)], 4)
write("nan.npy", "<f8", halves[:4] + [float("nan")] + halves[5:], 4)
write("tenths.npy", "<f8", halves[:9] + [0.1] + halves[10:], 4)
write("large.npy", "<f8", [1e300] + halves[1:], 4)
write("odd.npy", "<i4", [16777217] + [0] * 63, 4)
write("target.npy", "<f4", [i % 3 for i in range(48)], 3)
write("labels.npy", "<f8", [i % 3 for i in range(16)])
write("parts.npy", "<f8", [0.5] * 16)
write("beyond.npy", "<f8", [1e20] * 16)
