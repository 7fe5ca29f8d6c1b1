#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package as such: which of its modules may import which, and what its objects do with names that they do not have."""
import ast
import copy
import graphlib
import pickle
import unittest
from pathlib import Path

from common import Case, dlc, sgd

PACKAGE = Path(dlc.__file__).parent
FOREIGN = ("torch", "onnx", "onnxscript")  # what the package does without where it is not used


def imported(node):
    """The modules that an import statement names: those of the package with a point before them."""
    if isinstance(node, ast.Import):
        return [alias.name.split(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level:
        return ["." + (node.module or alias.name) for alias in node.names]
    return [node.module.split(".")[0]] if isinstance(node, ast.ImportFrom) else []


class Modules(Case):
    def test_imports_are_in_one_order(self):
        """A module imports at its top alone, and never one that imports it. dlc itself hands out the module that is PyTorch's
        on demand."""
        imports = {}
        for path in PACKAGE.glob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            imports[path.stem] = {name[1:] for node in tree.body for name in imported(node) if name.startswith(".")}
            inner = {name for node in ast.walk(tree) if node not in tree.body for name in imported(node)}
            allowed = {*FOREIGN, "._accelerate"} if path.stem == "__init__" else set(FOREIGN)
            self.assertLessEqual(inner, allowed, f"{path.name} imports in a function")
            outer = {name for node in tree.body for name in imported(node)}
            if path.stem != "_accelerate":
                self.assertFalse(outer & set(FOREIGN), f"{path.name} needs a package that it has to do without")
        self.assertIn("_step", imports["_compile"])
        known = {name: {each for each in found if each in imports} for name, found in imports.items()}
        graphlib.TopologicalSorter(known).prepare()  # raises CycleError with the circle


class Names(Case):
    def test_a_step_has_no_other_attributes(self):
        step = sgd()
        self.refused(AttributeError, "there is no Step.lrr to set; did you mean 'lr'?", lambda: setattr(step, "lrr", 1))
        self.refused(AttributeError, "it is set as hyperparameters['learning_rate']",
                     lambda: setattr(step, "learning_rate", 1))
        self.refused(AttributeError, "Step.seed is a function, which is called and not set: seed(3)",
                     lambda: setattr(step, "seed", 3))
        self.refused(AttributeError, "Step.step_count can be read, and not set", lambda: setattr(step, "step_count", 3))
        self.refused(AttributeError, "there is no Step.xyz to set; it has extras, hyperparameters", lambda: setattr(step, "xyz", 3))
        self.refused(AttributeError, "numbers are set as hyperparameters['learning_rate']",
                     lambda: setattr(step.hyperparameters, "lr", 3))
        step.lr = 0.25
        self.assertEqual(step.hyperparameters["learning_rate"], 0.25)

    def test_names_of_pytorch_say_what_there_is(self):
        step = sgd()
        for name, text in (("train", "each function has its mode"), ("eval", "evaluate and predict do not"),
                           ("zero_grad", "step(x, y) is zero_grad, forward, backward"), ("step", "apply() updates"),
                           ("parameters", "state_dict() gives all parameters"), ("cuda", "compile(..., device='gpu')"),
                           ("forward", "predict(x) computes the outputs"), ("param_groups", "the rate is lr"),
                           ("evalute", "did you mean 'evaluate'?")):
            self.refused(AttributeError, f"there is no Step.{name}; ", lambda: getattr(step, name))
            self.refused(AttributeError, text, lambda: getattr(step, name))
        self.assertFalse(hasattr(step, "xyz") or hasattr(step, "__array__"))
        for copied in copy.deepcopy, pickle.dumps:
            self.refused(TypeError, "save(path) and load(path)", lambda: copied(step))

    def test_an_optimizer_is_as_it_was_made(self):
        optimizer = dlc.AdamW(lr=1e-3, weight_decay=0.1)
        self.refused(AttributeError, "dlc.AdamW has no 'lrr'; did you mean 'lr'?", lambda: setattr(optimizer, "lrr", 1))
        self.refused(AttributeError, "is read when a step is compiled", lambda: setattr(optimizer, "lr", 1e-4))
        self.refused(AttributeError, "give dlc.AdamW(weight_decay=0.5)", lambda: setattr(optimizer, "weight_decay", 0.5))
        self.refused(AttributeError, "dlc.AdamW has no 'momentum'", lambda: optimizer.momentum)
        self.assertEqual((optimizer.lr, optimizer.weight_decay, optimizer.betas), (1e-3, 0.1, None))
        for other in copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer)):
            self.assertEqual(other.options(), optimizer.options())


if __name__ == "__main__":
    unittest.main()
