//===- tensor_test.cpp - values of tensor functions -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected numbers are written out, or computed here with loops or the C library.
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "tests/cpp/Expect.h"
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

using namespace dlc;
using Numbers = std::vector<double>;

static Tensor counting(const Shape &shape) {
  int64_t count = 1;
  for (const Dim &dim : shape)
    count *= dim.value();
  Numbers numbers(count);
  for (int64_t i = 0; i < count; ++i)
    numbers[i] = double(i);
  return from_data(numbers, shape);
}

static void expectNear(const Tensor &tensor, const Numbers &expected, double tolerance = 1e-6) {
  Numbers got = tensor.values();
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], tolerance * std::max(1.0, std::fabs(expected[i]))) << "element " << i;
}

TEST(Operators, OfTensorsAndNumbers) {
  Tensor x = tensor({1.0, 2, 4}), y = tensor({{10.0, 20, 30}, {1, 1, 1}});
  EXPECT_EQ((x + y).values(), (Numbers{11, 22, 34, 2, 3, 5}));
  EXPECT_EQ((y - x).values(), (Numbers{9, 18, 26, 0, -1, -3}));
  EXPECT_EQ((2 * x).values(), (Numbers{2, 4, 8}));
  EXPECT_EQ((1 - x).values(), (Numbers{0, -1, -3}));
  EXPECT_EQ((8.0 / x).values(), (Numbers{8, 4, 2}));
  EXPECT_EQ((-x).values(), (Numbers{-1, -2, -4}));
  EXPECT_EQ(x.pow(3).values(), (Numbers{1, 8, 64}));
  EXPECT_EQ(maximum(x, 2).values(), (Numbers{2, 2, 4}));
  EXPECT_EQ(minimum(x, 2).values(), (Numbers{1, 2, 2}));
  EXPECT_EQ(x.clamp(1.5, 3).values(), (Numbers{1.5, 2, 3}));
}

TEST(Operators, RemaindersHaveTheDivisorsSign) { // torch.remainder
  std::ostringstream text;
  text << remainder(tensor({7, -7, 7, -7, 6}), tensor({3, 3, -3, -3, 3})) << remainder(tensor({7.5, -7.5}), 2)
       << remainder(tensor({250, 4}).to(uint8), 7) << remainder(tensor(int64_t(1) << 40) + 5, 7).dtype();
  EXPECT_EQ(text.str(), "tensor([ 1,  2, -2, -1,  0])tensor([1.5000, 0.5000])tensor([5, 4], dtype=uint8)int64");
  EXPECT_EQ(remainder(tensor(int64_t(1) << 40) + 5, 1000).item<int64_t>(), 781); // float32 has no such number
  EXPECT_MESSAGE(remainder(tensor({true}), tensor({true})), "remainder: expected numbers, got two truth values");
}

TEST(Operators, Comparisons) {
  Tensor x = tensor({1.0, 2, 3});
  EXPECT_EQ((x == 2).values(), (Numbers{0, 1, 0}));
  EXPECT_EQ((x != 2).values(), (Numbers{1, 0, 1}));
  EXPECT_EQ((x < 2).values(), (Numbers{1, 0, 0}));
  EXPECT_EQ((x <= 2).values(), (Numbers{1, 1, 0}));
  EXPECT_EQ((x > 2).values(), (Numbers{0, 0, 1}));
  EXPECT_EQ((x >= 2).values(), (Numbers{0, 1, 1}));
  EXPECT_EQ((2 < x).values(), (Numbers{0, 0, 1}));
  EXPECT_EQ(((x > 1) & (x < 3)).values(), (Numbers{0, 1, 0}));
  EXPECT_EQ(((x < 2) | (x > 2)).values(), (Numbers{1, 0, 1}));
  EXPECT_EQ(((x < 2) ^ (x < 3)).values(), (Numbers{0, 1, 0}));
  EXPECT_EQ((!(x < 2)).values(), (Numbers{0, 1, 1}));
  EXPECT_EQ(dlc::where(x > 1, x, 0).values(), (Numbers{0, 2, 3}));
  EXPECT_EQ(dlc::where(x > 1, 1, 0).dtype(), int64);
  EXPECT_EQ(dlc::where(x > 1, 1, 0.5).values(), (Numbers{0.5, 1, 1}));
  EXPECT_EQ(x.masked_fill(x > 1, -1).values(), (Numbers{1, -1, -1}));
  EXPECT_EQ((x > 1).dtype(), boolean);
}

