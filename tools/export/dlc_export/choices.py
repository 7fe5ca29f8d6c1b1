# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that are open, and by which forward decides: the file has the way that the example's sizes take. Which other sizes take
another one? They are compared, too."""
import re

import torch

FARTHEST = 4096  # a size behind this one is not looked for
LARGEST = 256  # nor is a larger one compared, which the interpreter is too slow for
FUNCTIONS = {"__builtins__": {}, "Eq": lambda a, b: a == b, "Ne": lambda a, b: a != b, "Mod": lambda a, b: a % b,
             "PythonMod": lambda a, b: a % b, "FloorDiv": lambda a, b: a // b, "Min": min, "Max": max}


def sized(examples, dims, name, size):
    """The examples with another size for the dim of this name: their first slices, or all again and again."""
    result = list(examples)
    for index, axes in enumerate(dims):
        for axis in [axis for axis, each in axes.items() if each == name]:
            example = result[index]
            result[index] = torch.cat([example] * -(-size // example.shape[axis]), axis).narrow(axis, 0, size)
    return tuple(result)


def other_size(comparison, symbol, sizes):
    """The size nearest to the example's of which the comparison is false; None without one."""
    for distance in range(1, FARTHEST):
        for size in (sizes[symbol] - distance, sizes[symbol] + distance):
            if size > 0 and not eval(comparison, FUNCTIONS, {**sizes, symbol: size}):
                return size
    return None


def other_ways(examples, dims, arguments, found):
    """[(examples of other sizes, sentence)] for the comparisons of sizes that torch.export met in the module's source. `arguments`:
    forward's names of the inputs; `found`: FixedSizes."""
    names, sizes = {}, {}
    for symbol, source in found.symbols.items():
        place = re.fullmatch(r"L\['(\w+)'\]\.size\(\)\[(\d+)\]", source)
        if place and place[1] in arguments[:len(dims)]:
            index, axis = arguments.index(place[1]), int(place[2])
            names[symbol], sizes[symbol] = dims[index].get(axis), int(examples[index].shape[axis])
    result = {}
    for comparison, place in found.choices.items():
        for symbol in [each for each in dict.fromkeys(re.findall(r"\w+", comparison)) if names.get(each)]:
            try:
                size = other_size(comparison, symbol, sizes)
            except Exception:  # it has a function, or the size of an intermediate result, that is not known here
                continue
            if size is not None and size <= LARGEST:
                result.setdefault((names[symbol], size), (sized(examples, dims, names[symbol], size), sentence(
                    place, names[symbol], sizes[symbol], size)))
    return list(result.values())


def sentence(place, name, example, size):
    return (f"at {place} forward decides by the size '{name}', which is open: the file computes as for the example's {example}, and of "
            f"{size} the module gives other results; write what holds for all sizes, or leave this one fixed")
