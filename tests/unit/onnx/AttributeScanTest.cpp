//===- AttributeScanTest.cpp - bad and missing attributes and inputs of every operator
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each operator and version of the importer's tables a small valid model, which compiles down to the
// plan; then each of the version's numeric attributes becomes -1, 0, huge, infinite, NaN. Such a model
// compiles as well, or the importer refuses it with an error that names the node. Likewise each attribute and
// each input is left out. Nothing aborts (the stack trace would name the case) or hangs.
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/Pipeline.h"
#include "dialects/train/Recipe.h"
#include "frontends/onnx/OperatorTables.h"
#include "mlir/IR/Diagnostics.h"
#include "tests/unit/onnx/Models.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace {

using dlc::onnx::Operator;

//===-- A valid model for each version ---------------------------------------------===//

enum class Kind { Integer, Integers, Number, Numbers, Text, Tensor }; // or a graph

Kind kindOf(llvm::StringRef op, llvm::StringRef attribute) {
  bool isTensor = (attribute == "value" && op.starts_with("Constant")) || attribute == "body";
  return isTensor
             ? Kind::Tensor
             : llvm::StringSwitch<Kind>(attribute)
                   .Cases({"axes", "pads", "perm", "shape", "starts", "ends", "split", "value_ints",
                           "consumed_inputs", "strides", "dilations", "kernel_shape", "output_padding",
                           "output_shape", "qkv_hidden_sizes", "scan_input_axes", "scan_input_directions",
                           "scan_output_axes", "scan_output_directions"},
                          Kind::Integers)
                   .Cases({"alpha",
                           "beta",
                           "bias",
                           "clip",
                           "epsilon",
                           "epsion",
                           "gamma",
                           "lambd",
                           "high",
                           "low",
                           "mask_filter_value",
                           "max",
                           "mean",
                           "min",
                           "momentum",
                           "ratio",
                           "scale",
                           "seed",
                           "softcap",
                           "value",
                           "value_float"},
                          Kind::Number)
                   .Cases({"scales", "value_floats", "activation_alpha", "activation_beta"}, Kind::Numbers)
                   .Cases({"activations", "approximate", "auto_pad", "direction", "equation", "mode",
                           "padding_mode", "reduction", "round_mode"},
                          Kind::Text)
                   .Default(Kind::Integer);
}

/// One attribute with its values.
struct Attribute {
  std::string name;
  std::vector<double> numbers;
  std::vector<int64_t> integers;
};

/// What a model of one node is made of. Inputs: "x 2 3 4" floats that are trained, "i 2" and "b 2" integers
/// and truth values, "c 3" a constant parameter, "k 1 2" these integers, known.
struct Recipe {
  std::vector<std::string> inputs;
  std::vector<Attribute> attributes = {};
  int outputs = 1;
};

Attribute ints(std::string name, std::vector<int64_t> values) {
  return {std::move(name), {}, std::move(values)};
}
Attribute num(std::string name, double value) { return {std::move(name), {value}, {}}; }

bool knows(const Operator &version, llvm::StringRef attribute) {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(version.attributes).split(names, ' ');
  return llvm::is_contained(names, attribute);
}