TEST(Unary, AreTheCLibrarys) {
  const Numbers points{-2.5, -1, -0.3, 0.4, 0.5, 1, 2.5};
  Numbers positive{0.1, 0.5, 1, 3, 20};
  auto check = [](const Numbers &at, Tensor (*ours)(const Tensor &, Where), double (*reference)(double)) {
    Numbers expected;
    for (double x : at)
      expected.push_back(reference(float(x)));
    expectNear(ours(from_data(at, {int64_t(at.size())}), Where::current()), expected);
  };
  check(points, dlc::neg, [](double x) { return -x; });
  check(points, dlc::abs, [](double x) { return std::fabs(x); });
  check(points, dlc::sign, [](double x) { return double((x > 0) - (x < 0)); });
  check(points, dlc::exp, [](double x) { return std::exp(x); });
  check(positive, dlc::log, [](double x) { return std::log(x); });
  check(points, dlc::expm1, [](double x) { return std::expm1(x); });
  check(positive, dlc::log1p, [](double x) { return std::log1p(x); });
  check(positive, dlc::sqrt, [](double x) { return std::sqrt(x); });
  check(positive, dlc::rsqrt, [](double x) { return 1 / std::sqrt(x); });
  check(points, dlc::reciprocal, [](double x) { return 1 / x; });
  check(points, dlc::erf, [](double x) { return std::erf(x); });
  check(points, dlc::erfc, [](double x) { return std::erfc(x); });
  const Numbers inside{-0.9, -0.3, 0.4, 0.99};
  check(
      inside, [](const Tensor &x, Where where) { return dlc::erf(x.erfinv(where), where); },
      [](double x) { return x; });
  check(points, dlc::sin, [](double x) { return std::sin(x); });
  check(points, dlc::cos, [](double x) { return std::cos(x); });
  check(points, dlc::atan, [](double x) { return std::atan(x); });
  check(points, dlc::floor, [](double x) { return std::floor(x); });
  check(points, dlc::ceil, [](double x) { return std::ceil(x); });
  check(points, dlc::round, [](double x) { return std::nearbyint(x); });
  check(points, dlc::tanh, [](double x) { return std::tanh(x); });
  check(points, dlc::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); });
  check(points, dlc::relu, [](double x) { return std::max(x, 0.0); });
  check(points, dlc::silu, [](double x) { return x / (1 + std::exp(-x)); });
  check(points, dlc::softplus, [](double x) { return std::log1p(std::exp(x)); });
  check(points, dlc::softsign, [](double x) { return x / (1 + std::fabs(x)); });
}

TEST(Reductions, OverSomeAxesAndAll) {
  Tensor x = tensor({{1.0, 2, 3}, {4, 5, 9}});
  EXPECT_EQ(x.sum().item(), 24);
  EXPECT_EQ(x.sum(0).values(), (Numbers{5, 7, 12}));
  EXPECT_EQ(x.sum(-1, true).values(), (Numbers{6, 18}));
  EXPECT_EQ(x.sum(-1, true).shape(), (Shape{2, 1}));
  EXPECT_EQ(x.mean({0, 1}).item(), 4);
  EXPECT_EQ(x.prod(1).values(), (Numbers{6, 180}));
  EXPECT_EQ(x.amax(0).values(), (Numbers{4, 5, 9}));
  EXPECT_EQ(x.amin(1).values(), (Numbers{1, 4}));
  EXPECT_EQ((x > 3).any(1).values(), (Numbers{0, 1}));
  EXPECT_EQ((x > 3).all(1, true).values(), (Numbers{0, 1}));
  EXPECT_EQ((x > 3).all(1, true).shape(), (Shape{2, 1}));
  EXPECT_EQ(x.any().dtype(), boolean);
  EXPECT_EQ(tensor({0, NAN}).all().item(), 0);
  EXPECT_EQ(zeros({0, 2}).any(0).values(), (Numbers{0, 0}));
  EXPECT_EQ(zeros({0, 2}).all(0).values(), (Numbers{1, 1}));
  EXPECT_EQ(x.argmax(1).values(), (Numbers{2, 2}));
  EXPECT_EQ(x.argmin(0).values(), (Numbers{0, 0, 0}));
  expectNear(x.var(1), {1, 7});
  expectNear(x.var(1, 0), {2.0 / 3, 14.0 / 3});
  expectNear(x.std(1), {1, std::sqrt(7.0)});
}

