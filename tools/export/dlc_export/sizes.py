# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Is each size that shall be open still open in the file? An exporter that needs its number writes the example's."""
import logging
import pathlib
import re
import traceback

from .report import HERE, LIBRARY, place_in

# What runs between a comparison in the source and the note of it.
MACHINERY = (str(HERE), str(pathlib.Path(logging.__file__).parent), *(str(pathlib.Path(LIBRARY, name)) for name in (
    "__init__.py", "fx/experimental", "utils/_stats.py", "_logging")))


class FixedSizes(logging.Handler):
    """Notes, while torch.export follows a module, where one of its sizes becomes a number: {size: place in the source},
    the size by its input's name and axis as torch.export writes it, "L['x'].size()[0]"; and which comparisons of sizes the module's
    own source decides by: {comparison: place}, as they are true of the example."""

    LOGGER = "torch.fx.experimental.symbolic_shapes"

    def __init__(self):
        super().__init__(logging.INFO)
        self.symbols, self.places, self.choices = {}, {}, {}

    def __enter__(self):
        self.logger = logging.getLogger(self.LOGGER)
        self.before = self.logger.level, self.logger.propagate, self.logger.handlers, logging.root.manager.disable
        logging.disable(logging.NOTSET)
        self.logger.handlers = [self]
        self.logger.propagate = False
        self.logger.setLevel(logging.INFO)
        return self

    def __exit__(self, *_):
        level, self.logger.propagate, self.logger.handlers, disabled = self.before
        self.logger.setLevel(level)
        logging.disable(disabled)

    def emit(self, record):
        message = record.getMessage()
        if created := re.match(r"create_symbol (\S+) = \d+ for (\S+)", message):
            self.symbols[created[1]] = created[2]
        fixed = re.match(r"set_replacement (\S+) = \d+ |eval (Eq\(.*\)) \[guard added\]", message)
        for symbol in set(re.findall(r"\w+", fixed[1] or fixed[2])) & set(self.symbols) if fixed else ():
            # What runs now is what needs the number.
            self.places.setdefault(self.symbols[symbol], place_in(traceback.extract_stack()))
        if chosen := re.match(r"eval ([^\[].*) \[guard added\]", message):
            stack = [frame for frame in traceback.extract_stack() if not frame.filename.startswith(MACHINERY)]
            if stack and not stack[-1].filename.startswith(LIBRARY):
                self.choices.setdefault(chosen[1], place_in(stack))


def size_problems(path, dims, arguments, found):
    """Sentences on sizes that were asked to be open and are numbers in the file. `arguments`: forward's names of the
    inputs, by which torch.export calls them; `found`: FixedSizes."""
    import onnx

    problems = []
    inputs = onnx.load(str(path), load_external_data=False).graph.input
    for value, axes, argument in zip(inputs, dims, arguments):
        for axis, name in axes.items():
            size = value.type.tensor_type.shape.dim[axis]
            if size.HasField("dim_param"):
                continue
            # Of inputs that share a name, torch.export notes the first one's.
            places = [place for source, place in found.places.items()
                      if source == f"L['{argument}'].size()[{axis}]"] or [
                          place for place in found.places.values() if len(set(found.places)) == 1]
            where = f": at {places[0]} forward needs its number; write x.shape[0] for len(x), and calculate with sizes as they are" if places and places[0] else \
                ", which forward or the exporter needs as a number"
            problems.append(f"the size '{name}' of input '{value.name}' (axis {axis}) is not open in the file: it is "
                            f"{size.dim_value}, the example's{where}")
    return problems