std::vector<Recipe> recipes(const Operator &version) {
  llvm::StringRef op = version.op;
  auto is = [&](std::initializer_list<llvm::StringRef> names) { return llvm::is_contained(names, op); };
  const std::string x = "x 2 3 4";
  if (is({"And", "Or", "Xor"}))
    return {{{"b 2 3", "b 2 3"}}};
  if (is({"Add", "Sub", "Mul", "Div", "Pow", "Equal", "Less", "Greater"}))
    return {{{"x 2 3", "x 2 3"}}, {{"x 2 3", "c 2"}, {ints("broadcast", {1}), ints("axis", {0})}}};
  if (op == "Mod")
    return {{{"i 2 3", "i 2 3"}}};
  if (op == "CastLike")
    return {{{x, "x 1"}}};
  if (op == "Cast")
    return {{{x}, {ints("to", {1})}}};
  if (op == "Concat")
    return {{{x, x}, {ints("axis", {1})}}};
  if (is({"Constant"}) && knows(version, "value_int"))
    return {{{}, {ints("value_int", {3})}},
            {{}, {ints("value_ints", {3, 4})}},
            {{}, {num("value_float", 3)}},
            {{}, {Attribute{"value_floats", {3, 4}, {}}}}};
  if (is({"Constant", "ConstantOfShape"}))
    return {};
  if (op == "BatchNormalization") {
    Recipe trained{{x, "c 3", "c 3", "c 3", "c 3"}}, given{{x, "c 3", "c 3", "x 3", "x 3"}};
    return {trained, given};
  }
  if (op == "InstanceNormalization")
    return {{{x, "c 3", "c 3"}}};
  if (op == "GroupNormalization")
    return {{{x, "c 3", "c 3"}, {ints("num_groups", {3})}}};
  if (op == "LRN")
    return {{{x}, {ints("size", {2})}}};
  if (op.ends_with("Pool"))
    return {{{"x 2 3 6 5"},
             {ints("kernel_shape", {2, 3}), ints("strides", {1, 1}), ints("dilations", {1, 1}),
              ints("pads", {0, 0, 0, 0})}}};
  if (op == "Upsample" && knows(version, "scales"))
    return {{{"x 2 2 3 4"}, {Attribute{"scales", {1, 1, 2, 2}, {}}}}};
  if (is({"Resize", "Upsample"})) // scales are an input
    return {};
  if (op == "com.microsoft.Attention")
    return {{{"x 2 3 4", "c 4 12", "c 12", "k 2 3"},
             {ints("num_heads", {2}), ints("unidirectional", {1}), ints("qkv_hidden_sizes", {4, 4, 4})}}};
  if (op == "Attention")
    return {{{"x 2 2 3 4", "x 2 2 3 4", "x 2 2 3 4"}, {ints("is_causal", {1}), num("softcap", 2)}},
            {{"x 2 3 4", "x 2 3 4", "x 2 3 4"}, {ints("q_num_heads", {2}), ints("kv_num_heads", {2})}}};
  if (op == "RotaryEmbedding")
    return {{{"x 2 3 4", "c 2 3 1", "c 2 3 1"}, {ints("num_heads", {2}), ints("rotary_embedding_dim", {2})}}};
  if (is({"GatherElements", "EyeLike"}))
    return {{op == "EyeLike" ? std::vector<std::string>{"x 3 4"} : std::vector<std::string>{"x 4", "k 1 0"}}};
  if (is({"Scatter", "ScatterElements"}))
    return {{{"x 4", "k 1 0", "x 2"}}};
  if (op == "ScatterND")
    return {{{x, "k 1 0", "x 4"}}};
  if (op == "OneHot")
    return {{{"i 2 3", "k 4", "c 2"}}};
  if (op == "TopK")
    return version.since < 10 ? std::vector<Recipe>{{{x}, {ints("k", {2})}, 2}}
                              : std::vector<Recipe>{{{x, "k 2"}, {}, 2}};
  if (op == "ReverseSequence")
    return {{{x, "k 1 2 0"}, {ints("time_axis", {0}), ints("batch_axis", {1})}}};
  if (op == "CumSum")
    return {{{x, "k 1"}}};
  if (is({"Einsum", "com.microsoft.FusedGemm"})) // what they need is a text
    return {};
  if (is({"LSTM", "GRU", "RNN"})) {
    int64_t gates = op == "LSTM" ? 4 : op == "GRU" ? 3 : 1;
    std::string rows = std::to_string(2 * gates);
    return {{{"x 3 2 4", "c 1 " + rows + " 4", "c 1 " + rows + " 2", "c 1 " + std::to_string(4 * gates)},
             {ints("hidden_size", {2}), num("clip", 3)}}};
  }
  if (op == "com.microsoft.MultiHeadAttention")
    return {{{"x 2 3 4", "x 2 3 4", "x 2 3 4"}, {ints("num_heads", {2}), ints("unidirectional", {1})}}};
  if (op == "com.microsoft.EmbedLayerNormalization")
    return {{{"i 1 2", "i 1 2", "c 4 3", "c 4 3", "c 2 3", "c 3", "c 3"}, {num("epsilon", 1e-5)}}};
  if (op == "com.microsoft.SkipLayerNormalization" || op == "com.microsoft.SkipSimplifiedLayerNormalization")
    return {{{x, x, "c 4"}}};
  if (op == "com.microsoft.GemmFastGelu" || op == "com.microsoft.FusedMatMul")
    return {{{"x 3 3", "c 3 3"}}};
  if (op == "com.microsoft.BiasGelu")
    return {{{x, "c 4"}}};
  if (is({"If", "Loop"})) // their attributes are graphs
    return {};
  if (op == "Scan")
    return {{{"x 2", "x 3 2"},
             {ints("num_scan_inputs", {1}), ints("scan_input_axes", {0}), ints("scan_input_directions", {1}),
              ints("scan_output_axes", {1}), ints("scan_output_directions", {0})},
             2}};
  if (is({"DepthToSpace", "SpaceToDepth"}))
    return {{{"x 1 4 2 2"}, {ints("blocksize", {2})}}};
  if (is({"LayerNormalization"}))
    return {{{x, "c 4", "c 4"}}};
  if (is({"RMSNormalization"}))
    return {{{x, "c 4"}}};
  if (op == "MeanVarianceNormalization")
    return {{{"x 2 3 4 2"}, {ints("axes", {0, 2})}}};
  if (is({"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"}))
    return {{{"x 2 3", "i 2"}}};
  if (op.ends_with_insensitive("quantizeLinear")) // integers stand between the two
    return {{{op.ends_with("DequantizeLinear") ? "i 2 3 4" : x, "c 3"}}};
  if (op == "GatherND")
    return {{{x, "k 1 2 3"}}};
  if (op == "Gather")
    return {{{x, "k 1 0"}}};
  if (op == "Gemm")
    return {{{"x 3 3", "c 3 3", "c 3 3"}}};
  if (op.starts_with("RandomUniform") || op.starts_with("RandomNormal"))
    return {{op.ends_with("Like") ? std::vector<std::string>{x} : std::vector<std::string>{},
             {ints("shape", {2, 3}), num("low", -1), num("high", 2), num("mean", 1), num("scale", 2),
              num("seed", 3)}}};
  if (op == "DFT")
    return {{{"x 2 5 1"}, {ints("axis", {1}), ints("inverse", {0}), ints("onesided", {1})}}};
  if (op == "AffineGrid")
    return {{{"x 1 2 3", "k 1 1 4 5"}, {ints("align_corners", {1})}}};
  if (op == "GridSample")
    return {{{"x 1 2 4 5", "x 1 3 3 2"}, {ints("align_corners", {1})}}};
  if (op == "Col2Im")
    return {{{"x 1 4 4", "k 5 4", "k 2 2"},
             {ints("strides", {2, 1}), ints("dilations", {1, 3}), ints("pads", {0, 1, 0, 0})}}};
  if (op == "DeformConv")
    return {{{"x 1 4 5 4", "c 2 2 3 3", "x 1 36 3 2", "c 2"},
             {ints("strides", {2, 1}), ints("dilations", {1, 1}), ints("pads", {1, 0, 1, 0}),
              ints("kernel_shape", {3, 3}), ints("group", {2}), ints("offset_group", {2})}}};
  if (is({"Conv", "ConvTranspose"})) {
    Recipe window{{"x 1 2 5 4", "c 2 2 3 3", "c 2"},
                  {ints("strides", {2, 1}), ints("dilations", {1, 1}), ints("pads", {1, 0, 1, 0}),
                   ints("kernel_shape", {3, 3})}};
    Recipe line{{"x 2 4 6", "c 4 2 2"}, {ints("group", {2})}};
    if (op == "Conv")
      return {window, line};
    Recipe padded = window, shaped = window;
    padded.attributes.push_back(ints("output_padding", {1, 0}));
    shaped.attributes.push_back(ints("output_shape", {10, 6}));
    Recipe lineBack{{"x 2 4 6", "c 4 2 2", "c 4"}, {ints("group", {2})}};
    return {padded, shaped, lineBack};
  }
  if (op == "Reshape")
    return {{{x, "k 6 4"}}};
  if (op == "Pad")
    return knows(version, "pads") ? std::vector<Recipe>{{{x}, {ints("pads", {0, 1, 0, 0, 0, 1})}}}
                                  : std::vector<Recipe>{{{x, "k 0 1 0 0 0 1"}}};
  if (op == "Slice")
    return {{{x}, {ints("starts", {0, 1}), ints("ends", {1, 3}), ints("axes", {0, 1})}}};
  if (op == "Split")
    return knows(version, "split") ? std::vector<Recipe>{{{x}, {ints("axis", {2}), ints("split", {1, 3})}, 2}}
                                   : std::vector<Recipe>{{{x}, {ints("axis", {2})}, 2}};
  if (op == "Squeeze")
    return {{{"x 2 1 4"}, {ints("axes", {1})}}};
  if (op == "Unsqueeze")
    return {{{x}, {ints("axes", {1})}}};
  if (op == "Transpose")
    return {{{x}, {ints("perm", {0, 2, 1})}}};
  if (op.starts_with("Reduce") && knows(version, "axes"))
    return {{{x}, {ints("axes", {1, 2})}}};
  if (is({"Shape"}))
    return {{{x}, {ints("start", {0}), ints("end", {2})}}};
  std::vector<std::string> inputs(version.requiredInputs, x);
  return {{inputs}};
}