TEST(Shapes, KeepTheElements) {
  Tensor x = counting({2, 3, 4});
  EXPECT_EQ(x.reshape({6, -1}).shape(), (Shape{6, 4}));
  EXPECT_EQ(x.flatten(1).shape(), (Shape{2, 12}));
  EXPECT_EQ(x.unsqueeze(-1).shape(), (Shape{2, 3, 4, 1}));
  EXPECT_EQ(x.unsqueeze(0).squeeze(0).shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(x.squeeze(0).shape(), (Shape{2, 3, 4})); // as PyTorch: its size is not 1
  EXPECT_EQ(counting({1, 3, 1, 2}).squeeze().shape(), (Shape{3, 2}));
  EXPECT_EQ(input("squeezed", {Dim("batch", 8), 1}).squeeze().shape()[0].str(), "batch");
  EXPECT_EQ(x.permute({2, 0, 1}).index({1}).values(), (Numbers{1, 5, 9, 13, 17, 21}));
  EXPECT_EQ(x.transpose(0, -1).index({3, 1}).values(), (Numbers{7, 19}));
  EXPECT_EQ(tensor({{1.0, 2}, {3, 4}}).t().values(), (Numbers{1, 3, 2, 4}));
  EXPECT_EQ(tensor({1.0, 2}).expand({2, -1}).values(), (Numbers{1, 2, 1, 2}));
  EXPECT_EQ(tensor({{1.0, 2}, {3, 4}}).flip({1}).values(), (Numbers{2, 1, 4, 3}));
  // Named dims: the rows are known when the model runs.
  Tensor batch = input("shapes", {Dim("batch", 8), 6});
  EXPECT_EQ(batch.reshape({-1, 2, 3}).shape()[0].str(), "batch");
  EXPECT_EQ(batch.reshape({-1, 3}).shape()[0].str(), "2*batch");
}

TEST(Parts, AreTaken) {
  Tensor x = counting({3, 4});
  EXPECT_EQ(x.index({Slice{0, 2}, Slice{1, Slice::end, 2}}).values(), (Numbers{1, 3, 5, 7}));
  EXPECT_EQ(x.index({-1}).values(), (Numbers{8, 9, 10, 11}));
  EXPECT_EQ(x.select(1, -2).values(), (Numbers{2, 6, 10}));
  EXPECT_EQ(x.index({Ellipsis, 1}).values(), (Numbers{1, 5, 9}));
  EXPECT_EQ(x.index({None, 1, Ellipsis, None}).shape(), (Shape{1, 4, 1}));
  Tensor cube = counting({2, 3, 4});
  EXPECT_EQ(cube.index({1, Ellipsis, Slice{1, 3}}).values(), (Numbers{13, 14, 17, 18, 21, 22}));
  EXPECT_EQ(cube.index({Slice(), Ellipsis, 0, None, 3}).values(), (Numbers{3, 15}));
  EXPECT_EQ(cube.index({Ellipsis}).values(), cube.values());
  std::vector<Tensor> sizes = x.split_with_sizes({1, 0, 3}, 1);
  ASSERT_EQ(sizes.size(), 3u);
  EXPECT_EQ(sizes[0].values(), (Numbers{0, 4, 8}));
  EXPECT_EQ(sizes[1].shape(), (Shape{3, 0}));
  EXPECT_EQ(sizes[2].index({2}).values(), (Numbers{9, 10, 11}));
  EXPECT_EQ(x.slice(0, {-2, Slice::end}).values(), (Numbers{4, 5, 6, 7, 8, 9, 10, 11}));
  std::vector<Tensor> parts = x.split(3, 1);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].values(), (Numbers{3, 7, 11}));
  EXPECT_EQ(x.chunk(2, 1)[1].values(), (Numbers{2, 3, 6, 7, 10, 11}));
  EXPECT_EQ(x.chunk(3, 1).size(), 2u); // as PyTorch: parts of two
  Tensor rows = tensor({2.0, 0}).to(int64);
  EXPECT_EQ(x.index_select(0, rows).values(), (Numbers{8, 9, 10, 11, 0, 1, 2, 3}));
  EXPECT_EQ(cat({x.select(0, 0), x.select(0, 2)}).values(), (Numbers{0, 1, 2, 3, 8, 9, 10, 11}));
  EXPECT_EQ(stack({tensor({1.0, 2}), tensor({3.0, 4})}, 1).values(), (Numbers{1, 3, 2, 4}));
  EXPECT_EQ(pad(tensor({{1.0, 2}}), {1}, {2}, 9).values(), (Numbers{9, 1, 2, 9, 9}));
}

