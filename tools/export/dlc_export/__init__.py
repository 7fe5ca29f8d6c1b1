# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of from_pytorch.py, by idea: what is exported, how it is written, and whether the file is the module.

export.py     all of it, in order: what from_pytorch.py and the Python package dlc call
module.py     the module, its inputs, and in which mode each layer is
write.py      PyTorch's exporters, called so that the file is right for training
record.py     what exporters leave out and dlc reads: notes in the file's metadata, repairs
names.py      are all parameters in the file, under their names?
sizes.py      is each size that shall be open still open?
gradients.py  where does forward stop gradients, and what does it change?
results.py    do module and file compute the same? By way of comparison.py (on one example), reference.py (the
              module's side), graph.py (the file's copy that is run; program.py of a program of torch.export),
              interpreter.py (who runs it), numbers.py (random numbers that both sides know), matching.py (whose gradient
              is whose), bounds.py (when numbers are equal), naming.py (which layer differs)
"""
import importlib.util
import sys


def require(program, packages, status=1):
    """Ends the program with a sentence and this exit status where Python lacks one of the packages."""
    for name in packages:
        if importlib.util.find_spec(name) is None:
            print(f"{program}: Python has no module '{name}' ({sys.executable}): install it (pip install torch onnx "
                  f"onnxscript), or use the Python that has it", file=sys.stderr)
            sys.exit(status)