int dataType(char kind) {
  return kind == 'i'   ? onnx::TensorProto::INT64
         : kind == 'b' ? onnx::TensorProto::BOOL
                       : onnx::TensorProto::FLOAT;
}

void addRunningSum(onnx::NodeProto &scan) {
  onnx::AttributeProto &body = *scan.add_attribute();
  body.set_name("body");
  body.set_type(onnx::AttributeProto::GRAPH);
  for (const char *name : {"h", "a"})
    body.mutable_g()->add_input()->set_name(name);
  for (int i = 0; i < 2; ++i)
    body.mutable_g()->add_output()->set_name("sum");
  onnx::NodeProto &sum = *body.mutable_g()->add_node();
  sum.set_op_type("Add");
  sum.set_name("sum of the node");
  sum.add_input("h");
  sum.add_input("a");
  sum.add_output("sum");
}

models::Model build(const Operator &version, const Recipe &recipe) {
  models::Model model(std::max(version.since, dlc::onnx::minOpset));
  std::vector<std::string> names, outputs;
  for (const auto &[i, text] : llvm::enumerate(recipe.inputs)) {
    std::string name = "in" + std::to_string(i);
    std::vector<int64_t> numbers;
    for (llvm::StringRef part : llvm::split(llvm::StringRef(text).drop_front(2), ' '))
      numbers.push_back(std::stoll(part.str()));
    names.push_back(name);
    if (text[0] == 'k')
      model.integers(name, numbers);
    else if (text[0] == 'c')
      model.weight(name, numbers);
    else
      model.input(text[0] == 'x' ? name + "_given" : name, numbers, dataType(text[0]));
    if (text[0] != 'x')
      continue;
    model.weight(name + "_trained", numbers); // so that a gradient goes through the node
    model.node("Sum", {name + "_given", name + "_trained"}, {name});
  }
  for (int i = 0; i < recipe.outputs; ++i)
    outputs.push_back("y" + std::to_string(i));
  auto [domain, op] = llvm::StringRef(version.op).rsplit('.');
  onnx::NodeProto &node = model.node(op.empty() ? version.op : op.str(), names, outputs);
  if (!op.empty())
    node.set_domain(domain.str());
  node.set_name("the node");
  for (const Attribute &attribute : recipe.attributes) {
    if (!knows(version, attribute.name))
      continue;
    onnx::AttributeProto &proto = *node.add_attribute();
    proto.set_name(attribute.name);
    switch (kindOf(version.op, attribute.name)) {
    case Kind::Integer:
      proto.set_type(onnx::AttributeProto::INT);
      proto.set_i(attribute.integers.front());
      break;
    case Kind::Integers:
      proto.set_type(onnx::AttributeProto::INTS);
      for (int64_t number : attribute.integers)
        proto.add_ints(number);
      break;
    case Kind::Number:
      proto.set_type(onnx::AttributeProto::FLOAT);
      proto.set_f(float(attribute.numbers.front()));
      break;
    case Kind::Numbers:
      proto.set_type(onnx::AttributeProto::FLOATS);
      for (double number : attribute.numbers)
        proto.add_floats(float(number));
      break;
    case Kind::Text:
    case Kind::Tensor:
      ADD_FAILURE() << "an attribute of another kind";
    }
  }
  if (llvm::StringRef(version.op) == "Scan") // a running sum, of which each state is a result
    addRunningSum(node);
  if (llvm::StringRef(version.op) == "SplitToSequence") { // only one of its parts can be a result
    node.set_output(0, "parts");
    model.scalar("at", 0).node("SequenceAt", {"parts", "at"}, {"y0"});
  }
  for (const std::string &output : outputs)
    model.output(output);
  return model;
}

