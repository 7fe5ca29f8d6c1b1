# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which layer differs: the results of layers are compared one by one, forwards, or their gradients backwards."""
from .bounds import compared
from .graph import LOSS
from .interpreter import NotRun


def layers_in(comparison, computed):
    """[(Result, Place)] of the layers whose results the file tells, in the order in which they finished."""
    places = comparison.graph.places()
    return [(result, places[result.name]) for result in computed.results if result.name in places]


def described(result):
    return f"'{result.name}' ({result.kind})"


def sources(place):
    """Where what reads the value was written; the nodes, where the exporter does not tell."""
    lines = list(dict.fromkeys(source for source in place.sources if source))
    if not lines:
        lines = list(dict.fromkeys(f"node '{name}'" for name in place.readers if name))
    return f" (read {'at' if ':' in ''.join(lines) else 'by'} {', '.join(lines[:3])})" * bool(lines)


def results_in_file(comparison, computed, layers, trains):
    model, inputs = comparison.model(computed, trains)
    model.add_results([place.value for _, place in layers])
    return comparison.values(model, inputs, trains)


def equal_layers(comparison, computed, single, layers, found):
    """For each layer, whether its result is the module's; None where the file's value is no such tensor."""
    expected = {place.value: result.value for result, place in layers}
    rounded = {place.value: result.value for result, place in layers_in(comparison, single)}
    differences = compared(found, expected, rounded)
    return [None if place.value not in found or found[place.value].shape != result.value.shape
            else place.value not in differences for result, place in layers]


def first_output(comparison, trains):
    """The end of a sentence: the first layer whose result differs; "" where nothing can be told."""
    try:
        computed, single = comparison.references(trains, keeps_results=True)
        layers = layers_in(comparison, computed)
        found = results_in_file(comparison, computed, layers, trains)
    except NotRun:
        return ""
    equal = equal_layers(comparison, computed, single, layers, found)
    before = None
    for (result, place), same in zip(layers, equal):
        if same is False:
            return f"; the first layer with another result is {described(result)}"
        if same:
            before = result, place
    return f"; all layers have PyTorch's results: it is what forward computes after {described(before[0])}" \
           f"{sources(before[1])}" if before else ""


def first_gradient(comparison):
    """The end of a sentence: behind which layer's result the gradient begins to differ; "" where nothing tells."""
    try:
        computed, single = comparison.references(trains=True, keeps_results=True)
        layers = layers_in(comparison, computed)
        found = results_in_file(comparison, computed, layers, trains=True)
        equal = equal_layers(comparison, computed, single, layers, found)
        layers = [layer for layer, same in zip(layers, equal) if same and layer[0].gradient is not None]
        model, inputs = comparison.model(computed, trains=True)
        added = model.add_zeros({place.value: list(result.value.shape) for result, place in layers})
        _, states = comparison.runner.run(model, "grad_step", comparison.steps(inputs), loss=LOSS,
                                          options=[f"--train={name}" for name in added.values()])
    except NotRun:
        return ""
    gradients = {place.value: states.get(added[place.value] + ".grad") for _, place in layers}
    expected = {place.value: result.gradient for result, place in layers if gradients[place.value] is not None}
    rounded = {place.value: result.gradient for result, place in layers_in(comparison, single)
               if result.gradient is not None}
    differences = compared(gradients, expected, rounded)
    wrong = [i for i, (_, place) in enumerate(layers) if place.value in differences]
    if not wrong:
        return "; the gradients of all layers' results are PyTorch's, so it is how this parameter is used"
    result, place = layers[wrong[-1]]
    after = layers[wrong[-1] + 1][0] if wrong[-1] + 1 < len(layers) else None
    text = f"; the gradient of the result of {described(result)} is another one already{sources(place)}"
    return text + (f", that of the result of {described(after)} is right" if after else "")
