# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is said about a file, and places in the user's source."""
import dataclasses
import logging
import pathlib

import torch

LIBRARY = str(pathlib.Path(torch.__file__).parent)
HERE = pathlib.Path(__file__).resolve().parent
OTHERS = (LIBRARY, str(HERE), str(HERE.parent / "from_pytorch.py"), str(HERE.parent / "check_against.py"),
          str(pathlib.Path(logging.__file__).parent), "<")


@dataclasses.dataclass
class Report:
    """What the file holds and computes, compared with the module."""

    summary: str
    problems: list  # sentences; empty: the file has all parameters, and nothing that was compared differs
    remarks: list  # sentences about what is in order but good to know
    compared: str = ""  # what of the results was compared, and by which program; or why nothing was

    def __str__(self):
        lines = [self.summary, self.compared, *(f"problem: {line}" for line in self.problems)]
        return "\n".join([line for line in lines if line] + [f"remark: {line}" for line in self.remarks])


def place_in(stack):
    """"net.py:12" of the innermost frame that is the user's; None where there is none."""
    own = (frame for frame in reversed(stack) if not frame.filename.startswith(OTHERS))
    frame = next(own, None)
    return f"{frame.filename}:{frame.lineno}" if frame else None