//===-- What becomes of it --------------------------------------------------------===//

enum class Outcome { Compiled, Refused, FailedLater };

struct Result {
  Outcome outcome;
  std::string errors;
};

/// For all models: to load the dialects takes longer than to import a node.
mlir::MLIRContext &sharedContext() {
  static mlir::MLIRContext context = [] {
    mlir::DialectRegistry registry;
    dlc::pipeline::registerDialects(registry);
    return mlir::MLIRContext(registry, mlir::MLIRContext::Threading::DISABLED);
  }();
  return context;
}

/// What becomes of a program, with gradients where it has a float result. Many models are imported as the
/// same program: versions of an operator that say the same, and numbers that make no difference. It is
/// compiled once.
bool compilesToPlan(mlir::ModuleOp module) {
  static llvm::StringMap<bool> known;
  std::string text;
  llvm::raw_string_ostream(text) << module;
  if (auto found = known.find(text); found != known.end())
    return found->second;
  dlc::pipeline::Options options;
  options.triple = "x86_64-unknown-linux-gnu";
  options.cpu = "x86-64-v3";
  bool trains = false;
  train::RecipeSettings recipe;
  module.walk([&](train::StateOp state) { trains |= state.isTrainable(); });
  module.walk([&](train::OutputOp output) {
    auto type = mlir::cast<mlir::RankedTensorType>(output.getType());
    if (!trains || !recipe.empty() || !mlir::isa<mlir::FloatType>(type.getElementType()))
      return;
    recipe = {{"loss", type.getNumElements() == 1 ? "output" : "mse"},
              {"prediction", output.getSymName().str()}};
  });
  for (auto program : module.getOps<train::ProgramOp>())
    if (failed(train::addToRecipe(program, recipe)))
      return known[text] = false;
  return known[text] = mlir::succeeded(dlc::pipeline::compileToManifest(module, options));
}

