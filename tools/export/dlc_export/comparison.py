# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Module and file side by side, on one example: outputs, gradients of all parameters and running statistics in training
mode with known random numbers, and outputs in evaluation mode."""
import math

import torch

from .bounds import OF_FLOAT32, OF_SPREAD, RELATIVE, compared
from .graph import LOSS, for_prediction
from .interpreter import NotRun
from .matching import match
from .naming import first_gradient, first_output
from .record import COUNTER
from .reference import Reference, scaled, steps_of, weights_of


class Comparison:
    """Of one example."""

    def __init__(self, module, examples, graph, runner):
        self.graph, self.runner, self.examples, self.module = graph, runner, examples, module
        self.remarks = []

    def references(self, trains, **options):
        """The module's results in float64, or in float32 where it does not compute in float64, and in float32."""
        single = Reference(self.module, self.examples, torch.float32).run(trains, **options)
        try:
            return Reference(self.module, self.examples, torch.float64).run(trains, **options), single
        except NotRun:
            return single, single

    def model(self, computed, trains):
        """(the model to run, its inputs)"""
        model = self.graph.sized(self.examples, computed.outputs)
        if trains:
            model.know_numbers()
        elif not self.runner.trains:
            for_prediction(model)
        inputs = {value.name: example for value, example in zip(self.graph.inputs, self.examples)}
        self.outputs = model.outputs
        inputs.update(model.add_loss(computed.outputs, weights_of(computed.outputs)))
        return model, inputs

    def values(self, model, inputs, trains):
        """The outputs of the forward pass in a mode; in training, of the last step, as the module's."""
        function, steps = ("forward", self.steps(inputs)) if trains else ("evaluate", [inputs])
        return model.named(self.runner.run(model, function, steps, loss=LOSS, stage="forward")[0])

    def steps(self, inputs):
        """The inputs of each training step."""
        names = [value.name for value in self.graph.inputs]
        return [{**inputs, **dict(zip(names, scaled(self.examples, factor)))} for factor in steps_of(self.module)]

    def in_evaluation(self):
        """Sentences on outputs that differ."""
        expected, single = self.references(trains=False)
        if expected.drawn:
            return [], ("evaluation mode was not compared: forward draws random numbers also there; where that is F.dropout(x, p) without "
                        "training=self.training, PyTorch drops in evaluation, too, and dlc does not")
        if self.graph.draws and not self.runner.trains:
            return [], "evaluation mode was not compared: ONNX Runtime draws what the file draws"
        found = self.values(*self.model(expected, trains=False), trains=False)
        differences = compared(found, dict(zip(self.outputs, expected.outputs)), dict(zip(self.outputs, single.outputs)))
        where = first_output(self, trains=False) if differences else ""
        return [f"in evaluation mode, output '{name}' {text}{where}" for name, text in differences.items()], ""

    def in_training(self):
        """(sentences on what differs, why nothing was compared)"""
        expected, single = self.references(trains=True)
        if expected.unknown:
            return [], f"training mode was not compared: forward draws numbers by {', '.join(sorted(expected.unknown))}"
        if not math.isfinite(expected.loss):
            return [], "training mode was not compared: the module's own outputs are not finite on this example"
        self.gradients = {name: gradient for name, gradient in expected.gradients.items() if gradient is not None}
        if not self.gradients:
            return [], "training mode was not compared: the outputs do not depend on any parameter"
        model, inputs = self.model(expected, trains=True)
        outputs, states = self.runner.run(model, "grad_step", self.steps(inputs), loss=LOSS)
        problems = self.losses(outputs, expected, single)
        found, names, self.remarks = match(self.module, self.gradients, states)
        problems += names + self.gradient_problems(found, expected, single, is_known=bool(problems + names))
        buffers = {name: buffer for name, buffer in expected.buffers.items()
                   if name in states and not name.endswith(COUNTER)}
        return problems + [f"after two training steps, the buffer '{name}' {text}" for name, text in
                           compared(states, buffers, single.buffers).items()], ""

    def in_equal_rows(self):
        """Sentences on gradients that are not finite where PyTorch's are: those of distances may be, of equal rows. No
        more than that: which of several equal numbers is the largest, say, is nobody's to choose."""
        expected, _ = self.references(trains=True)
        if expected.unknown or not math.isfinite(expected.loss):
            return []
        model, inputs = self.model(expected, trains=True)
        _, states = self.runner.run(model, "grad_step", [inputs], loss=LOSS)
        found, _, _ = match(self.module, {k: v for k, v in expected.gradients.items() if v is not None}, states)
        return [f"where rows of the inputs are equal, the gradient of '{name}' is {float(gradient[bad][0])}, and a number "
                "in PyTorch" for name, gradient in found.items() if gradient is not None
                and (bad := ~gradient.isfinite()).any() and expected.gradients[name].isfinite().all()][:1]

    def losses(self, outputs, expected, single):
        found = float(next(iter(outputs.values())))  # the only one of the step
        spread = abs(expected.loss - single.loss) if math.isfinite(single.loss) else 0.0
        relative = RELATIVE * (OF_FLOAT32 if single is expected else 1)
        if abs(found - expected.loss) <= relative * expected.scale + OF_SPREAD * spread:
            return []
        return [f"in training mode, the outputs differ: their weighted sum is {found:.6g} instead of "
                f"{expected.loss:.6g}{first_output(self, trains=True)}"]

    def gradient_problems(self, found, expected, single, is_known):
        present = {name: gradient for name, gradient in self.gradients.items() if found[name] is not None}
        differences = compared(found, present, {k: v for k, v in single.gradients.items() if v is not None})
        if not differences:
            return []
        names = list(differences)
        more = f" (and those of {', '.join(repr(n) for n in names[1:6])}{' ...' * (len(names) > 6)})" * (len(names) > 1)
        where = "" if is_known else first_gradient(self)
        return [f"in training mode, the gradient of '{names[0]}' {differences[names[0]]}{more}{where}"]
