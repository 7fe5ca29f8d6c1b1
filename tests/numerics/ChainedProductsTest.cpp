//===- ChainedProductsTest.cpp - products that are steps of one kernel -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of many small matrices, one after the other, with what stands between them: attention with masks,
// some of which hide whole rows, and dropout, and without a softmax. The matrices together exceed a core's
// cache, so that the products become steps of a kernel. Loss, gradients and updates are those of the
// interpreter, in sizes that no tile, vector or block divides.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"
#include "tests/numerics/FirstStep.h"
#include "llvm/Support/FormatVariadic.h"

namespace dlc::numerics {
namespace {

enum class Between {
  Scale,
  Squares,
  Softmax,
  Causal,
  Past,
  Onward,
  Mask,
  Hidden,
  Computed,
  Dropout,
  CausalDropout
};

struct Heads {
  const char *name;
  int64_t batch, heads, queries, keys, width, valueWidth;
  Between between;
  bool headsInside = false; ///< parameters lie as (batch, position, head, element), as one product makes them
  int64_t shared =
      0; ///< so many heads of queries have one of keys and values in common; 0: there are as many
};

std::string programText(const Heads &h) {
  auto tensor = [&](int64_t rows, int64_t columns, int64_t shared = 1) -> std::string {
    std::string heads = h.shared ? llvm::formatv("{0}x{1}", h.heads, shared).str() : std::to_string(h.heads);
    return llvm::formatv("tensor<{0}x{1}x{2}x{3}xf32>", h.batch, heads, rows, columns);
  };
  auto parameter = [&](int64_t rows, int64_t columns, int64_t shared = 1) -> std::string {
    if (!h.headsInside)
      return tensor(rows, columns, shared);
    return llvm::formatv("tensor<{0}x{2}x{1}x{3}xf32>", h.batch, h.heads, rows, columns);
  };
  std::string q = tensor(h.queries, h.width, h.shared), k = tensor(h.keys, h.width),
              v = tensor(h.keys, h.valueWidth);
  std::string q0 = parameter(h.queries, h.width, h.shared), k0 = parameter(h.keys, h.width),
              v0 = parameter(h.keys, h.valueWidth);
  auto moved = [&](const char *name, const std::string &from, const std::string &to) -> std::string {
    if (h.headsInside)
      return llvm::formatv("%{0} = nn.transpose %{0}0 [0, 2, 1, 3] : {1}", name, from);
    return llvm::formatv("%{0} = nn.reshape %{0}0 : {1} -> {2}", name, from, to);
  };
  std::string s = tensor(h.queries, h.keys, h.shared), y = tensor(h.queries, h.valueWidth, h.shared);
  const char *axis = h.shared ? "4" : "3";
  bool hidesKeys = h.between == Between::Hidden || h.between == Between::Computed,
       hasMask = hidesKeys || h.between == Between::Mask;
  std::string mask = hidesKeys ? llvm::formatv("tensor<{0}x1x1x{1}xi1>", h.batch, h.keys).str()
                               : llvm::formatv("tensor<{0}x{1}xf32>", h.queries, h.keys).str();
  bool hasDropout = h.between == Between::Dropout || h.between == Between::CausalDropout;
  std::string between;
  switch (h.between) {
  case Between::Scale:
    between = llvm::formatv("%p = nn.mul %s0, %scale : {0}, tensor<f32>\n", s);
    break;
  case Between::Squares: // shares without a softmax
    between = llvm::formatv(R"mlir(
    %w = nn.mul %s0, %s0 : {0}, {0}
    %all0 = nn.sum %w axes [3] : {0}
    %all = nn.reshape %all0 : tensor<{1}x{2}x{3}xf32> -> tensor<{1}x{2}x{3}x1xf32>
    %p = nn.div %w, %all : {0}, tensor<{1}x{2}x{3}x1xf32>
)mlir",
                            s, h.batch, h.heads, h.queries);
    break;
  case Between::Softmax:
    between = llvm::formatv("%p = nn.softmax %s0 axis {1} : {0}\n", s, axis);
    break;
  case Between::Causal:
  case Between::Past: {
    // Of as many keys before the first query as there are more keys than queries.
    int64_t past = h.between == Between::Past ? h.keys - h.queries : 0;
    between = llvm::formatv(R"mlir(
    %rows0 = nn.iota axis 0 : tensor<{1}x{2}xi64>
    %columns = nn.iota axis 1 : tensor<{1}x{2}xi64>
    %past = nn.constant dense<{3}> : tensor<i64>
    %rows = nn.add %rows0, %past : tensor<{1}x{2}xi64>, tensor<i64>
    %later = nn.compare gt %columns, %rows : tensor<{1}x{2}xi64>, tensor<{1}x{2}xi64>
    %never = nn.constant dense<0xFF800000> : tensor<f32>
    %s1 = nn.select %later, %never, %s0 : tensor<{1}x{2}xi1>, tensor<f32>, {0}
    %p = nn.softmax %s1 axis {4} : {0}
)mlir",
                            s, h.queries, h.keys, past, axis);
    break;
  }
  case Between::Onward: // the last rows see none of the first keys
    between = llvm::formatv(R"mlir(
    %rows = nn.iota axis 0 : tensor<{1}x1xi64>
    %columns = nn.iota axis 1 : tensor<1x{2}xi64>
    %earlier = nn.compare lt %columns, %rows : tensor<1x{2}xi64>, tensor<{1}x1xi64>
    %never = nn.constant dense<0xFF800000> : tensor<f32>
    %s1 = nn.select %earlier, %never, %s0 : tensor<{1}x{2}xi1>, tensor<f32>, {0}
    %p = nn.softmax %s1 axis 3 : {0}
)mlir",
                            s, h.queries, h.keys);
    break;
  case Between::Mask:
    between = llvm::formatv(R"mlir(
    %m = train.read @mask : {1}
    %s1 = nn.add %s0, %m : {0}, {1}
    %p = nn.softmax %s1 axis 3 : {0}
)mlir",
                            s, mask);
    break;
  case Between::Hidden: // some of the keys, so that some rows see nothing
    between = llvm::formatv(R"mlir(
    %m = train.read @mask : {1}
    %rows = nn.iota axis 0 : tensor<{2}x1xi64>
    %columns = nn.iota axis 1 : tensor<1x{3}xi64>
    %earlier = nn.compare le %columns, %rows : tensor<1x{3}xi64>, tensor<{2}x1xi64>
    %sees = nn.logical_and %m, %earlier : {1}, tensor<{2}x{3}xi1>
    %never = nn.constant dense<0xFF800000> : tensor<f32>
    %s1 = nn.select %sees, %s0, %never : tensor<{4}x1x{2}x{3}xi1>, {0}, tensor<f32>
    %p = nn.softmax %s1 axis 3 {{empty_to_zero} : {0}
)mlir",
                            s, mask, h.queries, h.keys, h.batch);
    break;
  case Between::Computed: // what hides keys is computed by a function, once for all heads
    between = llvm::formatv(R"mlir(
    %m = train.read @mask : {1}
    %number = nn.cast %m to f32 : {1}
    %power = nn.exp %number : {5}
    %two = nn.constant dense<2.0> : tensor<f32>
    %isSeen = nn.compare gt %power, %two : {5}, tensor<f32>
    %rows = nn.iota axis 0 : tensor<{2}x1xi64>
    %columns = nn.iota axis 1 : tensor<1x{3}xi64>
    %earlier = nn.compare le %columns, %rows : tensor<1x{3}xi64>, tensor<{2}x1xi64>
    %never = nn.constant dense<0xFF800000> : tensor<f32>
    %s1 = nn.select %isSeen, %s0, %never : {1}, {0}, tensor<f32>
    %s2 = nn.select %earlier, %s1, %never : tensor<{2}x{3}xi1>, {0}, tensor<f32>
    %p = nn.softmax %s2 axis 3 {{empty_to_zero} : {0}
)mlir",
                            s, mask, h.queries, h.keys, h.batch,
                            llvm::formatv("tensor<{0}x1x1x{1}xf32>", h.batch, h.keys).str());
    break;
  case Between::CausalDropout:
    between = llvm::formatv(R"mlir(
    %rows = nn.iota axis 0 : tensor<{1}x1xi64>
    %columns = nn.iota axis 1 : tensor<1x{2}xi64>
    %sees = nn.compare le %columns, %rows : tensor<1x{2}xi64>, tensor<{1}x1xi64>
    %none = nn.constant dense<0.0> : tensor<f32>
    %never = nn.constant dense<0xFF800000> : tensor<f32>
    %m = nn.select %sees, %none, %never : tensor<{1}x{2}xi1>, tensor<f32>, tensor<f32>
    %s1 = nn.add %s0, %m : {0}, tensor<{1}x{2}xf32>
    %p0 = nn.softmax %s1 axis 3 : {0}
    %rng = train.read @rng : tensor<2xi64>
    %p = nn.dropout %p0, %rng ratio 0.3 stream 0 : {0}, tensor<2xi64>
)mlir",
                            s, h.queries, h.keys);
    break;
  case Between::Dropout:
    between = llvm::formatv(R"mlir(
    %p0 = nn.softmax %s0 axis 3 : {0}
    %rng = train.read @rng : tensor<2xi64>
    %p = nn.dropout %p0, %rng ratio 0.3 stream 0 : {0}, tensor<2xi64>
)mlir",
                            s);
    break;
  }
  return llvm::formatv(R"mlir(
train.program @heads {{
  train.state parameter @q : {9} = dense<0.0>
  train.state parameter @k : {10} = dense<0.0>
  train.state parameter @v : {11} = dense<0.0>
  {7}train.state rng @rng : tensor<2xi64>
  train.input @x : {0}
  {8}train.input @mask : {6}
  train.input target @t : {4}
  train.output prediction @y : {4}
  train.output loss @loss : tensor<f32>
  train.function forward @forward {{
    %x = train.read @x : {0}
    %q0 = train.read @q : {9}
    %k0 = train.read @k : {10}
    %v0 = train.read @v : {11}
    {12}
    {13}
    {14}
    %t = train.read @t : {4}
    %scale = nn.constant dense<0.3> : tensor<f32>
    %qx = nn.add %q, %x : {0}, {0}
    %s0 = nn.matmul %qx, %k transpose_b : {0}, {1}
    {5}
    %y = nn.matmul %p, %v : {3}, {2}
    train.write %y, @y : {4}
    %loss, %weight = nn.mse_loss mean %y, %t : {4}, {4}
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
})mlir",
                       q, k, v, s, y, between, mask, hasDropout ? "" : "// ", hasMask ? "" : "// ", q0, k0,
                       v0, moved("q", q0, q), moved("k", k0, k), moved("v", v0, v));
}

struct ChainedProducts : testing::TestWithParam<std::tuple<Heads, const char *>> {
  void SetUp() override { CompiledModel::loadDialects(); }
};

struct ChainedProductsInThreads : ChainedProducts {};

struct SmallChainedProducts : testing::TestWithParam<std::tuple<Heads, const char *>> {
  void SetUp() override { CompiledModel::loadDialects(); }
};

TEST_P(ChainedProducts, TrainAsTheInterpreterDoes) {
  auto [heads, cpu] = GetParam();
  if (!CompiledModel::runsHere(cpu))
    GTEST_SKIP() << "this machine lacks instructions of " << cpu;
  Program program(programText(heads));
  ASSERT_TRUE(program) << takeErrors();
  pipeline::Options options;
  options.cpu = cpu;
  EXPECT_EQ(compareFirstStep(program, options).difference, "");
}

// On a GPU, whose threads are emulated, too.
TEST_P(SmallChainedProducts, TrainAsTheInterpreterDoes) {
  auto [heads, precision] = GetParam();
  Program program(programText(heads));
  ASSERT_TRUE(program) << takeErrors();
  program.addToRecipe({{"precision", precision}});
  EXPECT_EQ(compareFirstStep(program, {}).difference, "");
}

const Heads linear{"linear", 3, 7, 131, 137, 21, 9, Between::Scale},
    softmax{"softmax", 5, 6, 101, 103, 33, 17, Between::Softmax},
    causal{"causal", 5, 6, 107, 107, 16, 32, Between::Causal},
    mask{"mask", 7, 3, 67, 301, 19, 40, Between::Mask},
    hidden{"hidden", 5, 6, 107, 107, 16, 32, Between::Hidden},
    hiddenInside{"hiddenInside", 3, 6, 130, 130, 33, 64, Between::Hidden, true},
    computed{"computed", 11, 3, 101, 101, 16, 32, Between::Computed},
    dropout{"dropout", 2, 12, 121, 119, 8, 24, Between::Dropout},
    oneHead{"oneHead", 33, 1, 97, 101, 5, 3, Between::Causal},
    oneWide{"oneWide", 33, 1, 97, 101, 1, 1, Between::Softmax},
    oneQuery{"oneQuery", 1100, 2, 1, 131, 6, 6, Between::Softmax},
    longKeys{"longKeys", 2, 4, 18, 2003, 3, 37, Between::Softmax},
    longQueries{"longQueries", 2, 4, 2003, 18, 37, 3, Between::Causal},
    headsInside{"headsInside", 5, 6, 101, 103, 19, 17, Between::Softmax, true},
    // Of which parts are left out: none, one vector's rest, a row more than whole tiles, some columns of
    // tiles.
    causal7{"causal7", 850, 7, 7, 7, 5, 3, Between::Causal},
    causal65{"causal65", 11, 6, 65, 65, 15, 9, Between::Causal},
    causal130{"causal130", 3, 6, 130, 130, 33, 64, Between::Causal, true},
    causal256{"causal256", 2, 3, 256, 256, 8, 16, Between::Causal},
    causalDropout{"causalDropout", 2, 12, 121, 121, 8, 24, Between::CausalDropout},
    past{"past", 5, 6, 70, 131, 9, 17, Between::Past},
    shortPast{"shortPast", 5, 6, 99, 104, 9, 17, Between::Past, true};

// One head's matrix alone exceeds three quarters of a second-level cache of 1 MB: blocks of queries, or of
// keys, of which the last is not whole.
const Heads longLinear{"longLinear", 1, 2, 461, 449, 5, 3, Between::Scale},
    longMask{"longMask", 1, 2, 447, 460, 7, 3, Between::Mask},
    longHidden{"longHidden", 1, 2, 449, 449, 8, 9, Between::Hidden},
    longCausal{"longCausal", 1, 2, 449, 449, 8, 9, Between::Causal},
    longCopied{"longCopied", 1, 2, 449, 449, 33, 2, Between::Causal, true}, // keys, transposed on the way
    longDropout{"longDropout", 1, 2, 451, 451, 4, 5, Between::CausalDropout},
    longPast{"longPast", 1, 2, 443, 500, 5, 6, Between::Past},
    fewKeys{"fewKeys", 1, 2, 4501, 50, 5, 3, Between::Softmax};

// Fewer positions than a GPU's block has, or some more; rows that see nothing at first, or at all; heads as
// wide as registers hold, and wider.
const Heads few{"few", 2, 2, 5, 5, 4, 3, Between::Causal},
    more{"more", 1, 2, 70, 70, 24, 20, Between::Causal}, masked{"masked", 1, 2, 33, 70, 8, 40, Between::Mask},
    hiding{"hiding", 2, 2, 37, 37, 8, 8, Between::Hidden, true},
    dropping{"dropping", 1, 2, 40, 40, 8, 24, Between::CausalDropout},
    later{"later", 1, 2, 20, 70, 9, 17, Between::Past},
    widest{"widest", 1, 2, 20, 40, 128, 128, Between::Softmax},
    wider{"wider", 1, 2, 18, 20, 129, 12, Between::Causal},
    onward{"onward", 1, 2, 70, 70, 8, 8, Between::Onward}, lone{"lone", 3, 2, 1, 70, 6, 6, Between::Softmax},
    sharing{"sharing", 2, 2, 35, 35, 8, 8, Between::Causal, false, 3},
    scaled{"scaled", 1, 2, 35, 40, 8, 12, Between::Scale},
    squares{"squares", 1, 2, 35, 40, 8, 12, Between::Squares};

Tensor numbers(std::vector<int64_t> shape, int64_t first) {
  Tensor tensor = Tensor::zeros(interpret::DType::F32, shape);
  for (auto [i, number] : llvm::enumerate(tensor.floats))
    number = float(int64_t((first + int64_t(i)) * 37 % 1021) - 510) / 512;
  return tensor;
}

// Chunks of heads, which one, two or three threads share, or each of which has a thread: the same bits.
TEST_P(ChainedProductsInThreads, GiveTheSameBits) {
  const Heads heads = std::get<0>(GetParam());
  const char *cpu = std::get<1>(GetParam());
  if (!CompiledModel::runsHere(cpu))
    GTEST_SKIP() << "this machine lacks instructions of " << cpu;
  auto shape = [&](int64_t rows, int64_t columns) -> std::vector<int64_t> {
    return {heads.batch, heads.heads, rows, columns};
  };
  auto parameter = [&](int64_t rows, int64_t columns) {
    std::vector<int64_t> sizes = shape(rows, columns);
    if (heads.headsInside)
      std::swap(sizes[1], sizes[2]);
    return sizes;
  };
  std::vector<std::pair<std::string, std::vector<int64_t>>> parameters{
      {"q", parameter(heads.queries, heads.width)},
      {"k", parameter(heads.keys, heads.width)},
      {"v", parameter(heads.keys, heads.valueWidth)}};
  Tensor x = numbers(shape(heads.queries, heads.width), 7),
         target = numbers(shape(heads.queries, heads.valueWidth), 11);
  std::vector<Tensor> first;
  float firstLoss = 0;
  Program program(programText(heads));
  ASSERT_TRUE(program) << takeErrors();
  pipeline::Options options;
  options.cpu = cpu;
  auto model = CompiledModel::compile(program, options, /*threads=*/1);
  ASSERT_TRUE(model) << takeErrors();
  for (int threads : {1, 2, 3, 32}) {
    ASSERT_TRUE(threads == 1 || model->startAnew(threads));
    for (auto [index, parameter] : llvm::enumerate(parameters))
      ASSERT_TRUE(model->write(parameter.first, numbers(parameter.second, 101 * int64_t(index))));
    float loss = 0;
    ASSERT_TRUE(model->gradStep({x, target}, loss));
    for (auto [index, parameter] : llvm::enumerate(parameters)) {
      Tensor gradient = Tensor::zeros(interpret::DType::F32, parameter.second);
      ASSERT_TRUE(model->readGradient(parameter.first, gradient));
      if (threads == 1)
        first.push_back(gradient);
      EXPECT_EQ(gradient.floats, first[index].floats) << parameter.first << ", " << threads << " threads";
    }
    if (threads == 1)
      firstLoss = loss;
    EXPECT_EQ(loss, firstLoss) << threads << " threads";
  }
}

std::string nameOf(const testing::TestParamInfo<ChainedProducts::ParamType> &info) {
  return std::get<0>(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(
    Here, ChainedProducts,
    testing::Combine(testing::Values(linear, softmax, causal, mask, hidden, hiddenInside, computed, dropout,
                                     oneHead, oneWide, oneQuery, longKeys, longQueries, headsInside, causal7,
                                     causal65, causal130, causal256, causalDropout, past, shortPast),
                     testing::Values("native")),
    nameOf);
INSTANTIATE_TEST_SUITE_P(Here, ChainedProductsInThreads,
                         testing::Combine(testing::Values(softmax, causal130), testing::Values("native")),
                         nameOf);
// Of processors whose tables say how large their caches are, so that the heads are long on each machine.
INSTANTIATE_TEST_SUITE_P(Long, ChainedProducts,
                         testing::Combine(testing::Values(longLinear, longMask, longHidden, longCausal,
                                                          longCopied, longDropout, longPast, fewKeys),
                                          testing::Values("cascadelake")),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Long, ChainedProductsInThreads,
                         testing::Combine(testing::Values(longCopied), testing::Values("cascadelake")),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Avx2, ChainedProducts,
                         testing::Combine(testing::Values(causal, mask, hidden, causal130, past, longCausal,
                                                          longDropout),
                                          testing::Values("x86-64-v3")),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Intel, ChainedProducts,
                         testing::Combine(testing::Values(causal, causal130, causal256, past, longKeys),
                                          testing::Values("cascadelake")),
                         nameOf);

INSTANTIATE_TEST_SUITE_P(Any, SmallChainedProducts,
                         testing::Combine(testing::Values(few, more, masked, onward, hiding, dropping, later,
                                                          widest, wider, lone, sharing, scaled, squares),
                                          testing::Values("fp32", "tf32", "bf16", "fp16")),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param);
                         });

} // namespace
} // namespace dlc::numerics