/// Imports the model and, where `further`, compiles it down to the plan.
Result compile(const models::Folder &folder, const models::Model &model, bool further = true) {
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(&sharedContext(), [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
      errors += diagnostic.str() + "\n";
  });
  std::string path = folder.write("model.onnx", model.bytes());
  auto module = dlc::onnx::importOnnx(path, {}, sharedContext());
  if (!module)
    return {Outcome::Refused, errors};
  return {!further || compilesToPlan(*module) ? Outcome::Compiled : Outcome::FailedLater, errors};
}

std::vector<Operator> allOperators() {
  std::vector<Operator> versions;
  for (llvm::ArrayRef<Operator> table : dlc::onnx::operatorTables())
    versions.insert(versions.end(), table.begin(), table.end());
  return versions;
}

//===-- The scan ------------------------------------------------------------------===//

constexpr double infinity = std::numeric_limits<double>::infinity();
const double badNumbers[] = {-1, 0, 0x1p31, 3e38, infinity, -infinity, std::nan(""), -1e-45};
const int64_t badIntegers[] = {-1, 0, int64_t(1) << 31, std::numeric_limits<int64_t>::max(),
                               std::numeric_limits<int64_t>::min()};

/// The recipe's attributes with `name` changed in all the bad ways; a list in each of its places.
std::vector<std::vector<Attribute>> changed(const Recipe &recipe, const std::string &name, Kind kind) {
  std::vector<Attribute> others;
  Attribute base{name, {1}, {1}};
  for (const Attribute &attribute : recipe.attributes) {
    if (attribute.name == name)
      base = attribute;
    else
      others.push_back(attribute);
  }
  std::vector<std::vector<Attribute>> all;
  auto add = [&](const Attribute &attribute) {
    all.push_back(others);
    all.back().push_back(attribute);
  };
  bool numbers = kind == Kind::Number || kind == Kind::Numbers;
  for (size_t place = 0; place < (numbers ? base.numbers.size() : base.integers.size()); ++place) {
    Attribute bad = base;
    for (double number : badNumbers)
      if (numbers) {
        bad.numbers[place] = number;
        add(bad);
      }
    for (int64_t number : badIntegers)
      if (!numbers) {
        bad.integers[place] = number;
        add(bad);
      }
  }
  if (kind == Kind::Integers || kind == Kind::Numbers)
    add({name, {}, {}}); // none
  return all;
}