/// Against PyTorch's definition, out[i][j] = x[i][index[i][j]], and with dim 0 x[index[i][j]][j].
TEST(Parts, GatherTakesElements) {
  Tensor x = counting({3, 4}), index = tensor({{3, 0}, {1, 1}}, int64);
  EXPECT_EQ(x.gather(1, index).values(), (Numbers{3, 0, 5, 5}));
  EXPECT_EQ(x.gather(0, tensor({{2, 0, 1}}, int64)).values(), (Numbers{8, 1, 6}));
}

// What PyTorch 2.13 gives.
TEST(Rearranged, ElementsMove) {
  Tensor x = counting({2, 3});
  EXPECT_EQ(x.roll(1).values(), (Numbers{5, 0, 1, 2, 3, 4}));
  EXPECT_EQ(x.roll({1, -1}, {0, 1}).values(), (Numbers{4, 5, 3, 1, 2, 0}));
  EXPECT_EQ(x.roll(-4, 1).values(), (Numbers{1, 2, 0, 4, 5, 3}));
  EXPECT_EQ(x.repeat({2, 1, 2}).shape(), (Shape{2, 2, 6}));
  EXPECT_EQ(x.repeat({2, 1, 2}).select(0, 1).values(), (Numbers{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}));
  EXPECT_EQ(x.tile({2}).values(), (Numbers{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}));
  EXPECT_EQ(x.repeat({0, 1}).shape(), (Shape{0, 3}));
  EXPECT_EQ(x.repeat_interleave(2).values(), (Numbers{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}));
  EXPECT_EQ(x.repeat_interleave(2, 0).values(), (Numbers{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}));
  EXPECT_EQ(x.repeat_interleave(2, -1).shape(), (Shape{2, 6}));
  EXPECT_EQ(x.unbind(1)[2].values(), (Numbers{2, 5}));
  Tensor batch = input("repeated", {Dim("batch", 8), 2});
  EXPECT_EQ(batch.repeat({3, 1}).shape()[0].str(), "3*batch");
}

TEST(Rearranged, Triangles) {
  Tensor x = counting({2, 3}) + 1;
  EXPECT_EQ(x.tril().values(), (Numbers{1, 0, 0, 4, 5, 0}));
  EXPECT_EQ(x.tril(1).values(), (Numbers{1, 2, 0, 4, 5, 6}));
  EXPECT_EQ(x.tril(-1).values(), (Numbers{0, 0, 0, 4, 0, 0}));
  EXPECT_EQ(x.triu().values(), (Numbers{1, 2, 3, 0, 5, 6}));
  EXPECT_EQ(x.triu(1).values(), (Numbers{0, 2, 3, 0, 0, 6}));
  EXPECT_EQ(x.triu(-1).to(int64).unsqueeze(0).tril().values(), (Numbers{1, 0, 0, 4, 5, 0}));
}

TEST(Reductions, RunningSums) {
  Tensor x = counting({2, 3});
  EXPECT_EQ(x.cumsum(1).values(), (Numbers{0, 1, 3, 3, 7, 12}));
  EXPECT_EQ(x.cumsum(-2).values(), (Numbers{0, 1, 2, 3, 5, 7}));
  EXPECT_EQ(ones({7}, int64).cumsum(0).values(), (Numbers{1, 2, 3, 4, 5, 6, 7}));
}

