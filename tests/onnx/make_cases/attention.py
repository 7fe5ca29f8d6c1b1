# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's own Attention: what its node tests leave out, from the text of its versions 23 to 25."""
import math

import numpy as np

from cases import bools, floats, one


def attend(q, k, v, scale=None, softcap=0.0, bias=0.0, allowed=True):
    """The stages, of [batch, heads, places, size]; a query without keys gets zeros."""
    shared = q.shape[1] // k.shape[1]
    k, v = (np.repeat(x, shared, 1) for x in (k, v))
    products = q @ k.transpose(0, 1, 3, 2) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    capped = softcap * np.tanh(products / softcap) if softcap else products
    masked = np.where(allowed, capped + bias, -np.inf)
    largest = masked.max(-1, keepdims=True)
    exponents = np.exp(masked - np.where(np.isinf(largest), 0, largest))
    total = exponents.sum(-1, keepdims=True)
    shares = exponents / np.where(total == 0, 1, total)
    return products, capped, masked, shares, shares @ v


def split(x, heads):
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def joined(x):
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


def attention(name, opset, inputs, outputs, **attributes):
    one(f"attention_{name}", opset, "Attention", inputs, [np.asarray(y, np.float32) for y in outputs], **attributes)


def window(queries, keys, earlier, before, after):
    """Keys that a query sees; -1 is no limit."""
    place = np.arange(queries)[:, None] + earlier
    key = np.arange(keys)[None, :]
    return ((key <= place + after) if after >= 0 else True) & ((key >= place - before) if before >= 0 else True)


def with_past(opset, **more):
    q, k, v = floats(2, 3, 8), floats(2, 3, 4), floats(2, 3, 6)
    past_k, past_v, mask = floats(2, 2, 2, 2), floats(2, 2, 2, 3), floats(2, 1, 3, 5)
    keys, values = (np.concatenate([past, split(x, 2)], 2) for past, x in ((past_k, k), (past_v, v)))
    # is_causal hides what is later, whatever the window to the right is.
    allowed = window(3, 5, 2, more.get("left_window_size", -1), 0)
    stages = attend(split(q, 4), keys, values, 0.5, 2.0, mask, allowed)
    attention(f"past_{opset}", opset, [q, k, v, mask, past_k, past_v],
              [joined(stages[4]), keys, values, stages[3]], is_causal=1, kv_num_heads=2, q_num_heads=4,
              qk_matmul_output_mode=3, scale=0.5, softcap=2.0, softmax_precision=11, **more)


def lengths(opset):
    """Some rows of the batch have fewer keys than queries: the first queries see none."""
    q, k, v = floats(3, 2, 3, 4), floats(3, 2, 5, 4), floats(3, 2, 5, 2)
    counts, mask = np.array([5, 3, 2], np.int64), bools(3, 1, 3, 4)
    allowed = np.arange(5) < counts.reshape(3, 1, 1, 1)
    padded = np.pad(mask, ((0, 0), (0, 0), (0, 0), (0, 1)))
    attention(f"lengths_{opset}", opset, [q, k, v, mask, None, None, counts],
              [attend(q, k, v, allowed=allowed & padded)[4]])
    causal = np.arange(5) <= np.arange(3)[:, None] + (counts - 3).reshape(3, 1, 1, 1)
    attention(f"lengths_causal_{opset}", opset, [q, k, v, None, None, None, counts],
              [attend(q, k, v, allowed=allowed & causal)[4]], is_causal=1)


def make():
    q, k, v = floats(2, 4, 3, 4), floats(2, 2, 5, 4), floats(2, 2, 5, 3)
    for opset in (23, 24, 25):
        windows = dict(left_window_size=2, right_window_size=0) if opset == 25 else {}
        with_past(opset, **windows)
        attention(f"plain_{opset}", opset, [q, k, v], [attend(q, k, v)[4]])
        if opset > 23:
            lengths(opset)
    attention("window", 25, [q, k, v], [attend(q, k, v, allowed=window(3, 5, 0, 1, 2))[4]], left_window_size=1,
              right_window_size=2)
    # No key counts for the second query; a float mask may say so, too.
    mask = np.array([[1, 0, 1, 1, 0], [0] * 5, [1] * 5], bool)
    attention("no_key", 24, [q, k, v, mask], [attend(q, k, v, allowed=mask)[4]])
    bias = np.where(mask, floats(3, 5), -np.inf).astype(np.float32)
    attention("no_key_float", 24, [q, k, v, bias], [attend(q, k, v, bias=bias)[4]])