class AttributeScan : public testing::TestWithParam<Operator> {
protected:
  static void SetUpTestSuite() {
    llvm::EnablePrettyStackTrace();
    llvm::sys::PrintStackTraceOnErrorSignal("onnx-attributes-test");
  }
  static void TearDownTestSuite() {
    std::cout << attributes << " attributes, " << compiled + refused << " models: " << compiled
              << " compiled, " << refused << " refused\n";
  }
  static inline int attributes = 0, compiled = 0, refused = 0;
};

TEST_P(AttributeScan, CompilesOrSaysWhyNot) {
  const Operator &version = GetParam();
  models::Folder folder;
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(version.attributes).split(names, ' ', -1, /*KeepEmpty=*/false);
  for (const Recipe &recipe : recipes(version)) {
    Result base = compile(folder, build(version, recipe));
    ASSERT_EQ(base.outcome, Outcome::Compiled) << version.op << " " << version.since << ": " << base.errors;
    for (llvm::StringRef name : names) {
      Kind kind = kindOf(version.op, name);
      if (kind == Kind::Text || kind == Kind::Tensor)
        continue;
      // The ways to write a Constant exclude each other.
      if (llvm::StringRef(version.op) == "Constant" && recipe.attributes.front().name != name)
        continue;
      ++attributes;
      for (const std::vector<Attribute> &bad : changed(recipe, name.str(), kind)) {
        Recipe changedRecipe{recipe.inputs, bad, recipe.outputs};
        models::Model model = build(version, changedRecipe);
        std::string text = std::string(version.op) + " " + std::to_string(version.since) + ": " +
                           model.proto.graph().node(model.proto.graph().node_size() - 1).ShortDebugString();
        llvm::PrettyStackTraceString trace(text.c_str());
        Result result = compile(folder, model);
        EXPECT_NE(result.outcome, Outcome::FailedLater) << text << "\n" << result.errors;
        if (result.outcome == Outcome::Refused) {
          EXPECT_TRUE(models::has(result.errors, "the node")) << text;
        }
        ++(result.outcome == Outcome::Compiled ? compiled : refused);
      }
    }
  }
}

std::string nameOf(const testing::TestParamInfo<Operator> &info) {
  std::string name = info.param.op;
  std::replace(name.begin(), name.end(), '.', '_');
  return name + "_" + std::to_string(info.param.since);
}

INSTANTIATE_TEST_SUITE_P(Rows, AttributeScan, testing::ValuesIn([] {
                           std::vector<Operator> versions;
                           for (const Operator &version : allOperators())
                             if (*version.attributes)
                               versions.push_back(version);
                           return versions;
                         }()),
                         nameOf);

//===-- What is left out ----------------------------------------------------------===//

onnx::NodeProto &theNode(models::Model &model) {
  return *llvm::find_if(*model.proto.mutable_graph()->mutable_node(),
                        [](const onnx::NodeProto &node) { return node.name() == "the node"; });
}

/// The model without one attribute of its node, with an input of no name, and with fewer inputs.
std::vector<models::Model> incomplete(models::Model whole) {
  std::vector<models::Model> all;
  auto add = [&](auto change) {
    all.push_back(whole);
    change(theNode(all.back()));
  };
  const onnx::NodeProto &node = theNode(whole);
  for (int i = 0; i < node.attribute_size(); ++i)
    add([&](onnx::NodeProto &less) { less.mutable_attribute()->DeleteSubrange(i, 1); });
  for (int i = 0; i < node.input_size(); ++i) {
    add([&](onnx::NodeProto &less) { less.set_input(i, ""); });
    add([&](onnx::NodeProto &less) { less.mutable_input()->DeleteSubrange(i, node.input_size() - i); });
  }
  add([&](onnx::NodeProto &less) { less.clear_attribute(), less.clear_input(); });
  return all;
}

class LeftOut : public testing::TestWithParam<Operator> {};

TEST_P(LeftOut, ImportsOrSaysWhatIsMissing) {
  const Operator &version = GetParam();
  models::Folder folder;
  for (const Recipe &recipe : recipes(version))
    for (models::Model &model : incomplete(build(version, recipe))) {
      std::string text = std::string(version.op) + " " + std::to_string(version.since) + ": " +
                         theNode(model).ShortDebugString();
      llvm::PrettyStackTraceString trace(text.c_str());
      Result result = compile(folder, model, /*further=*/false);
      if (result.outcome == Outcome::Refused) {
        EXPECT_TRUE(models::has(result.errors, "the node")) << text << "\n" << result.errors;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Rows, LeftOut, testing::ValuesIn(allOperators()), nameOf);

} // namespace