TEST(Reductions, Norms) {
  Tensor x = tensor({{3.0, -4}, {0, 0}}).requires_grad_();
  auto check = [&](double p, const Numbers &norms, const Numbers &slopes) {
    Tensor norm = x.norm(p, 1);
    expectNear(norm, norms);
    expectNear(grad(norm.sum(), x), slopes);
  };
  check(2, {5, 0}, {0.6, -0.8, 0, 0});
  check(1, {7, 0}, {1, -1, 0, 0});
  check(3, {4.497941494, 0}, {0.444851339, -0.790846825, 0, 0});
  check(0.5, {13.928203583, 0}, {2.154700518, -1.866025448, 0, 0});
  check(INFINITY, {4, 0}, {0, -1, 0, 0});
  check(-INFINITY, {3, 0}, {1, 0, 0, 0});
  EXPECT_EQ(x.norm(0, 1, true).values(), (Numbers{2, 0}));
  EXPECT_EQ(x.norm().item(), 5);
}

TEST(Reductions, LogSumExp) {
  Tensor far = tensor({{1000, 1001}, {-INFINITY, -INFINITY}}).logsumexp(1);
  expectNear(far.slice(0, {0, 1}), {1001.313232422});
  EXPECT_EQ(far.values()[1], -INFINITY);
  Tensor x = tensor({{1.0, 2, 3}}).requires_grad_(), y = x.logsumexp(1, true);
  EXPECT_EQ(y.shape(), (Shape{1, 1}));
  expectNear(y, {3.407605886});
  expectNear(grad(y, x), {0.090030581, 0.244728491, 0.665241003});
}

TEST(Parts, AreAdded) {
  Tensor rows = tensor({2, 0, 2}, int64), source = tensor({{1.0, 2}, {3, 4}, {5, 6}}).requires_grad_();
  Tensor sums = zeros({3, 2}).index_add(0, rows, source);
  EXPECT_EQ(sums.values(), (Numbers{3, 4, 0, 0, 6, 8}));
  EXPECT_EQ(grad((sums * counting({3, 2})).sum(), source).values(), (Numbers{4, 5, 0, 1, 4, 5}));
  Tensor places = tensor({{0, 0, 2}, {1, 1, 1}}, int64);
  EXPECT_EQ(ones({2, 3}).scatter_add(1, places, counting({2, 3})).values(), (Numbers{2, 1, 3, 1, 13, 1}));
}

// What PyTorch 2.13 gives; of equal elements it may give the places in any order, here the first come first.
TEST(Parts, InOrder) {
  Tensor x = tensor({{3, 1, 2}, {5, NAN, 5}}).requires_grad_();
  auto [values, places] = x.topk(2);
  EXPECT_EQ(places.values(), (Numbers{0, 2, 1, 0}));
  EXPECT_EQ(values.slice(0, {0, 1}).values(), (Numbers{3, 2}));
  EXPECT_TRUE(std::isnan(values.values()[2]));
  EXPECT_EQ(grad((values.select(0, 0) * tensor({10.0, 20})).sum(), x).values(),
            (Numbers{10, 0, 20, 0, 0, 0}));
  EXPECT_EQ(x.topk(1, 0, false).first.values()[0], 3);
  EXPECT_EQ(x.argsort(1).values(), (Numbers{1, 2, 0, 0, 2, 1}));
  EXPECT_EQ(x.argsort(-1, true).values(), (Numbers{0, 2, 1, 1, 0, 2}));
  EXPECT_EQ(tensor({2, -7, 5}, int64).sort(0).first.values(), (Numbers{-7, 2, 5}));
  Tensor batch = input("sorted", {Dim("batch", 8), 3});
  EXPECT_EQ(batch.topk(2, 1).first.shape()[0].str(), "batch");
}

