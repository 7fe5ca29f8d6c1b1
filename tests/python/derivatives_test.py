#!/usr/bin/env python3
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Derivatives of steps: against formulas in double precision, finite differences of gradients, and each other."""
import tempfile
import unittest
from pathlib import Path

from common import Case, Perceptron, batch, dlc, np, sgd

ALL = ["vjp", "jvp", "jacobian", "hvp"]

# y = a * b (elementwise, of each row), z = sin(a) summed over the columns.
TWO = """train.program @two {
  train.dim @batch = 4
  train.input @a : tensor<?x3xf64, #nn.dims<batch, _>>
  train.input @b : tensor<?x3xf64, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x3xf64, #nn.dims<batch, _>>
  train.output prediction @z : tensor<?xf64, #nn.dims<batch>>
  train.function forward @forward {
    %a = train.read @a : tensor<?x3xf64, #nn.dims<batch, _>>
    %b = train.read @b : tensor<?x3xf64, #nn.dims<batch, _>>
    %0 = nn.mul %a, %b : tensor<?x3xf64, #nn.dims<batch, _>>, tensor<?x3xf64, #nn.dims<batch, _>>
    %1 = nn.sin %a : tensor<?x3xf64, #nn.dims<batch, _>>
    %2 = nn.sum %1 axes [1] : tensor<?x3xf64, #nn.dims<batch, _>>
    train.write %0, @y : tensor<?x3xf64, #nn.dims<batch, _>>
    train.write %2, @z : tensor<?xf64, #nn.dims<batch>>
  }
}
"""


def normal(*shape, seed=3):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


class OfPredictions(Case):
    def setUp(self):
        self.step, (self.x, self.y) = sgd(function=ALL), batch(rows=5)
        reference = Perceptron(self.step.state_dict())
        hidden, _ = reference.scores(self.x.astype(np.float64))
        v = reference.values
        # Of the score k by the feature i, in row b.
        self.jacobian = np.einsum("kh,bh,hi->bki", v["fc2.weight"], hidden > 0, v["fc1.weight"])

    def test_gradient_by_the_inputs(self):
        cotangents = normal(5, 10)
        self.near(self.step.vjp(self.x, cotangents=cotangents), np.einsum("bki,bk->bi", self.jacobian, cotangents))

    def test_tangent_of_the_output(self):
        tangents = normal(5, 16)
        self.near(self.step.jvp(image=self.x, tangents=[tangents]), np.einsum("bki,bi->bk", self.jacobian, tangents))

    def test_whole_jacobian(self):
        found = self.step.jacobian(self.x)
        self.assertEqual(found.shape, (5, 10, 5, 16))
        self.near(np.einsum("bkbi->bki", found), self.jacobian)
        self.assertEqual(np.count_nonzero(found[0, :, 1:]), 0)

    def test_what_does_not_fit_is_refused(self):
        step, x = self.step, self.x
        self.refused(dlc.ArrayValueError, "'scores_cotangent': expected float32 [batch, 10], batch being 5 elsewhere",
                     lambda: step.vjp(x, cotangents=normal(4, 10)))
        self.refused(dlc.ArrayTypeError, "got float64", lambda: step.jvp(x, tangents=x.astype(np.float64)))
        self.refused(dlc.ArrayTypeError, "expected 1 arrays ('image_tangent' float32 [batch, 16]), got 2",
                     lambda: step.jvp(x, tangents=[x, x]))
        self.refused(KeyError, "expected arrays by these names: scores; got 'score'",
                     lambda: step.vjp(x, cotangents={"score": normal(5, 10)}))
        self.refused(dlc.ArrayValueError, "batch from 1 to 8; got float32 [9, 16]", lambda: step.jacobian(normal(9, 16)))
        self.refused(dlc.UnavailableError, "was compiled without jvp: compile it with function=[\"jvp\"]",
                     lambda: sgd().jvp(x, tangents=x))


class OfTheLoss(Case):
    def setUp(self):
        self.step, (self.x, self.y) = sgd(function=["hvp"]), batch(rows=5)
        self.vector = {state.name: normal(*state.shape, seed=number)
                       for number, state in enumerate(self.step.manifest.of_kind("parameter"))}
        reference = Perceptron(self.step.state_dict())
        initial, length = reference.values, 1e-5

        def gradients(factor):
            reference.values = {name: array + factor * self.vector[name] for name, array in initial.items()}
            return reference.loss_and_gradients(self.x, self.y)[1]
        ahead, behind = gradients(length), gradients(-length)
        self.expected = {name: (ahead[name] - behind[name]) / (2 * length) for name in initial}

    def test_by_name(self):
        product = self.step.hvp(self.x, self.y, vector=self.vector)
        self.assertEqual(sorted(product), sorted(self.expected))
        for name, array in product.items():
            self.near(array, self.expected[name])

    def test_names_that_are_left_out_are_zeros(self):
        part = self.step.hvp(self.x, self.y, vector={"fc1.weight": self.vector["fc1.weight"]})
        rest = self.step.hvp(self.x, self.y, vector={name: array for name, array in self.vector.items() if name != "fc1.weight"})
        for name, array in part.items():
            self.near(array + rest[name], self.expected[name])

    def test_as_one_array(self):
        names = [state.name for state in self.step.manifest.of_kind("parameter")]
        product = self.step.hvp(self.x, self.y, vector=np.concatenate([self.vector[name].ravel() for name in names]))
        self.near(product, np.concatenate([self.expected[name].ravel() for name in names]))

    def test_what_does_not_fit_is_refused(self):
        x, y = self.x, self.y
        self.refused(KeyError, "trains no parameter 'fc3'; it trains fc1.weight",
                     lambda: self.step.hvp(x, y, vector={"fc3": x}))
        self.refused(dlc.ArrayValueError, "'fc1.bias': expected the shape [32]",
                     lambda: self.step.hvp(x, y, vector={"fc1.bias": normal(31)}))
        self.refused(dlc.ArrayValueError, "'vector': expected float32 [874]", lambda: self.step.hvp(x, y, vector=normal(873)))


class OfSeveral(Case):
    def setUp(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "two.mlir")
            path.write_text(TWO)
            self.step = dlc.from_onnx(path, function=ALL[:3])
        self.a, self.b = np.random.default_rng(0).normal(size=(2, 4, 3))

    def test_tuples_in_the_order_of_inputs_and_outputs(self):
        of_y, of_z = np.random.default_rng(1).normal(size=(4, 3)), np.arange(4.0)
        by_a, by_b = self.step.vjp(self.a, self.b, cotangents=(of_y, of_z))
        self.near(by_a, of_y * self.b + of_z[:, None] * np.cos(self.a))
        self.near(by_b, of_y * self.a)
        y, z = self.step.jvp(self.a, self.b, tangents={"b": of_y})
        self.near(y, self.a * of_y)
        self.near(z, np.zeros(4))

    def test_a_cotangent_that_is_left_out_is_zero(self):
        by_a, by_b = self.step.vjp(self.a, self.b, cotangents={"z": np.ones(4)})
        self.near(by_a, np.cos(self.a))
        self.assertEqual(np.count_nonzero(by_b), 0)

    def test_jacobian_of_each_output_by_each_input(self):
        (y_a, y_b), (z_a, z_b) = self.step.jacobian(self.a, self.b)
        self.near(np.einsum("ijij->ij", y_a), self.b)
        self.near(np.einsum("ijij->ij", y_b), self.a)
        self.near(np.einsum("iij->ij", z_a), np.cos(self.a))
        self.assertEqual(np.count_nonzero(z_b), 0)


if __name__ == "__main__":
    unittest.main()
