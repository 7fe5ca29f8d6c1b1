"""Writes arrays of 16 samples of four numbers in several types, and targets. Part of dlc, under the Apache License v2.0
with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import json
import struct
import zipfile


def npy(kind, values, *shape):
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {(16, *shape)}, }}\n".encode()
    code = {"<f2": "e", "<f4": "f", "<f8": "d", "<i4": "i"}[kind]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + struct.pack(f"<{len(values)}{code}", *values)


def write(path, *array):
    with open(path, "wb") as file:
        file.write(npy(*array))


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
write("classes.npy", "<i4", [i % 3 for i in range(16)])
write("parts.npy", "<f8", [0.5] * 16)
write("beyond.npy", "<f8", [1e20] * 16)

# Numbers of 16 bits, and archives: stored and compressed, by the inputs' names and by others.
write("sixteen.npy", "<f2", halves, 4)
target = [i % 3 for i in range(48)]
for path, names, method in (("both.npz", ("x", "target"), zipfile.ZIP_STORED), ("small.npz", ("x", "target"), zipfile.ZIP_DEFLATED),
                            ("others.npz", ("x_train", "y_train"), zipfile.ZIP_DEFLATED)):
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr(names[0] + ".npy", npy("<f4", halves, 4))
        archive.writestr(names[1] + ".npy", npy("<f4", target, 3))
for dtype, code in ("F16", lambda value: struct.pack("<e", value)), ("BF16", lambda value: struct.pack("<f", value)[2:]):
    tensors, values = {}, b""
    for name, numbers, size in ("x", halves, 4), ("target", target, 3):
        tensors[name] = {"dtype": dtype, "shape": [16, size], "data_offsets": [len(values), len(values) + 2 * len(numbers)]}
        values += b"".join(map(code, numbers))
    header = json.dumps(tensors).encode()
    header += b" " * (-len(header) % 8)
    with open(dtype + ".safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header + values)