TEST(Products, Einsum) {
  Tensor a = counting({2, 3}).requires_grad_(), b = counting({3, 2}) + 1, m = counting({3, 3});
  EXPECT_EQ(einsum("ij,jk->ik", {a, b}).values(), a.matmul(b).values());
  EXPECT_EQ(einsum("ij, jk", {a, b}).values(), a.matmul(b).values());
  EXPECT_EQ(einsum("ii->i", {m}).values(), (Numbers{0, 4, 8}));
  EXPECT_EQ(einsum("ii", {m}).item(), 12);
  EXPECT_EQ(einsum("ij->ji", {a}).values(), a.t().values());
  EXPECT_EQ(einsum("i,j->ij", {tensor({1.0, 2}), tensor({3.0, 4})}).values(), (Numbers{3, 4, 6, 8}));
  EXPECT_EQ(einsum("...ij,jk->...ik", {counting({2, 1, 3}), b}).shape(), (Shape{2, 1, 2}));
  EXPECT_EQ(einsum("ij,ij,i->", {a, a, tensor({1.0, 2})}).item(), 0 + 1 + 4 + 2 * (9 + 16 + 25));
  EXPECT_EQ(grad(einsum("ij,jk->ik", {a, b}).sum(), a).values(), (Numbers{3, 7, 11, 3, 7, 11}));
}

