# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers: dropout and uniform ones. Philox4x32-10 is written here once more, and checked with its authors' answers."""
import torch

from cases import INF, NAN, given, make, number

MASK = 0xffffffff


def philox(counter, key):
    c, k = list(counter), list(key)
    for r in range(10):
        if r:
            k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(q >> 32) ^ c[1] ^ k[0], q & MASK, (p >> 32) ^ c[3] ^ k[1], p & MASK]
    return c


# Random123's known answers.
assert philox([0] * 4, [0] * 2) == [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]
assert philox([MASK] * 4, [MASK] * 2) == [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]
assert philox([0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
              [0xa4093822, 0x299f31d0]) == [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]


def random_bits(shape, seed, draws, stream):
    """16 bits of each element, in row-major order."""
    columns, bits = shape[-1] if shape else 1, []
    for place in range(torch.Size(shape).numel()):
        r, c = divmod(place, columns)
        words = philox([(r // 8 * columns + c) & MASK, stream & MASK, draws & MASK, draws >> 32 & MASK],
                       [seed & MASK, seed >> 32 & MASK])
        bits.append(words[r % 8 // 2] >> 16 * (r % 8 % 2) & 0xffff)
    return bits


def dropout(x, seed, draws, ratio, stream):
    kept = [half >= round(ratio * 65536) for half in random_bits(tuple(x.shape), seed, draws, stream)]
    kept = torch.tensor(kept, dtype=torch.bool).reshape(x.shape)
    return torch.where(kept, x / (1 - ratio), torch.zeros_like(x))


def uniform(shape, seed, draws, stream):
    halves = zip(random_bits(shape, seed, draws, stream), random_bits(shape, seed, draws, stream + 1))
    numbers = [((upper << 16 | lower) >> 9) * 2 + 1 for upper, lower in halves]
    return torch.tensor(numbers, dtype=torch.float64).reshape(shape) / 2**24


def cases():
    for shape in ((), (1,), (7,), (5, 3), (0, 4), (2, 3, 4), (19, 17)):
        for (seed, draws), ratio, stream in (((0, 0), 0.5, 0), ((42, 3), 0.2, 1), ((-5, 2**40 + 7), 0.9, 7)):
            rng = given([seed, draws], "i64")
            yield make(f"{shape} {seed} {draws} {ratio} {stream}",
                       f"nn.dropout %0, %1 ratio {ratio} stream {stream}", [number(shape), rng],
                       lambda x, _: dropout(x, seed, draws, ratio, stream), differentiate=[0])
    for ratio in (0.0, 0.9999):
        yield make(f"ratio {ratio}", f"nn.dropout %0, %1 ratio {ratio} stream 0", [number((9, 2)), given([1, 1], "i64")],
                   lambda x, _: dropout(x, 1, 1, ratio, 0), differentiate=[0])
    # PyTorch multiplies by 0 what is dropped: NaN stays NaN.
    yield make("special", "nn.dropout %0, %1 ratio 0.5 stream 0", [given([NAN, INF, -INF] * 4), given([1, 1], "i64")],
               lambda x, _: x * dropout(torch.ones_like(x), 1, 1, 0.5, 0), kink=True)
    named = number((5, 3), dims=("batch", None))
    yield make("named", "nn.dropout %0, %1 ratio 0.5 stream 2", [named, given([9, 1], "i64")],
               lambda x, _: dropout(x, 9, 1, 0.5, 2), differentiate=[0])
    for shape in ((), (1,), (7,), (5, 3), (0, 4), (2, 3, 4), (19, 17), (9, 40)):
        for (seed, draws), stream in (((0, 0), 0), ((-5, 2**40 + 7), 2**32 - 2)):
            for dtype in ("f32", "f64"):
                result = "tensor<" + "".join(f"{size}x" for size in shape) + f"{dtype}>"
                yield make(f"{shape} {seed} {stream} {dtype}",
                           f"nn.random_uniform %0 stream {stream} : tensor<2xi64> -> {result}",
                           [given([seed, draws], "i64")], lambda _: uniform(shape, seed, draws, stream))
