# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions whose programs are stored: one for each thing that JAX writes in its own way.

Needs jax, flax, equinox and optax; only make_programs.py reads it. A case has the form in which it is stored:

    export        jax.export with an open batch
    fixed export  jax.export with the sizes of the examples
    text          jax.jit(f).lower(...).as_text(debug_info=True)
    generic       the same in MLIR's generic form
    bare          as_text(), without names of arguments
"""
import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax

BATCH = 6
CASES = []
SGD = (optax.sgd(0.05, momentum=0.9), ["--optimizer=sgd", "--lr=0.05", "--momentum=0.9"])
ADAM = (optax.adam(0.003), ["--optimizer=adam", "--lr=0.003"])
LOSSES = {"mse": "--loss=mse", "classes": "--loss=softmax-cross-entropy"}


def normal(*shape):
    return {"shape": [BATCH, *shape], "kind": "normal"}


def index(high, *shape):
    return {"shape": [BATCH, *shape], "kind": "index", "high": high}


def case(form, inputs, target, loss, optimizer, params=None):
    """Of a Flax module, whose parameters it makes, or of a function apply(params, ...)."""
    def add(what):
        apply, made = what, params
        if isinstance(what, type):
            module = what()
            examples = [jnp.zeros(x["shape"], jnp.int32 if x["kind"] == "index" else jnp.float32) for x in inputs]
            made = lambda: module.init(jax.random.key(len(CASES)), *examples)["params"]
            apply = lambda params, *x: module.apply({"params": params}, *x)
        CASES.append({"name": what.__name__, "about": " ".join(what.__doc__.split()), "form": form, "inputs": inputs,
                      "target": target, "loss": loss, "apply": apply, "params": made, "optimizer": optimizer[0],
                      "options": [LOSSES[loss], *optimizer[1]]})
        return what
    return add


@case("export", [normal(7)], index(3), "classes", SGD)
class Perceptron(nn.Module):
    """Dense layers, ReLU, GELU by the error function and by tanh, with an open batch."""

    @nn.compact
    def __call__(self, x):
        x = nn.gelu(nn.Dense(9)(nn.relu(nn.Dense(9)(x))))
        return nn.Dense(3)(nn.gelu(nn.Dense(5)(x), approximate=False))


@case("generic", [normal(7)], index(3), "classes", SGD)
class Generic(nn.Module):
    """Dense layers, softmax and a function that is called, in MLIR's generic form."""

    @nn.compact
    def __call__(self, x):
        return nn.Dense(3)(jax.nn.softmax(nn.Dense(9)(nn.relu(nn.Dense(6)(x)))))


@case("text", [normal(8, 8, 2)], index(3), "classes", SGD)
class Images(nn.Module):
    """Convolutions (same padding, strides, groups, dilation), largest and average pooling, group normalization, SiLU."""

    @nn.compact
    def __call__(self, x):
        x = nn.max_pool(nn.relu(nn.Conv(4, (3, 3))(x)), (2, 2), (2, 2))
        x = nn.silu(nn.GroupNorm(2)(nn.Conv(4, (3, 3), feature_group_count=2, kernel_dilation=2)(x)))
        x = nn.avg_pool(nn.Conv(4, (2, 3), strides=(1, 2), padding=((1, 0), (0, 1)))(x), (2, 2), (1, 1))
        return nn.log_softmax(nn.Dense(3)(x.reshape(x.shape[0], -1)))


@case("export", [normal(5, 5, 2)], normal(10, 10, 1), "mse", ADAM)
class Decoder(nn.Module):
    """A transposed convolution, an image resized by repetition, and a 1-dimensional convolution."""

    @nn.compact
    def __call__(self, x):
        y = nn.Conv(2, (3,))(x.reshape(x.shape[0], 25, 2)).reshape(x.shape)
        return nn.ConvTranspose(1, (3, 3), strides=(2, 2))(jnp.tanh(y + x))


@case("export", [index(11, 5)], index(4), "classes", ADAM)
class Language(nn.Module):
    """An embedding, attention with a causal mask, layer normalization, and the last place of a sequence."""

    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(11, 8)(tokens)
        x = x + nn.MultiHeadDotProductAttention(2)(nn.LayerNorm()(x), mask=nn.make_causal_mask(tokens))
        x = x + nn.Dense(8)(nn.gelu(nn.Dense(16)(nn.LayerNorm(use_fast_variance=False)(x))))
        return nn.Dense(4)(x[:, -1])



class StatisticsModule(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.BatchNorm(use_running_average=True)(nn.Conv(4, (3, 3))(x))
        return nn.Dense(3)(jnp.mean(nn.relu(x), axis=(1, 2)))


@case("export", [normal(4, 4, 1)], index(3), "classes", SGD,
      params=lambda: jax.tree_util.tree_map(
          lambda leaf: leaf + 0.25, StatisticsModule().init(jax.random.key(3), jnp.zeros((1, 4, 4, 1)))))
def Statistics(variables, x):
    """Flax's collections: running statistics are not trained."""
    return StatisticsModule().apply(variables, x)


EQUINOX = eqx.nn.MLP(5, 2, 7, 2, activation=jax.nn.softplus, key=jax.random.key(4))


@case("export", [normal(5)], normal(2), "mse", ADAM, params=lambda: eqx.filter(EQUINOX, eqx.is_array))
def Equinox(model, x):
    """A module of Equinox, mapped over the batch."""
    return jax.vmap(eqx.combine(model, eqx.filter(EQUINOX, eqx.is_array, inverse=True)))(x)


@case("bare", [normal(4)], normal(3), "mse", SGD,
      params=lambda: [(jax.random.normal(jax.random.key(5), (4, 6)), jnp.zeros(6)),
                      (jax.random.normal(jax.random.key(6), (6, 3)) / 3, jnp.ones(3))])
def Bare(params, x):
    """A list of pairs, whose text names no argument: parameters by their places."""
    for weights, bias in params[:-1]:
        x = jnp.tanh(x @ weights + bias)
    return x @ params[-1][0] + params[-1][1]


@case("fixed export", [normal(4, 6), normal(6)], normal(4, 3), "mse", ADAM,
      params=lambda: {"a": jax.random.normal(jax.random.key(7), (6, 2, 3)), "b": jnp.full((3,), 0.5),
                      "nested": [jnp.full((4, 1), 0.3)]})
def Formulas(params, x, y):
    """Slices, pads, concatenations, reversals, conditions, powers, roots, sums, products, cumulative sums, einsum."""
    x = jnp.concatenate([x[:, ::2], jnp.flip(x, axis=2)[:, 1:3]], axis=1) + jnp.pad(y, ((0, 0), (1, 0)))[:, None, :-1]
    h = jnp.einsum("bsf,fgo->bsgo", x, params["a"])
    h = jnp.where(h[:, :, 0] > 0.2, jnp.cumsum(h[:, :, 1], axis=1), jnp.minimum(h[:, :, 0], 1.5)) * params["nested"][0]
    h = jax.nn.logsumexp(h, axis=-1, keepdims=True) + jnp.sqrt(1 + h**2) - jnp.abs(h) ** 1.5 * params["b"]
    return jnp.clip(h, -4, 4) + jnp.max(h, axis=1, keepdims=True) + jnp.prod(1 + 0.1 * h, axis=1, keepdims=True) \
        + jnp.sin(h) * jax.nn.sigmoid(jnp.arange(3) - 1.0) + jnp.log1p(jnp.square(h))