TEST(Operators, ClampBetweenTensors) {
  Tensor x = tensor({1.0, 5, 9, 3}).requires_grad_(), low = tensor({2.0, 5, 0, 1}).requires_grad_(),
         high = tensor({4.0, 4, 9, 5}).requires_grad_();
  Tensor y = x.clamp(low, high);
  EXPECT_EQ(y.values(), (Numbers{2, 4, 9, 3}));
  std::vector<Tensor> g = grad(y.sum(), {x, low, high});
  EXPECT_EQ(g[0].values(), (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(g[1].values(), (Numbers{1, 0, 0, 0}));
  EXPECT_EQ(g[2].values(), (Numbers{0, 1, 0, 0}));
  EXPECT_EQ(x.clamp_min(4).values(), (Numbers{4, 5, 9, 4}));
  EXPECT_EQ(x.to(int64).clamp_max(4).values(), (Numbers{1, 4, 4, 3}));
}

TEST(Operators, ChangeTheirHandle) {
  Tensor x = tensor({1.0, 2}), old = x;
  x += 1;
  x *= x;
  x -= tensor({1.0, 1});
  x /= 2;
  EXPECT_EQ(x.values(), (Numbers{1.5, 4}));
  EXPECT_EQ(old.values(), (Numbers{1, 2}));
}

/// torch.sum(x, 1) and the like.
TEST(Functions, AreMembers) {
  Tensor x = tensor({{1.0, -2, 3}, {4, 5, -6}}), places = tensor({1, 0}, int64);
  auto same = [](const Tensor &a, const Tensor &b) {
    EXPECT_EQ(a.shape(), b.shape());
    EXPECT_EQ(a.values(), b.values());
  };
  same(sum(x), x.sum());
  same(sum(x, {1}, true), x.sum({1}, true));
  same(mean(x, {0}), x.mean({0}));
  same(prod(x, {0}), x.prod({0}));
  same(amax(x, {1}), x.amax({1}));
  same(amin(x, {1}), x.amin({1}));
  same(any(x > 4, {0}), (x > 4).any({0}));
  same(all(x > -3, {0}), (x > -3).all({0}));
  same(var(x, {1}, 0), x.var({1}, 0));
  same(norm(x, 1, {1}), x.norm(1, {1}));
  same(logsumexp(x, {0}), x.logsumexp({0}));
  same(cumsum(x, 1), x.cumsum(1));
  same(argmax(x, 1), x.argmax(1));
  same(argmin(x, 0, true), x.argmin(0, true));
  same(reshape(x, {3, 2}), x.reshape({3, 2}));
  same(flatten(x), x.flatten());
  same(permute(x, {1, 0}), x.permute({1, 0}));
  same(transpose(x, 0, 1), x.transpose(0, 1));
  same(squeeze(unsqueeze(x, 0), 0), x);
  same(flip(x, {1}), x.flip({1}));
  same(tril(x, 1), x.tril(1));
  same(triu(x), x.triu());
  same(split(x, 2, 1)[1], x.split(2, 1)[1]);
  same(chunk(x, 2)[1], x.chunk(2)[1]);
  same(index_select(x, 1, places), x.index_select(1, places));
  same(gather(x, 1, unsqueeze(places, 1)), x.gather(1, places.unsqueeze(1)));
  same(topk(x, 2).first, x.topk(2).first);
  same(topk(x, 1, 0, false).second, x.topk(1, 0, false).second);
  same(clamp(x, -1, 2), x.clamp(-1, 2));
  same(bmm(unsqueeze(x, 0), unsqueeze(x.t(), 0)), x.matmul(x.t()).unsqueeze(0));
}

TEST(Factories, CopyMemory) {
  float numbers[] = {1, 2.5, -3, 4};
  int64_t places[] = {7, -8};
  bool truths[] = {true, false};
  Tensor copy = from_blob(numbers, {2, 2});
  numbers[0] = 100;
  EXPECT_EQ(copy.values(), (Numbers{1, 2.5, -3, 4}));
  EXPECT_EQ(from_blob(places, {2}).values(), (Numbers{7, -8}));
  EXPECT_EQ(from_blob(truths, {2}).dtype(), boolean);
  EXPECT_EQ(rand_like(copy).shape(), (Shape{2, 2}));
}

TEST(Products, OfMatricesAndVectors) {
  EXPECT_EQ(outer(tensor({1.0, 2}), tensor({3.0, 4, 5})).values(), (Numbers{3, 4, 5, 6, 8, 10}));
  Tensor a = tensor({{1.0, 2}, {3, 4}}), v = tensor({5.0, 6});
  EXPECT_EQ(a.matmul(a).values(), (Numbers{7, 10, 15, 22}));
  EXPECT_EQ(a.matmul(v).values(), (Numbers{17, 39}));
  EXPECT_EQ(v.matmul(a).values(), (Numbers{23, 34}));
  EXPECT_EQ(v.matmul(v).item(), 61);
  EXPECT_EQ(stack({a, a}).bmm(stack({a, a})).values(), (Numbers{7, 10, 15, 22, 7, 10, 15, 22}));
}

TEST(Factories, MakeConstants) {
  EXPECT_EQ(zeros({2}).values(), (Numbers{0, 0}));
  EXPECT_EQ(ones({2}, int64).dtype(), int64);
  EXPECT_EQ(full_like(tensor({1.0, 2}), 7).values(), (Numbers{7, 7}));
  EXPECT_EQ(zeros_like(tensor({1, 2}, int64)).dtype(), int64);
  EXPECT_EQ(zeros_like(tensor({1.0, 2})).values(), (Numbers{0, 0}));
  EXPECT_EQ(randn_like(tensor({{1.0, 2, 3}})).shape(), (Shape{1, 3}));
  EXPECT_EQ(arange(1, 8, 3).values(), (Numbers{1, 4, 7}));
  EXPECT_EQ(linspace(0, 1, 5).values(), (Numbers{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(eye(2).values(), (Numbers{1, 0, 0, 1}));
  EXPECT_EQ(causal_mask(2, 3).values(), (Numbers{1, 0, 0, 1, 1, 0}));
  EXPECT_EQ(tensor({1.7, -1.7}).to(int64).values(), (Numbers{1, -1}));
  EXPECT_EQ(tensor({1.00390625}).to(bfloat16).values(), (Numbers{1})); // half way: to even
}

TEST(Softmax, SumsToOne) {
  Tensor x = tensor({{1.0, 2}, {0, 0}});
  double e = std::exp(1.0);
  expectNear(x.softmax(1), {1 / (1 + e), e / (1 + e), 0.5, 0.5});
  expectNear(x.log_softmax(-1), {-std::log(1 + e), 1 - std::log(1 + e), -std::log(2), -std::log(2)});
}

// What PyTorch 2.13 gives on a CPU after torch.manual_seed(7), in this order.
TEST(Random, IsPyTorchs) {
  manual_seed(7);
  expectNear(rand({3}), {0.5349225401878357, 0.19880318641662598, 0.6592116951942444}, 0);
  EXPECT_EQ(randint(0, 10, {4}).values(), (Numbers{6, 3, 7, 7}));
  manual_seed(7);
  expectNear(randn({20}).slice(0, {0, 4}),
             {-0.8201345205307007, 0.39563116431236267, 0.8989084959030151, -1.3884038925170898});
  expectNear(randn({3}), {2.4505412578582764, 2.025601863861084, 1.7791550159454346});
}
