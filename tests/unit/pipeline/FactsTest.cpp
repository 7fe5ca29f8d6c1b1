//===- FactsTest.cpp - what stages tell each other is declared --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An attribute that neither its operation nor a dialect declares has no verifier: it would be a contract
// between stages that nobody checks. Models of many kinds go through all stages, and after each pass no
// operation has one.
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Pipeline.h"
#include "dialects/train/Recipe.h"
#include "frontends/onnx/Import.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include <functional>
#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using namespace dlc;

namespace {

using Names = std::set<std::string>; ///< "linalg.generic: note"

Names undeclared(Operation *root) {
  Names found;
  root->walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      if (!attribute.getNameDialect())
        found.insert((op->getName().getStringRef() + ": " + attribute.getName().getValue()).str());
  });
  return found;
}

/// Looks after each pass.
struct Look : PassInstrumentation {
  Look(ModuleOp module, Names &found, unsigned &passes) : module(module), found(found), passes(passes) {}
  void runAfterPass(Pass *, Operation *) override {
    found.merge(undeclared(module));
    ++passes;
  }
  ModuleOp module;
  Names &found;
  unsigned &passes;
};

struct Case {
  const char *name, *path;
  std::function<void(pipeline::Options &, train::RecipeSettings &)> set = [](pipeline::Options &, train::RecipeSettings &) {};
  const char *gpu = "", *customOps = "";
  int64_t batch = 4;
};

std::ostream &operator<<(std::ostream &out, const Case &test) { return out << test.name; }

class Facts : public testing::TestWithParam<Case> {
protected:
  Facts() {
    DialectRegistry registry;
    pipeline::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  MLIRContext context{MLIRContext::Threading::DISABLED};
};

TEST_P(Facts, AreDeclaredAfterEachPass) {
  const Case &test = GetParam();
  dlc::onnx::ImportOptions import;
  import.batch = test.batch;
  import.customOps = test.customOps;
  OwningOpRef<ModuleOp> module = dlc::onnx::importOnnx(test.path, import, context);
  ASSERT_TRUE(module);
  EXPECT_EQ(undeclared(*module), Names());
  pipeline::Options options;
  train::RecipeSettings recipe{{"loss", "mse"}};
  test.set(options, recipe);
  ASSERT_TRUE(succeeded(train::addToRecipe(*module->getOps<train::ProgramOp>().begin(), recipe)));
  const CpuTarget cpu = llvm::cantFail(CpuTarget::get("x86_64-unknown-linux-gnu", "x86-64-v3"));
  const auto target = *test.gpu ? pipeline::KernelTarget::of(llvm::cantFail(GpuTarget::get(test.gpu)))
                                : pipeline::KernelTarget::of(cpu);
  PassManager passes(&context, ModuleOp::getOperationName());
  passes.enableVerifier(false); // the program's verifier looks, too, and would stop here
  Names found;
  unsigned count = 0;
  passes.addInstrumentation(std::make_unique<Look>(*module, found, count));
  pipeline::buildPipeline(passes, options, target, pipeline::Stage::Plan);
  ASSERT_TRUE(succeeded(passes.run(*module)));
  EXPECT_EQ(found, Names());
  EXPECT_GT(count, 20u);
  EXPECT_TRUE(succeeded(verify(*module)));
}

void isClassifier(pipeline::Options &, train::RecipeSettings &recipe) {
  recipe.emplace_back("loss", "softmax-cross-entropy");
  recipe.emplace_back("step_metrics", "");
}

const Case cases[] = {
    {"mlp", DOCS_DIR "/examples/mlp/mlp.onnx", isClassifier},
    {"convolutions", REFERENCES "/ConvolutionsAndBatchNorms.dynamo.train.default.onnx"},
    {"pooling", REFERENCES "/MaxPooling.dynamo.train.plain.onnx"},
    {"attention", REFERENCES "/CausalAttention.dynamo.train.default.onnx"},
    {"recurrent", REFERENCES "/Recurrent.dynamo.train.default.onnx"},
    {"encoder", REFERENCES "/EncoderLayer.dynamo.train.default.onnx"},
    {"custom", DOCS_DIR "/examples/custom-op/swish.onnx", [](pipeline::Options &, train::RecipeSettings &) {}, "",
     DOCS_DIR "/examples/custom-op/custom-ops.json"},
    {"accumulate", DOCS_DIR "/examples/mlp/mlp.onnx",
     [](pipeline::Options &options, train::RecipeSettings &recipe) {
       isClassifier(options, recipe);
       recipe.insert(recipe.end(), {{"accumulate", "mean"}, {"ema_decay", "0.9"}, {"optimizer", "adamw"}});
     }},
    {"precision", DOCS_DIR "/examples/mlp/mlp.onnx",
     [](pipeline::Options &options, train::RecipeSettings &recipe) {
       isClassifier(options, recipe);
       recipe.emplace_back("precision", "fp16");
     }},
    {"derivatives", DOCS_DIR "/examples/mlp/mlp.onnx",
     [](pipeline::Options &options, train::RecipeSettings &recipe) {
       isClassifier(options, recipe);
       for (const char *function : {"vjp", "jvp", "hvp"})
         recipe.emplace_back("function", function);
     }},
    {"budget", DOCS_DIR "/architecture/two_layers.onnx",
     [](pipeline::Options &options, train::RecipeSettings &recipe) {
       isClassifier(options, recipe);
       options.memoryBudget = 120 << 10; // two parts
     },
     "", "", 512},
    {"gpu", REFERENCES "/CausalAttention.dynamo.train.default.onnx", [](pipeline::Options &, train::RecipeSettings &) {}, "sm_80"},
    {"gpu_custom", DOCS_DIR "/examples/custom-op/swish.onnx", [](pipeline::Options &, train::RecipeSettings &) {}, "sm_90a",
     DOCS_DIR "/examples/custom-op/custom-ops.json"},
};
INSTANTIATE_TEST_SUITE_P(Models, Facts, testing::ValuesIn(cases),
                         [](const auto &info) { return std::string(info.param.name); });

// What the test above looks for, it would find; and so would the program's verifier.
TEST(FactsOfNobody, AreFound) {
  MLIRContext context;
  context.loadDialect<train::TrainDialect>();
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
  ImplicitLocOpBuilder b(UnknownLoc::get(&context), &context);
  OwningOpRef<ModuleOp> module(ModuleOp::create(b));
  b.setInsertionPointToEnd(module->getBody());
  auto program = train::ProgramOp::create(b, "p");
  b.setInsertionPointToEnd(&program.getBody().emplaceBlock());
  auto dim = train::DimOp::create(b, "batch", 4, /*open=*/false, /*least=*/IntegerAttr());
  EXPECT_TRUE(succeeded(verify(*module)));
  dim->setAttr("note", b.getUnitAttr());
  EXPECT_EQ(undeclared(*module), Names{"train.dim: note"});
  EXPECT_TRUE(failed(verify(*module)));
}

} // namespace
