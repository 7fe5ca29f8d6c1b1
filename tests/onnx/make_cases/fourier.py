# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms, by numpy's."""
import numpy as np

from cases import floats, one


def parts(y):
    return np.stack([y.real, y.imag], -1).astype(np.float32)


def transforms():
    real, pairs = floats(2, 5, 3, 1), floats(2, 6, 3, 2)
    numbers = pairs[..., 0] + 1j * pairs[..., 1]
    for opset in (17, 20):
        def case(name, x, y, length=None, axis=1, **attributes):
            attributes["inverse"], attributes["onesided"] = attributes.get("inverse", 0), attributes.get("onesided", 0)
            constants = [("length", np.array(length, np.int64))] if length else []
            if opset == 17:
                attributes["axis"] = axis
            elif axis != -2:
                constants.append(("axis", np.array(axis, np.int64)))
            inputs = [x] + [None] * (opset == 20 and axis != -2 and not length)
            one(f"dft_{opset}_{name}", opset, "DFT", inputs, [y], constants, **attributes)

        case("real", real, parts(np.fft.fft(real[..., 0], axis=1)))
        case("last", pairs, parts(np.fft.fft(numbers, axis=2)), axis=-2)
        case("longer", real, parts(np.fft.fft(real[..., 0], 8, axis=1)), 8)
        case("shorter", pairs, parts(np.fft.fft(numbers, 4, axis=1)), 4)
        case("inverse", pairs, parts(np.fft.ifft(numbers, axis=1)), inverse=1)
        case("inverse_first", pairs, parts(np.fft.ifft(numbers, 3, axis=0)), 3, axis=0, inverse=1)
        case("onesided", real, parts(np.fft.rfft(real[..., 0], axis=1)), onesided=1)
        case("onesided_even", real, parts(np.fft.rfft(real[..., 0], 4, axis=1)), 4, onesided=1)
        for length in (9, 10, 13):
            y = np.fft.irfft(numbers, length, axis=1)[..., None].astype(np.float32)
            case(f"to_real_{length}", pairs, y, None if length == 10 else length, inverse=1, onesided=1)
    x = floats(2, 4, 1)
    one("dft_20_defaults", 20, "DFT", [x], [parts(np.fft.fft(x[..., 0], axis=1))])


def make():
    transforms()
