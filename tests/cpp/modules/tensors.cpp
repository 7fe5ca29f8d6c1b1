// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Functions of tensors: where elements are equal, where formulas meet, and elsewhere.
#include "tests/cpp/modules/cases.h"

using namespace cases;
using Tensors = std::vector<Tensor>;

static Program tensors(DType dtype) {
  Cases c(dtype);
  auto of = [&](const std::string &python, const In &in, auto function) {
    c.add("lambda x: " + python, {in}, [=](Tensors &x) { return function(x[0]); });
  };
  // Positions and truth values, which have no gradients.
  auto places = [&](const std::string &python, const In &in, auto function) {
    c.add("lambda x: (" + python + ").double() + 0 * x.sum()", {in},
          [=](Tensors &x) { return function(x[0]).to(dtype) + 0 * x[0].sum(); });
  };
  auto ofTwo = [&](const std::string &python, const In &a, const In &b, auto function) {
    c.add("lambda a, b: " + python, {a, b}, [=](Tensors &x) { return function(x[0], x[1]); });
  };

  // Extrema.
  of("torch.max(x)", {{3, 9}, Kind::Half}, [](Tensor x) { return max(x); });
  of("torch.max(x, 1)[0]", {{3, 9}, Kind::Half}, [](Tensor x) { return x.max(1).first; });
  places("torch.max(x, 1)[1]", {{3, 9}, Kind::Half}, [](Tensor x) { return x.max(1).second; });
  of("torch.max(x, 0, keepdim=True)[0]", {{4, 2, 3}, Kind::Half},
     [](Tensor x) { return max(x, 0, true).first; });
  of("torch.max(x, -1)[0]", {{5}}, [](Tensor x) { return max(x, -1).first; });
  of("torch.max(x, 1)[0]", {{4, 1}}, [](Tensor x) { return x.max(1).first; });
  of("torch.min(x)", {{3, 9}, Kind::Half}, [](Tensor x) { return min(x); });
  of("torch.min(x, 0)[0]", {{5, 3}, Kind::Half}, [](Tensor x) { return x.min(0).first; });
  places("torch.min(x, 0, keepdim=True)[1]", {{5, 3}, Kind::Half},
         [](Tensor x) { return min(x, 0, true).second; });
  of("torch.min(x, -2)[0]", {{2, 3, 4}}, [](Tensor x) { return min(x, -2).first; });
  of("torch.amax(x, (0, 2))", {{2, 3, 4}, Kind::Half}, [](Tensor x) { return amax(x, {0, 2}); });
  of("torch.median(x, 1)[0]", {{3, 6}}, [](Tensor x) { return median(x, 1).first; });
  of("torch.median(x, 0, keepdim=True)[0]", {{5, 2}}, [](Tensor x) { return median(x, 0, true).first; });
  places("torch.median(x, 1)[1]", {{3, 5}}, [](Tensor x) { return x.median(1).second; });
  places("torch.argmax(x, 1)", {{3, 9}, Kind::Half}, [](Tensor x) { return argmax(x, 1); });
  of("torch.sort(x, dim=1, stable=True)[0]", {{3, 7}, Kind::Half}, [](Tensor x) { return sort(x, 1).first; });
  of("torch.topk(x, 2, 0)[0]", {{5, 3}}, [](Tensor x) { return topk(x, 2, 0).first; });

  // Sums, products, spreads.
  of("torch.cumsum(x, 1)", {{3, 7}}, [](Tensor x) { return cumsum(x, 1); });
  of("torch.cumprod(x, 1)", {{3, 7}, Kind::Half}, [](Tensor x) { return cumprod(x, 1); });
  of("torch.cumprod(x, 0)", {{5, 2}}, [](Tensor x) { return x.cumprod(0); });
  of("torch.cumprod(x, -1)", {{1}}, [](Tensor x) { return x.cumprod(-1); });
  of("torch.prod(x, 1)", {{4, 5}, Kind::Half}, [](Tensor x) { return prod(x, 1); });
  of("torch.var(x, 1)", {{3, 5}}, [](Tensor x) { return var(x, 1); });
  of("torch.std(x, 1)", {{3, 5}}, [](Tensor x) { return dlc::std(x, 1); });
  of("torch.std((x > 9) * x, 0)", {{3, 5}}, [](Tensor x) { return dlc::std((x > 9).to(x.dtype()) * x, 0); });
  of("torch.norm(x, dim=1)", {{3, 5}}, [](Tensor x) { return norm(x, 2, 1); });
  of("torch.logsumexp(x, 1)", {{3, 5}}, [](Tensor x) { return logsumexp(x, 1); });

  // Elements moved.
  of("torch.flip(x, (0, 2))", {{2, 3, 4}}, [](Tensor x) { return flip(x, {0, 2}); });
  of("torch.roll(x, (1, -2), (0, 1))", {{3, 4}}, [](Tensor x) { return roll(x, {1, -2}, {0, 1}); });
  of("torch.repeat_interleave(x, 3, 1)", {{2, 3}}, [](Tensor x) { return repeat_interleave(x, 3, 1); });
  of("torch.scatter(x, 1, torch.tensor([[0, 2, 3], [1, 3, 0]]), 7.0)", {{3, 4}},
     [](Tensor x) { return scatter(x, 1, tensor({{0, 2, 3}, {1, 3, 0}}, int64), 7); });
  ofTwo("torch.scatter(a, 1, torch.tensor([[0, 2, 3], [1, 3, 0]]), b)", {{3, 4}}, {{2, 3}},
        [](Tensor a, Tensor b) { return a.scatter(1, tensor({{0, 2, 3}, {1, 3, 0}}, int64), b); });
  ofTwo("torch.scatter(a, 0, torch.tensor([[3, 1]]), b)", {{4, 3}}, {{1, 2}},
        [](Tensor a, Tensor b) { return a.scatter(0, tensor({{3, 1}}, int64), b); });

  // Elements.
#define OF(name, kind) of("torch." #name "(x)", {{3, 5}, Kind::kind}, [](Tensor x) { return dlc::name(x); });
  OF(square, Half)
  OF(exp2, Half)
  OF(log2, Positive)
  OF(log10, Positive)
  OF(tan, Probability)
  OF(asin, Probability)
  OF(acos, Probability)
  OF(sinh, Half)
  OF(cosh, Half)
  OF(trunc, Half)
  OF(frac, Half)
#undef OF
  places("torch.isfinite(1 / x)", {{9}, Kind::Half}, [](Tensor x) { return isfinite(1 / x); });
  places("torch.isinf(1 / x)", {{9}, Kind::Half}, [](Tensor x) { return isinf(1 / x); });
  places("torch.isnan(0 / x)", {{9}, Kind::Half}, [](Tensor x) { return isnan(0 / x); });
  ofTwo("torch.atan2(a, b)", {{5, 7}}, {{5, 7}}, [](Tensor a, Tensor b) { return atan2(a, b); });
  ofTwo("torch.atan2(a, b)", {{4, 9}, Kind::Half}, {{9}}, [](Tensor a, Tensor b) { return atan2(a, b); });
  ofTwo("torch.logaddexp(a, b)", {{4, 9}, Kind::Half}, {{9}, Kind::Half},
        [](Tensor a, Tensor b) { return logaddexp(a, b); });
  ofTwo("torch.remainder(a, b)", {{4, 9}}, {{9}, Kind::Positive},
        [](Tensor a, Tensor b) { return remainder(a, b); });
  ofTwo("torch.lerp(a, b, 0.3)", {{4, 9}}, {{4, 9}}, [](Tensor a, Tensor b) { return lerp(a, b, 0.3); });

  // Of torch.nn.functional.
  c.add("lambda x, w, b: F.linear(x, w, b)", {{{2, 3, 4}}, {{5, 4}}, {{5}}},
        [](Tensors &x) { return F::linear(x[0], x[1], x[2]); });
  c.add("lambda x, w: F.linear(x, w)", {{{4}}, {{5, 4}}}, [](Tensors &x) { return F::linear(x[0], x[1]); });
  c.add("lambda i, w: F.embedding(i, w, -1)", {{{2, 3}, Kind::Index, 5}, {{5, 2}}},
        [](Tensors &x) { return F::embedding(x[0], x[1], -1); });
  c.add("lambda i, w: F.one_hot(i, 4) * w", {{{2, 3}, Kind::Index, 4}, {{4}}},
        [](Tensors &x) { return F::one_hot(x[0], 4).to(x[1].dtype()) * x[1]; });
  return c.program();
}

DLC_MODEL(tensors) { return tensors(float64); }
DLC_MODEL(tensors32) { return tensors(float32); }
